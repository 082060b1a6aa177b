//===- Measure.cpp - the speed of a kernel beside memcpy ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "Sampler.h"

#include <algorithm>
#include <cstring>

using namespace permc;

namespace {
constexpr int64_t maxBytes = int64_t(1) << 30; ///< of both buffers
constexpr double budgetSeconds = 1.0;
} // namespace

Result<MeasuredBuffers> MeasuredBuffers::allocate(const Problem &problem) {
  if (problem.isEmpty())
    return Error{Cause::Unsupported, "there is nothing to measure: the tensor "
                                     "is empty"};
  const int64_t src = problem.srcSpan(), dst = problem.dstSpan();
  if (src > maxBytes || dst > maxBytes - src)
    return Error{Cause::Unsupported, "not measured: the buffers span " +
                                         std::to_string(src) + " and " +
                                         std::to_string(dst) +
                                         " bytes; expected 1 GiB at most "
                                         "for both"};
  // Elements of src may overlap; memcpy wants as many bytes as are written.
  auto from = Buffer::allocate(std::max(src, problem.bytesMoved())),
       to = Buffer::allocate(dst);
  for (const auto *buffer : {&from, &to})
    if (!*buffer)
      return Error{Cause::Unsupported,
                   "not measured: " + buffer->error().message};
  return MeasuredBuffers{std::move(*from), std::move(*to)};
}

Result<std::vector<Timing>> permc::measure(const Problem &problem,
                                           const Kernel &kernel,
                                           StaticLoops::Function loop) {
  auto buffers = MeasuredBuffers::allocate(problem);
  if (!buffers)
    return buffers.error();
  const int64_t moved = problem.bytesMoved();
  const char *source = buffers->src.data();
  char *target = buffers->dst.data();
  std::vector<Competitor> competitors;
  competitors.push_back(compete("kernel", [=] { kernel(source, target); }));
  competitors.push_back(
      compete("memcpy", [=] { std::memcpy(target, source, size_t(moved)); }));
  if (loop)
    competitors.push_back(compete("C loop", [=] { loop(source, target); }));
  SamplerOptions options;
  options.budgetSeconds = budgetSeconds;
  std::vector<Timing> timings;
  for (const Samples &samples : takeSamples(competitors, options))
    timings.push_back({samples.name, samples.best(), samples.median()});
  return timings;
}
