//===- GuardedMemory.cpp - memory whose edges cannot be touched -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace permc;
using namespace permc::fuzz;

GuardedMemory::GuardedMemory(int64_t bytes, const Place &place) : bytes(bytes) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  const size_t wanted = size_t(bytes + place.offset);
  // A page even for no bytes: an empty tensor has a place as well.
  const size_t room = (wanted / page + 1) * page;
  mappedBytes = room + 2 * page;
  void *memory =
      mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<uint8_t *>(memory) + page,
                                       room, PROT_READ | PROT_WRITE) != 0) {
    std::perror("permc-fuzz: no memory for a buffer");
    std::_Exit(2);
  }
  mapped = static_cast<uint8_t *>(memory);
  first = mapped + page;
  last = first + room;
  start = place.atEnd ? last - bytes : first + place.offset;
}

GuardedMemory::~GuardedMemory() { munmap(mapped, mappedBytes); }

void GuardedMemory::protectFromWrites(bool on) {
  mprotect(first, size_t(last - first),
           on ? PROT_READ : PROT_READ | PROT_WRITE);
}
