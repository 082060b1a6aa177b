//===- Schedule.cpp - choose how each problem is carried out --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Targets/PassTarget.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct SchedulePass : permc::impl::SchedulePassBase<SchedulePass> {
  using Base::Base;
  SchedulePass(const Target &target) : target(target) {}

  void runOnOperation() override {
    auto found = target.find(getOperation(), [&](Target &fromOptions) {
      fromOptions.facts.vectorBytes = vectorBytes;
      fromOptions.facts.streamingStores = streamingStores;
      // What is streamed is ranked by times: those of a core at 3 GHz.
      if (streamingStores)
        fromOptions.facts.cycleNs = 0.33;
    });
    if (mlir::failed(found))
      return signalPassFailure();
    const TargetFacts &facts = found->facts;
    getOperation()->walk([&](PermuteOp op) {
      const Problem &problem = op.getProblem().getValue();
      if (!op.getSchedule()) {
        Schedule schedule = chooseSchedule(problem, facts);
        if (Status ok = checkSchedule(problem, schedule); !ok) {
          op.emitOpError() << "has no schedule on this machine: "
                           << ok.error().message;
          return signalPassFailure();
        }
        op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
      }
      if (op.getUnaligned() || !op.getDims().empty() || !op.getBox().empty())
        return;
      if (auto unaligned =
              chooseUnaligned(problem, op.getSchedule()->getValue(), facts))
        op.setUnalignedAttr(ScheduleAttr::get(op.getContext(), *unaligned));
    });
  }

  const PassTarget target;
};
} // namespace

std::unique_ptr<mlir::Pass> permc::createSchedulePass(const Target &target) {
  return std::make_unique<SchedulePass>(target);
}
