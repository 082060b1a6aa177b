//===- GenericRun.cpp - carry a generic plan out --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"

#include <algorithm>

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

/// The loops of a plan, at one unit: the first to begin with.
class Nest {
public:
  Nest(const GenericPlan &plan, const char *src, char *dst)
      : plan(plan), src(src), dst(dst), call(plan.call) {
    call.rows = plan.rows;
    call.columns = plan.columns;
    for (unsigned i = 0; i < plan.loopCount; ++i) {
      places[i] = 0;
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

  void streamBlock() const {
    KernelCall block;
    block.bytes = call.loops[1].size;
    plan.kernel(src, dst, &block);
  }

  /// The columns in panels, the last moved back to end with them.
  void runPanels(char *buffer) {
    KernelLoop &columns = call.loops[1];
    const intptr_t count = columns.size;
    const intptr_t rowBytes = call.loops[0].size * call.loops[0].dst;
    const intptr_t each = std::min<intptr_t>(count, plan.panelColumns);
    columns.size = each;
    KernelCall rows;
    rows.bytes = rowBytes;
    if (plan.panelIsRun)
      rows.bytes = each * intptr_t(plan.columnStride);
    else
      setColumns(rows, each);
    const KernelLoop &repeat = plan.repeat;
    for (intptr_t at = 0; at < count; at += each) {
      intptr_t first = std::min(at, count - each);
      if (at + each < count)
        fetch(std::min(at + each, count - each) * columns.src,
              each * columns.src);
      char *to = dst + first / plan.innerColumns * plan.columnStride;
      if (plan.asksForRowEnds)
        fetchRowEnds(to, rows);
      for (intptr_t i = 0; i < repeat.size; ++i)
        plan.kernel(src + first * columns.src + i * repeat.src,
                    buffer + i * repeat.dst, &call);
      plan.stream(buffer, to, &rows);
    }
    columns.size = count;
  }

private:
  /// The loops that stream a panel of so many columns.
  void setColumns(KernelCall &rows, intptr_t columns) const {
    const auto inner = intptr_t(plan.innerColumns);
    const auto rowBytes = intptr_t(plan.panelRowBytes);
    rows.loops[0] = {.size = inner,
                     .src = rowBytes,
                     .dst = intptr_t(plan.innerColumnStride)};
    rows.loops[1] = {.size = columns / inner,
                     .src = rowBytes * inner,
                     .dst = intptr_t(plan.columnStride)};
  }

  /// What rows do not fill of their first and last line has to be read.
  static void fetchRowEnds(const char *to, const KernelCall &rows) {
    const KernelLoop &inner = rows.loops[0], &outer = rows.loops[1];
    for (intptr_t i = 0; i < outer.size; ++i)
      for (intptr_t j = 0; j < inner.size; ++j) {
        const char *row = to + i * outer.dst + j * inner.dst;
        __builtin_prefetch(row, 1);
        __builtin_prefetch(row + rows.bytes - 1, 1);
      }
  }

  /// Asks for what the next panel reads: `bytes` bytes of each row.
  void fetch(intptr_t offset, intptr_t bytes) const {
    const KernelLoop &rows = call.loops[0];
    for (intptr_t i = 0; i < plan.repeat.size; ++i) {
      const char *first = src + offset + i * plan.repeat.src;
      for (intptr_t row = 0; row < rows.size; ++row) {
        const char *at = first + (rows.rows ? call.rows[row] : row * rows.src);
        for (intptr_t byte = 0; byte < bytes; byte += line)
          __builtin_prefetch(at + byte);
      }
    }
  }

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
}

} // namespace

void permc::runGenericPlan(const GenericPlan &plan, const char *src,
                           char *dst) {
  if (plan.body == GenericPlan::Body::Nothing)
    return;
  Nest nest(plan, src, dst);
  bool streams = plan.aligned && reinterpret_cast<intptr_t>(dst) % line == 0;
  if (plan.body == GenericPlan::Body::Panels) {
    runPanelUnits(nest, plan.units);
  } else if (plan.body == GenericPlan::Body::StreamBlocks) {
    for (int64_t unit = 0; unit < plan.units; ++unit, nest.next())
      nest.streamBlock();
  } else {
    GenericKernel kernel = streams ? plan.aligned : plan.kernel;
    nest.callKernel(kernel);
    for (int64_t unit = 1; unit < plan.units; ++unit) {
      nest.next();
      nest.callKernel(kernel);
    }
  }
  if (streams || plan.fences)
    fenceStreams();
}
