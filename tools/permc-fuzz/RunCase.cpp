//===- RunCase.cpp - carry out a case in this process ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunCase.h"

#include "CheckCall.h"
#include "RunProgramCase.h"

#include "permc-c/permc.h"
#include "permc-rt/permc_rt.h"
#include "permc/Frontend/Convention.h"
#include "permc/JIT/Permute.h"

#include <algorithm>
#include <cstdlib>

using namespace permc;
using namespace permc::fuzz;

static Verdict wrong(const std::string &message) {
  return {Verdict::Wrong, message};
}

/// Views that not every version takes: a stride that is not positive.
static bool hasOddStrides(const Case &one) {
  for (const auto &strides : {one.srcStrides, one.dstStrides})
    if (strides && std::ranges::any_of(
                       *strides, [](int64_t stride) { return stride <= 0; }))
      return true;
  return false;
}

Result<Request> CaseRunner::requestFor(const Case &one,
                                       const std::string &name) {
  auto tensor = parseTensor(spellTensor(one));
  if (!tensor)
    return tensor.error();
  auto convention = parseConvention(one.convention);
  if (!convention)
    return convention.error();
  auto target = findTarget(one.target);
  if (!target)
    return target.error();
  const PermuteSpec spec = {*tensor,     spellOrder(one), *convention,
                            one.inverse, one.srcStrides,  one.dstStrides};
  if (one.isDynamic()) {
    auto resolved = resolveDynamic(spec);
    if (!resolved)
      return resolved.error();
    return makeRequest(name, resolved->problem, tensor->element.name, *target,
                       one.specialized);
  }
  auto resolved = resolve(spec);
  if (!resolved)
    return resolved.error();
  Request request = {name, resolved->problem, tensor->element.name, *target,
                     one.schedule};
  request.unaligned = one.unaligned;
  return request;
}

Verdict CaseRunner::check(const Case &one) {
  auto request = requestFor(one, "k");
  if (!request)
    return {hasOddStrides(one) ? Verdict::Refused : Verdict::Wrong,
            std::string(refusedPrefix) + request.error().message};
  // What is to be run is planned then; programs are made of many cases.
  const bool written = !one.schedule.empty() || !one.unaligned.empty();
  if (one.isDynamic() || (!written && one.api != Api::Program))
    return {};
  auto decided = ownCompiler.decide(*request);
  if (decided)
    return {};
  const bool may =
      !one.schedule.empty() && decided.error().cause == Cause::BadSchedule;
  return {may ? Verdict::Refused : Verdict::Wrong,
          std::string(refusedPrefix) + decided.error().message};
}

Verdict CaseRunner::run(const Case &one) {
  if (Verdict verdict = check(one); verdict.kind != Verdict::Right)
    return verdict;
  switch (one.api) {
  case Api::Plan:
    return runPlan(one);
  case Api::Shim:
    return runShim(one);
  case Api::Program:
    return runPrograms(ownCompiler, {one}).verdict;
  default:
    return runKernel(one);
  }
}

//===----------------------------------------------------------------------===//
// Kernels of one's own
//===----------------------------------------------------------------------===//

/// The call of a kernel by what it says of itself.
static Call callOf(const permc_kernel &kernel, const Run &run) {
  return [&](const void *src, void *dst, uint32_t part, uint32_t parts) {
    const int64_t *dims = run.dims.data();
    if (kernel.dynamic_dims == 0 && parts == 0)
      kernel.run(src, dst);
    else if (kernel.dynamic_dims == 0)
      kernel.run_part(src, dst, part, parts);
    else if (parts == 0)
      kernel.run_dynamic(src, dst, dims);
    else
      kernel.run_dynamic_part(src, dst, dims, part, parts);
    return std::string();
  };
}

/// The JIT's own threads instead, where a run is not in parts.
static Call callWithThreads(const Kernel &kernel, const Run &run) {
  return [&](const void *src, void *dst, uint32_t, uint32_t) {
    RunOptions options;
    options.threads = run.threads;
    Status ok = permc::run(kernel, src, dst, options);
    return ok ? std::string() : "not run: " + ok.error().message;
  };
}

