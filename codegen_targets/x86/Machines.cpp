//===- Machines.cpp - x86 machines that were measured ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles of loads, stores and shuffles are the makers' figures; times are
// medians of loops that do one thing each, on one core of a shared machine.
//
//===----------------------------------------------------------------------===//

#include "Machines.h"

using namespace permc;

void permc::takeZen3(Machine &machine) {
  machine.cycleNs = 0.29;
  machine.loadCycles = 0.5;
  machine.storeCycles = 1;
  machine.shuffleCycles = 0.5;
  machine.l3Bytes = 16 << 20;
  machine.l2Ns = 0.57;
  machine.l2RandomNs = 0.57;
  machine.l3Ns = 0.6;
  machine.l3RandomNs = 2.9;
  machine.memoryNs = 3;
  machine.memoryRandomNs = 12.5;
  machine.l3LatencyNs = 14;
  machine.memoryLatencyNs = 100;
  machine.windowInstructions = 256;
  machine.writeBackNs = 3.3;
  machine.streamedNs = 4.3;
  machine.partialNs = 6;
  machine.prefetchedStreams = 48;
  machine.prefetchLead = 200;
  machine.tlbMissNs = 9;
}

void permc::takeZen4(Machine &machine) {
  machine.cycleNs = 0.27;
  machine.loadCycles = 0.5;
  machine.storeCycles = 1;
  machine.shuffleCycles = 0.5;
  // Vectors of 64 bytes are two halves.
  machine.wideLoadCycles = 1;
  machine.wideStoreCycles = 2;
  machine.wideShuffleCycles = 1;
  machine.l3Bytes = 16 << 20;
  machine.l2Ns = 0.3;
  machine.l2RandomNs = 0.3;
  machine.l3Ns = 0.1;
  machine.l3RandomNs = 1.4;
  machine.memoryNs = 2.2;
  machine.memoryRandomNs = 12;
  machine.l3LatencyNs = 14;
  machine.memoryLatencyNs = 100;
  machine.windowInstructions = 320;
  machine.writeBackNs = 2;
  machine.streamedNs = 2.3;
  machine.partialNs = 5.3;
  machine.prefetchedStreams = 48;
  machine.prefetchLead = 300;
  machine.tlbMissNs = 5;
}

void permc::takeCascadeLake(Machine &machine) {
  machine.cycleNs = 0.32;
  machine.loadCycles = 0.5;
  machine.storeCycles = 1;
  // One unit shuffles, whatever the width.
  machine.shuffleCycles = 1;
  machine.wideLoadCycles = 0.5;
  machine.wideStoreCycles = 1;
  machine.wideShuffleCycles = 1;
  machine.issueCycles = 0.25;
  machine.windowInstructions = 224;
  machine.l3Bytes = 16 << 20;
  machine.l2Ns = 0.43;
  // What tiles take; lines that are only read come sooner.
  machine.l2RandomNs = 1.3;
  machine.l3Ns = 1.8;
  machine.l3RandomNs = 1.8;
  machine.l3LatencyNs = 28;
  machine.memoryNs = 4.3;
  machine.memoryRandomNs = 14;
  machine.memoryLatencyNs = 107;
  machine.writeBackNs = 1.9;
  machine.streamedNs = 9.7;
  machine.partialNs = 12;
  machine.prefetchedStreams = 34;
  machine.prefetchLead = 140;
  machine.tlbPages = 1500;
  machine.tlbMissNs = 11;
}

void permc::takeKnown(std::string_view cpu, Machine &machine) {
  if (cpu == "znver3")
    takeZen3(machine);
  else if (cpu == "znver4")
    takeZen4(machine);
  else if (cpu == "skylake-avx512" || cpu == "cascadelake")
    takeCascadeLake(machine);
}
