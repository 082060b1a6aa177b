//===- ThreadsTest.cpp - several compilers at once ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include "gtest/gtest.h"

#include <thread>

using namespace permc;

namespace {

std::string compileAlone(const Request &request) {
  Compiler compiler;
  auto object = compiler.compile({request}, Emit::Object);
  return object ? object->bytes : object.error().message;
}

/// Each thread has a compiler of its own; what they share is LLVM's.
TEST(CompilerThreads, CompilersDoNotDisturbEachOther) {
  const Request request = requestFor(*Problem::make(2, {48, 20, 40}, {2, 1, 0}),
                                     *findTarget("x86-64-v3"));
  const std::string alone = compileAlone(request);
  ASSERT_EQ(alone.substr(1, 3), "ELF") << alone;
  std::vector<std::string> objects(8);
  std::vector<std::thread> threads;
  for (std::string &object : objects)
    threads.emplace_back([&] { object = compileAlone(request); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &object : objects)
    EXPECT_TRUE(object == alone);
}

} // namespace
