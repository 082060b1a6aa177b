//===- ThreadTeam.cpp - threads that wait for work ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadTeam.h"

using namespace permc;

ThreadTeam::ThreadTeam(unsigned size) {
  for (unsigned i = 1; i < size; ++i)
    workers.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
  job = nullptr;
  round.fetch_add(1);
  round.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadTeam::serve(unsigned index) {
  for (uint64_t seen = 0;; ++seen) {
    round.wait(seen);
    if (!job)
      return;
    (*job)(index);
    if (busy.fetch_sub(1) == 1)
      busy.notify_one();
  }
}

void ThreadTeam::run(const std::function<void(unsigned)> &work) {
  busy = unsigned(workers.size());
  job = &work;
  round.fetch_add(1);
  round.notify_all();
  work(0);
  for (unsigned left = busy; left != 0; left = busy)
    busy.wait(left);
}
