//===- ArmFamily.cpp - what only ARM's kernels have -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmTargets.h"
#include "backend/FoldTupleCopies.h"
#include "backend/VectorPairs.h"
#include "lowering/ConvertArmMoves.h"
#include "lowering/EmitGather.h"
#include "lowering/EmitNeonMoves.h"
#include "lowering/EmitScalable.h"
#include "lowering/EmitStepping.h"
#include "lowering/EmitWordPairs.h"
#include "lowering/EmitWordSteps.h"

#include "permc/Targets/TargetFamily.h"

#include "llvm/TargetParser/Triple.h"

using namespace permc;

namespace {
struct ArmFamily : TargetFamily {
  void addTargets(std::vector<Target> &targets) const override {
    addArmTargets(targets);
  }

  std::unique_ptr<OwnTile> makeTile(const TileSite &site) const override {
    if (isScalable(site.schedule))
      return makeScalableTile(site);
    if (is<micro::Gather>(site.schedule))
      return makeGatherTile(site);
    if (pairAlignment(site.schedule))
      return makeWordPairs(site);
    return makeNeonTile(site);
  }

  std::unique_ptr<SteppingTile>
  makeSteppingTile(const TileSite &site) const override {
    return stepsWords(site.schedule) ? makeSteppingWords(site)
                                     : makeSteppingVectors(site);
  }

  std::unique_ptr<MoveConverter>
  makeMoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                    int64_t integerBits) const override {
    return makeArmMoveConverter(context, indexBits, integerBits);
  }

  /// One of our own comes with the last of those that see registers in SSA
  /// form, and on AArch64 two go round the scheduler.
  BackendStep backendStep(const llvm::Triple &triple,
                          llvm::StringRef name) const override {
    BackendStep step;
    const bool endsSSA = name == "Peephole Optimizations";
    if (endsSSA && triple.isARM())
      step.after = {createFoldTupleCopiesPass()};
    if (endsSSA && triple.isAArch64())
      step.after = {createPlainPairsPass()};
    if (triple.isAArch64() && name == "Machine Instruction Scheduler") {
      step.before = {createHoldOrderPass()};
      step.after = {createReleaseOrderPass()};
    }
    return step;
  }
};
} // namespace

const TargetFamily &permc::armFamily() {
  static const ArmFamily family;
  return family;
}
