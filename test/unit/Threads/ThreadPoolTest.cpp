//===- ThreadPoolTest.cpp - every part once, on any threads ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/ThreadPool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <barrier>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace permc;

namespace {

/// Whether each part was called exactly once.
bool callsEachPartOnce(ThreadPool &pool, uint32_t parts) {
  std::vector<std::atomic<int>> calls(parts);
  pool.parallelFor(parts, [&](uint32_t part) { ++calls[part]; });
  return std::all_of(calls.begin(), calls.end(),
                     [](const std::atomic<int> &n) { return n == 1; });
}

TEST(JitThreadPool, CallsEachPartOnce) {
  ThreadPool pool(3);
  for (uint32_t parts : {0, 1, 2, 3, 4, 5, 64, 1000})
    EXPECT_TRUE(callsEachPartOnce(pool, parts)) << parts;
}

TEST(JitThreadPool, StartsThreadsOnDemandOnly) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.started(), 0u);
  EXPECT_TRUE(callsEachPartOnce(pool, 1));
  EXPECT_EQ(pool.started(), 0u);
  EXPECT_TRUE(callsEachPartOnce(pool, 2));
  EXPECT_EQ(pool.started(), 1u);
  EXPECT_TRUE(callsEachPartOnce(pool, 100));
  EXPECT_LE(pool.started(), 3u);
}

TEST(JitThreadPool, PartsRunAtTheSameTime) {
  // Every part waits for the other: one thread alone would never get through.
  ThreadPool pool(1);
  std::barrier together(2);
  std::set<std::thread::id> threads;
  std::mutex mutex;
  pool.parallelFor(2, [&](uint32_t) {
    together.arrive_and_wait();
    std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 2u);
}

TEST(JitThreadPool, WithoutWorkersTheCallerDoesIt) {
  ThreadPool pool(0);
  EXPECT_TRUE(callsEachPartOnce(pool, 17));
  EXPECT_EQ(pool.started(), 0u);
}

TEST(JitThreadPool, ThrowsWhatABodyThrows) {
  ThreadPool pool(2), alone(0);
  for (ThreadPool *each : {&pool, &alone})
    for (uint32_t bad : {0, 1, 7})
      EXPECT_THROW(each->parallelFor(8,
                                     [&](uint32_t part) {
                                       if (part >= bad)
                                         throw std::out_of_range("part");
                                     }),
                   std::out_of_range);
  EXPECT_TRUE(callsEachPartOnce(pool, 100));
}

TEST(JitThreadPool, NestedCallsStayOnTheirThread) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0, strays = 0;
  pool.parallelFor(4, [&](uint32_t) {
    const std::thread::id self = std::this_thread::get_id();
    pool.parallelFor(5, [&](uint32_t) {
      ++calls;
      strays += std::this_thread::get_id() != self;
    });
  });
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(strays, 0);
}

TEST(JitThreadPool, ManyCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        right += callsEachPartOnce(pool, 7);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, 400);
}

TEST(JitThreadPool, AForkedChildMakesItsOwnThreads) {
  ThreadPool pool(2);
  ASSERT_TRUE(callsEachPartOnce(pool, 8));
  // Other threads are inside the pool all the time while we fork.
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop)
      callsEachPartOnce(pool, 3);
  });
  for (int round = 0; round < 10; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(pool.started() == 0 && callsEachPartOnce(pool, 8) &&
                    pool.started() > 0
                ? 0
                : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
  EXPECT_TRUE(callsEachPartOnce(pool, 8));
}

} // namespace
