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
  return Done{};
}

/// "138.00 us to 93.10 us".
static std::string spellTimes(const Tuned &tuned) {
  const TimeUnit unit = unitFor(tuned.seconds);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "%.2f %s to %.2f %s", tuned.chosenSeconds * unit.perSecond, unit.name,
      tuned.seconds * unit.perSecond, unit.name);
  return text;
}

static std::string spellResult(const Tuned &tuned, bool isChosen) {
  const std::string tried = std::to_string(tuned.tried);
  if (isChosen)
    return "none of " + tried + " schedules is faster than the chosen one";
  std::string text;
  llvm::raw_string_ostream(text)
      << "the fastest of " << tried
      << llvm::format(" schedules, %.2f times as fast as the chosen one (",
                      tuned.gain())
      << spellTimes(tuned) << ")";
  return text;
}

Result<std::string> permc::tuneRequest(Compiler &compiler, Request &request) {
  if (Status ok = checkTunes(request); !ok)
    return ok.error();
  auto buffers = MeasuredBuffers::allocate(request.problem);
  if (!buffers)
    return cannotTune(buffers.error().message);
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  auto chosen = compiler.decide(request);
  if (!chosen)
    return chosen.error();
  TuneOptions options;
  options.progress = [](const Tuned &tuned) {
    llvm::errs() << llvm::format("tuning: %u schedules measured, the best ",
                                 tuned.tried)
                 << llvm::format("%.2f times as fast as the chosen one\n",
                                 tuned.gain());
  };
  auto tuned = tune(compiler, **jit, request, buffers->src.data(),
                    buffers->dst.data(), options);
  if (!tuned)
    return tuned.error();
  const bool isChosen = tuned->schedule == chosen->schedule;
  const std::string result = spellResult(*tuned, isChosen);
  llvm::errs() << "tuned: " << result << "\n";
  if (!isChosen) {
    request.schedule = spellSchedule(tuned->schedule);
    llvm::errs() << "tuned: " << request.schedule << "\n";
  }
  return result;
}
