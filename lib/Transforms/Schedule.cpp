//===- Schedule.cpp - choose how each problem is carried out --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct SchedulePass : permc::impl::SchedulePassBase<SchedulePass> {
  using Base::Base;
  SchedulePass(const TargetFacts &facts) : facts(facts), known(true) {}

  void runOnOperation() override {
    if (!known) {
      facts.vectorBytes = vectorBytes;
      facts.streamingStores = streamingStores;
    }
    getOperation()->walk([&](PermuteOp op) {
      if (op.getSchedule())
        return;
      const Problem &problem = op.getProblem().getValue();
      Schedule schedule = chooseSchedule(problem, facts);
      if (Status ok = checkSchedule(problem, schedule); !ok) {
        op.emitOpError() << "has no schedule on this machine: "
                         << ok.error().message;
        return signalPassFailure();
      }
      op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    });
  }

  TargetFacts facts;
  bool known = false; ///< facts came from a target, not from the options
};
} // namespace

std::unique_ptr<mlir::Pass>
permc::createSchedulePass(const TargetFacts &facts) {
  return std::make_unique<SchedulePass>(facts);
}
