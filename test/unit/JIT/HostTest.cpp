//===- HostTest.cpp - which targets' code may run here? -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Host.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"

using namespace permc;

namespace {

TEST(Host, RunsItsOwnCode) {
  const auto native = findTarget("native");
  ASSERT_TRUE(native);
  const Status status = checkRunsHere(*native);
  EXPECT_TRUE(status) << status.error().message;
}

TEST(Host, RunsNoOtherMachinesCode) {
  Target target = *findTarget("native");
  const bool isArm = llvm::Triple(llvm::sys::getProcessTriple()).getArch() ==
                     llvm::Triple::aarch64;
  target.triple = isArm ? "x86_64-unknown-linux-gnu" : "aarch64-linux-gnu";
  const Status status = checkRunsHere(target);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().cause, Cause::Unsupported);
  EXPECT_NE(status.error().message.find(isArm ? "x86_64" : "aarch64"),
            std::string::npos);
}

TEST(Host, RunsNoInstructionItLacks) {
  std::string missing;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (!feature.second)
      missing = feature.first().str();
  ASSERT_NE(missing, "") << "no CPU has every feature LLVM knows";
  Target target = *findTarget("native");
  target.features += (target.features.empty() ? "+" : ",+") + missing;
  const Status status = checkRunsHere(target);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find(missing), std::string::npos)
      << status.error().message;
}

} // namespace
