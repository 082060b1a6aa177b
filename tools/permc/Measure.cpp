//===- Measure.cpp - the speed of a kernel beside memcpy ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace permc;

namespace {

constexpr int64_t maxBytes = int64_t(1) << 30; ///< of both buffers
constexpr double budgetSeconds = 1.0;
/// Long beside the clock's own cost, short beside a time slice.
constexpr double sampleSeconds = 200e-6;
constexpr size_t minSamples = 3, maxSamples = 1000;

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// One thing to time; a sample is `repeat` calls.
struct Candidate {
  llvm::StringRef name;
  std::function<void()> call;
  int64_t repeat = 1;
  std::vector<double> samples = {};

  double sample() const {
    const double start = now();
    for (int64_t i = 0; i < repeat; ++i)
      call();
    return (now() - start) / double(repeat);
  }
};

/// Loops over the output index, one element at a time. N is the element size,
/// or 0 where it is not one that machines have moves for.
template <size_t N>
void naiveLoop(const LoopDim *dim, const LoopDim *end, size_t elementBytes,
               const char *src, char *dst) {
  if (dim == end) {
    std::memcpy(dst, src, N == 0 ? elementBytes : N);
    return;
  }
  for (int64_t i = 0; i < dim->size; ++i)
    naiveLoop<N>(dim + 1, end, elementBytes, src + i * dim->srcStride,
                 dst + i * dim->dstStride);
}

void naivePermute(const Problem &problem, const std::vector<LoopDim> &dims,
                  const void *src, void *dst) {
  const auto size = static_cast<size_t>(problem.elementBytes());
  const LoopDim *begin = dims.data(), *end = begin + dims.size();
  const auto *from = static_cast<const char *>(src);
  auto *to = static_cast<char *>(dst);
  switch (size) {
  case 1:
    return naiveLoop<1>(begin, end, size, from, to);
  case 2:
    return naiveLoop<2>(begin, end, size, from, to);
  case 4:
    return naiveLoop<4>(begin, end, size, from, to);
  case 8:
    return naiveLoop<8>(begin, end, size, from, to);
  case 16:
    return naiveLoop<16>(begin, end, size, from, to);
  default:
    return naiveLoop<0>(begin, end, size, from, to);
  }
}

using Buffer = std::unique_ptr<void, decltype(&std::free)>;

/// Memory on a page of its own, every page touched.
Buffer allocate(int64_t bytes) {
  constexpr size_t page = 4096;
  const size_t rounded = (size_t(bytes) / page + 1) * page;
  void *memory = std::aligned_alloc(page, rounded);
  if (memory)
    std::memset(memory, 1, rounded);
  return {memory, &std::free};
}

void takeSamples(std::vector<Candidate> &candidates) {
  for (Candidate &candidate : candidates) {
    candidate.call(); // warm the caches
    const double once = std::max(candidate.sample(), 1e-9);
    candidate.repeat = std::max<int64_t>(1, int64_t(sampleSeconds / once));
  }
  const double end = now() + budgetSeconds;
  for (size_t round = 0;
       round < minSamples || (round < maxSamples && now() < end); ++round)
    for (Candidate &candidate : candidates)
      candidate.samples.push_back(candidate.sample());
}

} // namespace

Result<std::vector<Timing>> permc::measure(const Problem &problem,
                                           const Kernel &kernel,
                                           bool withNaiveLoop) {
  if (problem.isEmpty())
    return Error{Cause::Unsupported, "there is nothing to measure: the tensor "
                                     "is empty"};
  const int64_t src = problem.srcSpan(), dst = problem.dstSpan();
  if (src > maxBytes || dst > maxBytes - src)
    return Error{Cause::Unsupported, "not measured: the buffers span " +
                                         std::to_string(src) + " and " +
                                         std::to_string(dst) +
                                         " bytes; expected 1 GiB at most"};
  // Elements of src may overlap; memcpy wants as many bytes as are written.
  const int64_t moved = problem.bytesMoved();
  const Buffer from = allocate(std::max(src, moved)), to = allocate(dst);
  if (!from || !to)
    return Error{Cause::Unsupported, "not measured: no memory"};

  const std::vector<LoopDim> dims = problem.loopDims();
  std::vector<Candidate> candidates;
  candidates.push_back({"kernel", [&] { kernel(from.get(), to.get()); }});
  candidates.push_back(
      {"memcpy", [&] { std::memcpy(to.get(), from.get(), moved); }});
  if (withNaiveLoop)
    candidates.push_back({"naive loop", [&] {
                            naivePermute(problem, dims, from.get(), to.get());
                          }});
  takeSamples(candidates);

  std::vector<Timing> timings;
  for (Candidate &candidate : candidates) {
    std::vector<double> &samples = candidate.samples;
    std::sort(samples.begin(), samples.end());
    timings.push_back(
        {candidate.name, samples.front(), samples[samples.size() / 2]});
  }
  return timings;
}
