//===- ArmFacts.h - what ARM's tiles are counted by -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of a target that only ARM's own planning reads: instructions
// that a part of a kernel takes, registers that it has, and moves and shuffles
// that only these machines know.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMFACTS_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMFACTS_H

#include "permc/Plan/TargetFacts.h"

namespace permc {

struct ArmCounts {
  /// Instructions, about, of each turn of a loop; 0: it is not by these that
  /// tiles of runs and elements are chosen.
  int64_t loopTurn = 0;

  /// ... that a nest of loops takes to start, and that it takes to find the
  /// place of a last tile that is moved back.
  int64_t nestStart = 0, movedBack = 0;

  /// ... and, about, of an address that is kept in memory for want of a
  /// register.
  int64_t addressFromMemory = 0;

  /// Instructions of a vector that is gathered: its address, the gather, a
  /// store and its address.
  int64_t gatherCost = 0;

  /// Instructions, about: of each turn of the loop round a tile that joins many
  /// streams, and of what stands before the loop.
  int64_t joinTurn = 0, joinStart = 0;

  /// ... and of a function that saves its caller's vector registers and brings
  /// them back.
  int64_t savedRegisters = 0;

  /// Registers for addresses of a tile: for those that run along with a loop,
  /// and for those that stay where they are.
  int64_t addressRegisters = 0, stillRegisters = 0;

  /// Halves of vector registers that a function need not save.
  int64_t freeHalves = 0;

  /// Words of a long run that are moved at once where they are aligned.
  int64_t wordsPerRunMove = 2;

  /// How far ahead the offset of a vector can be that is no multiple of it.
  int64_t nearReach = 0;

  /// Bytes and half words of two words trade places in few instructions (pkhbt,
  /// uxtb16): small elements are transposed in plain registers.
  bool wordExchanges = false;

  /// One instruction makes both halves of a zip (vzip of ARMv7).
  bool zipsBoth = false;

  /// Pieces of less than a word are not worth a vector register (ARMv7).
  bool piecesByWords = false;
};

/// All that ARM's planning knows of a target.
struct ArmFacts : TargetFacts, ArmCounts {};

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMFACTS_H