/// Kernels take where buffers begin, whatever is the first element.
static Call fromLowest(const Call &call, const Moves &moves) {
  return [&](const void *src, void *dst, uint32_t part, uint32_t parts) {
    return call(static_cast<const char *>(src) + moves.src.low,
                static_cast<char *>(dst) + moves.dst.low, part, parts);
  };
}

Verdict CaseRunner::runKernel(const Case &one) {
  auto request = requestFor(one, "k");
  if (!request)
    return wrong(request.error().message);
  if (!jit) {
    JitOptions options;
    options.cacheBytes = int64_t(1) << 30; // the small world's, for one element
    auto made = Jit::create(options);
    if (!made)
      return wrong("no JIT: " + made.error().message);
    jit = std::move(*made);
  }
  Result<Kernel> kernel = Error{Cause::Internal, ""};
  if (one.api == Api::Jit && !request->dynamic) {
    kernel = jit->compile(*request);
  } else {
    auto object = ownCompiler.compile({*request}, Emit::Object);
    if (!object)
      return wrong("not compiled: " + object.error().message);
    kernel = jit->load(object->bytes, "k");
  }
  if (!kernel)
    return wrong("no kernel: " + kernel.error().message);
  for (const Run &run : one.runs) {
    const bool byThreads = one.api == Api::Jit && run.parts == 0 &&
                           run.threads > 1 && !request->dynamic;
    const Call call = byThreads ? callWithThreads(*kernel, run)
                                : callOf(kernel->describe(), run);
    const Moves moves = movesOf(one, run);
    if (std::string why = checkCall(moves, run, fromLowest(call, moves));
        !why.empty())
      return wrong(why);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The C APIs
//===----------------------------------------------------------------------===//

static const int64_t *dataOf(const std::optional<Ints> &list) {
  return list ? list->data() : nullptr;
}

Verdict CaseRunner::runPlan(const Case &one) {
  permc_problem problem = {};
  problem.size = sizeof problem;
  problem.rank = uint32_t(one.shape.size());
  problem.element_bytes = uint64_t(one.element);
  problem.shape = one.shape.data();
  problem.perm = one.order.data();
  problem.src_strides = dataOf(one.srcStrides);
  problem.dst_strides = dataOf(one.dstStrides);
  for (const Run &run : one.runs) {
    permc_plan_options options = {};
    options.size = sizeof options;
    options.threads = run.threads;
    options.target = one.target.c_str();
    permc_plan *plan = nullptr;
    if (permc_plan_create(nullptr, &problem, &options, &plan) != PERMC_OK)
      return wrong(std::string("no plan: ") + permc_last_error());
    const Call call = [&](const void *src, void *dst, uint32_t part,
                          uint32_t parts) -> std::string {
      const permc_status status =
          parts == 0 ? permc_plan_run(plan, src, dst)
                     : permc_plan_run_part(plan, src, dst, part, parts);
      return status == PERMC_OK ? "" : permc_last_error();
    };
    const std::string why = checkCall(movesOf(one, run), run, call);
    permc_plan_release(plan);
    if (!why.empty())
      return wrong(why);
  }
  return {};
}

Verdict CaseRunner::runShim(const Case &one) {
  // Read when the first tensor of the process is permuted.
  setenv("PERMC_RT_TARGET", one.target.c_str(), /*overwrite=*/1);
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  permc_rt_get_statistics(&statistics);
  if (statistics.target != one.target)
    return {Verdict::Refused,
            std::string("the shim uses its kernels for ") + statistics.target};
  for (const Run &run : one.runs) {
    const Call call = [&](const void *src, void *dst, uint32_t,
                          uint32_t) -> std::string {
      const permc_status status = permc_rt_permute(
          src, dst, uint32_t(one.shape.size()), one.shape.data(),
          one.order.data(), dataOf(one.srcStrides), dataOf(one.dstStrides),
          uint64_t(one.element), run.threads);
      return status == PERMC_OK ? "" : permc_rt_last_error();
    };
    const std::string why = checkCall(movesOf(one, run), run, call);
    if (!why.empty())
      return wrong(why);
  }
  return {};
}
