//===- Tune.cpp - the fastest schedule for a request ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "Measure.h"
#include "Tuner.h"

#include "permc/JIT/Host.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;

static Error cannotTune(const std::string &why) {
  return {Cause::Unsupported, "cannot tune: " + why};
}

static Status checkTunes(const Request &request) {
  if (Status ok = checkRunsHere(request.target); !ok)
    return cannotTune(ok.error().message);
  if (request.dynamic)
    return cannotTune("sizes that come with the call; expected a TENSOR "
                      "without '?'");
  if (!request.schedule.empty())
    return cannotTune("there is a schedule already; expected --tune or "
                      "--schedule");
  return Done{};
}

Status permc::tuneRequest(Compiler &compiler, Request &request) {
  if (Status ok = checkTunes(request); !ok)
    return ok;
  auto buffers = MeasuredBuffers::allocate(request.problem);
  if (!buffers)
    return cannotTune(buffers.error().message);
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  TuneOptions options;
  options.progress = [](unsigned tried, double gain) {
    llvm::errs() << llvm::format(
        "tuning: %u schedules measured, the best %.2f times as fast as the "
        "chosen one\n",
        tried, gain);
  };
  auto tuned = tune(compiler, **jit, request, buffers->src.data(),
                    buffers->dst.data(), options);
  if (!tuned)
    return tuned.error();
  request.schedule = spellSchedule(tuned->schedule);
  llvm::errs() << llvm::format("tuned: %.2f times as fast, ", tuned->gain)
               << request.schedule << "\n";
  return Done{};
}
