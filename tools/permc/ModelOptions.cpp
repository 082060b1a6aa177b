//===- ModelOptions.cpp - networks in place of a TENSOR -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelOptions.h"

#include "Measure.h"
#include "Sampler.h"

#include "permc/Frontend/KernelName.h"
#include "permc/JIT/Host.h"
#include "permc/Models/ReadModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace permc;
using llvm::StringRef;

namespace {

/// For all kernels of a network together: a report is read, not waited for.
constexpr double measureSeconds = 0.4;
/// A kernel that moves more is predicted only.
constexpr int64_t maxMeasuredBytes = int64_t(256) << 20;

} // namespace

/// The file's name as the beginning of C's names; what C reserves begins with
/// '_'.
static std::string prefixFor(const std::string &path) {
  const std::string name = identifierFor(llvm::sys::path::stem(path).str());
  const StringRef rest = StringRef(name).ltrim('_');
  return (rest.empty() || llvm::isDigit(rest.front()) ? "model_" : "") +
         rest.rtrim('_').str();
}

Result<CompiledModel>
permc::readPlannedModel(const std::string &path, std::vector<Target> targets,
                        const std::optional<std::string> &prefix) {
  if (prefix && !checkKernelName(*prefix + "_layers"))
    return Error{Cause::BadSyntax,
                 "the name '" + *prefix +
                     "' cannot begin that of a C function; expected letters, "
                     "digits and '_', the first a letter"};
  auto model = readModel(path);
  if (!model)
    return model.error();
  auto plan = planModel(*model, targets.front());
  if (!plan)
    return plan.error();
  for (Request &kernel : plan->kernels) {
    kernel.name = prefix.value_or(prefixFor(path)) + "_" + kernel.name;
    kernel.better.assign(targets.begin() + 1, targets.end());
  }
  return CompiledModel{
      std::move(*model), std::move(targets), std::move(*plan), {}};
}

Status permc::compileKernels(CompiledModel &compiled) {
  if (compiled.targets.front().route != Target::Route::Object)
    return Done{};
  auto made = compileObjects(compiled.plan.kernels);
  if (!made)
    return Error{made.error().cause,
                 compiled.model.path + ": " + made.error().message};
  compiled.objects = std::move(*made);
  return Done{};
}

/// Seconds of the best call within the budget, if it can be had.
static std::optional<double>
measureQuickly(const Problem &problem, const Kernel &kernel, double budget) {
  if (problem.isEmpty() || problem.bytesMoved() > maxMeasuredBytes)
    return std::nullopt;
  auto buffers = MeasuredBuffers::allocate(problem);
  if (!buffers)
    return std::nullopt;
  const char *src = buffers->src.data();
  char *dst = buffers->dst.data();
  SamplerOptions options;
  options.budgetSeconds = budget;
  options.warmUp = problem.bytesMoved() <= maxWarmBytes;
  return takeSamples({compete("kernel", [=] { kernel(src, dst); })}, options)
      .front()
      .best();
}

/// Only kernels that move bytes are worth the time.
static std::vector<bool> findMovers(const ModelPlan &plan) {
  std::vector<bool> movers(plan.kernels.size());
  auto mark = [&](const PlannedMove &move) {
    if (move.kernel && move.moveClass == MoveClass::Move)
      movers[*move.kernel] = !plan.kernels[*move.kernel].dynamic;
  };
  for (const PlannedMove &layer : plan.layers)
    mark(layer);
  for (const PlannedChain &chain : plan.chains)
    mark(chain.move);
  return movers;
}

static MeasuredKernels measureKernels(const CompiledModel &compiled) {
  const std::vector<Request> &kernels = compiled.plan.kernels;
  MeasuredKernels measured(kernels.size());
  auto jit = Jit::create();
  if (!jit || compiled.objects.empty() ||
      !checkRunsHere(compiled.targets.front()))
    return measured;
  const std::vector<bool> movers = findMovers(compiled.plan);
  const double share =
      measureSeconds /
      double(std::max<ptrdiff_t>(1, std::ranges::count(movers, true)));
  for (size_t i = 0; i < kernels.size(); ++i)
    if (movers[i])
      if (auto kernel =
              (*jit)->load(compiled.objects[i].bytes, kernels[i].name))
        measured[i] = measureQuickly(kernels[i].problem, *kernel, share);
  return measured;
}

ModelReport permc::reportOn(const CompiledModel &compiled) {
  std::string names;
  for (const Target &target : compiled.targets)
    names += (names.empty() ? "" : ",") + target.resolvedName();
  return {compiled.model, compiled.plan, names, measureKernels(compiled)};
}

using SpellReport = std::string (*)(const ModelReport &);

/// What the ending of --report says, or null; "-" is JSON.
static SpellReport findReportKind(StringRef path) {
  if (path == "-" || path.ends_with_insensitive(".json"))
    return &spellJson;
  if (path.ends_with_insensitive(".html"))
    return &spellHtml;
  return nullptr;
}

Status permc::checkReports(llvm::ArrayRef<std::string> paths) {
  for (const std::string &path : paths)
    if (!findReportKind(path))
      return Error{Cause::BadSyntax,
                   "the ending of --report '" + path +
                       "' says nothing; expected .json, .html, or - for JSON "
                       "on the standard output"};
  return Done{};
}

std::vector<std::pair<std::string, std::string>>
permc::spellReports(llvm::ArrayRef<std::string> paths,
                    const ModelReport &report) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string &path : paths)
    files.emplace_back(path, findReportKind(path)(report));
  return files;
}
