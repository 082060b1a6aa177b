//===- GenericRun.cpp - carry a generic plan out --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace permc;

namespace {

constexpr intptr_t line = 64;

/// Streamed lines are seen in order only after a fence.
void fenceStreams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// Copies a run past the cache: whole lines of dst are streamed, what is left
/// of the first and the last line is stored.
void streamRun(GenericKernel streamLine, const char *src, char *dst,
               intptr_t bytes) {
  intptr_t head = -reinterpret_cast<intptr_t>(dst) & (line - 1);
  head = std::min(head, bytes);
  intptr_t whole = (bytes - head) & -line;
  std::memcpy(dst, src, size_t(head));
  if (whole > 0) {
    KernelCall call;
    call.loops[1] = {.size = whole, .step = line, .src = 1, .dst = 1};
    streamLine(src + head, dst + head, &call);
  }
  intptr_t done = head + whole;
  std::memcpy(dst + done, src + done, size_t(bytes - done));
}

/// The loops of a plan, at one unit.
class Nest {
public:
  Nest(const GenericPlan &plan, const char *src, char *dst, int64_t unit)
      : plan(plan), src(src), dst(dst), call(plan.call) {
    call.rows = plan.rows;
    call.columns = plan.columns;
    for (unsigned i = plan.loopCount; i-- > 0;) {
      const NestLoop &loop = plan.loops[i];
      places[i] = unit % loop.count;
      unit /= loop.count;
      this->src += places[i] * loop.src;
      this->dst += places[i] * loop.dst;
      setRange(i);
    }
  }

  void next() {
    for (unsigned i = plan.loopCount; i-- > 0;) {
      const NestLoop &loop = plan.loops[i];
      src += loop.src;
      dst += loop.dst;
      if (++places[i] < loop.count)
        return setRange(i);
      src -= loop.count * loop.src;
      dst -= loop.count * loop.dst;
      places[i] = 0;
      setRange(i);
    }
  }

  void callKernel(GenericKernel kernel) const { kernel(src, dst, &call); }

  void streamRuns() const {
    streamRun(plan.line, src, dst, call.loops[1].size);
  }

  /// The columns in panels, the last moved back to end with them.
  void runPanels(char *buffer) {
    KernelLoop &columns = call.loops[1];
    const intptr_t count = columns.size;
    const intptr_t rowBytes = call.loops[0].size * call.loops[0].dst;
    const intptr_t each = std::min<intptr_t>(count, plan.panelColumns);
    columns.size = each;
    for (intptr_t at = 0; at < count; at += each) {
      intptr_t first = std::min(at, count - each);
      plan.kernel(src + first * columns.src, buffer, &call);
      for (intptr_t i = 0; i < each; ++i)
        streamRun(plan.line, buffer + i * plan.panelRowBytes,
                  dst + (first + i) * plan.columnStride, rowBytes);
    }
    columns.size = count;
  }

private:
  void setRange(unsigned i) {
    const NestLoop &loop = plan.loops[i];
    if (loop.ranged >= 0)
      call.loops[loop.ranged].size =
          intptr_t(places[i] + 1 < loop.count ? loop.block : loop.last);
  }

  const GenericPlan &plan;
  const char *src;
  char *dst;
  KernelCall call;
  int64_t places[maxRank + 2];
};

/// Apart from the others: it takes room on the stack.
[[gnu::noinline]] void runPanelUnits(Nest &nest, int64_t units) {
  alignas(line) char buffer[GenericPlan::bufferBytes];
  for (; units > 0; --units, nest.next())
    nest.runPanels(buffer);
  fenceStreams();
}

} // namespace

void permc::runUnits(const GenericPlan &plan, const char *src, char *dst,
                     int64_t first, int64_t end) {
  if (first >= end)
    return;
  Nest nest(plan, src, dst, first);
  switch (plan.body) {
  case GenericPlan::Body::Nothing:
    return;
  case GenericPlan::Body::Kernel: {
    bool streams = plan.aligned && reinterpret_cast<intptr_t>(dst) % line == 0;
    GenericKernel kernel = streams ? plan.aligned : plan.kernel;
    nest.callKernel(kernel);
    for (int64_t unit = first + 1; unit < end; ++unit) {
      nest.next();
      nest.callKernel(kernel);
    }
    if (streams)
      fenceStreams();
    return;
  }
  case GenericPlan::Body::Panels:
    return runPanelUnits(nest, end - first);
  case GenericPlan::Body::StreamRuns:
    for (int64_t unit = first; unit < end; ++unit, nest.next())
      nest.streamRuns();
    fenceStreams();
    return;
  }
}
