//===- GenericRun.cpp - carry a generic plan out --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"

#include "permc/Plan/Panel.h"

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

/// The loops of a plan, at one unit: the first to begin with.
class Nest {
public:
  Nest(const GenericPlan &plan, const char *src, char *dst)
      : plan(plan), src(src), dst(dst), call(plan.call) {
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

  void callKernel() const { plan.kernel(src, dst, &call); }

  void streamBlock() const {
    KernelCall block;
    block.bytes = call.loops[1].size;
    plan.kernel(src, dst, &block);
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

void callUnits(const GenericPlan &plan, const char *src, char *dst) {
  if (plan.units == 1)
    return plan.kernel(src, dst, &plan.call);
  Nest nest(plan, src, dst);
  nest.callKernel();
  for (int64_t unit = 1; unit < plan.units; ++unit) {
    nest.next();
    nest.callKernel();
  }
}

void streamBlocks(const GenericPlan &plan, const char *src, char *dst) {
  Nest nest(plan, src, dst);
  for (int64_t unit = 0; unit < plan.units; ++unit, nest.next())
    nest.streamBlock();
}

/// Where the pieces of a block are, one after the other: the first to begin
/// with.
class PieceWalk {
public:
  explicit PieceWalk(const PieceLoops &pieces) : pieces(pieces) {
    std::fill_n(places, pieces.count, 0);
  }

  void next() {
    for (unsigned i = 0; i < pieces.count; ++i) {
      const BlockLoop &loop = pieces.loops[i];
      src += loop.src;
      dst += loop.dst;
      if (++places[i] < loop.count)
        return;
      src -= loop.count * loop.src;
      dst -= loop.count * loop.dst;
      places[i] = 0;
    }
  }

  int64_t src = 0, dst = 0; ///< offsets

private:
  const PieceLoops &pieces;
  int64_t places[maxRank + 1];
};

/// The blocks of a plan, one after the other.
template <typename Body> class BlockWalk {
public:
  /// `body` is called with the place of each in src and dst.
  BlockWalk(const BlockNest &blocks, const Body &body)
      : blocks(blocks), body(body) {
    for (unsigned dim = 0; dim < blocks.rank; ++dim) {
      places[dim] = 0;
      ends[dim] = blocks.dims[dim].size;
    }
  }

  void run(const char *src, char *dst) { walk(0, src, dst); }

  /// Blocks begin before this place.
  void endBefore(int dim, int64_t end) { ends[dim] = end; }

  /// Where a block would be that is not moved back, and where it is.
  int64_t wanted(int dim) const { return places[dim]; }
  int64_t place(unsigned dim) const {
    return std::min(places[dim], blocks.last[dim]);
  }
  /// Elements from there to the end of the loops round it.
  int64_t left(unsigned dim) const { return ends[dim] - place(dim); }

private:
  void walk(unsigned level, const char *src, char *dst) {
    if (level == blocks.loopCount)
      return visit(src, dst);
    const Loop &loop = blocks.loops[level];
    int64_t &place = places[loop.dim], &end = ends[loop.dim];
    const int64_t first = place, past = end;
    for (; place < past; place += loop.step) {
      end = std::min(place + loop.step, past);
      walk(level + 1, src, dst);
    }
    place = first;
    end = past;
  }

  void visit(const char *src, char *dst) const {
    for (unsigned dim = 0; dim < blocks.rank; ++dim) {
      src += place(dim) * blocks.dims[dim].srcStride;
      dst += place(dim) * blocks.dims[dim].dstStride;
    }
    body(src, dst, *this);
  }

  const BlockNest &blocks;
  const Body &body;
  int64_t places[maxRank], ends[maxRank];
};

void callBlocks(const GenericPlan &plan, const char *src, char *dst) {
  KernelCall call = plan.call;
  auto move = [&](const char *from, char *to, const auto &walk) {
    for (int loop : {0, 1, 2})
      if (int dim = plan.blocks.kernelDims[loop]; dim >= 0)
        call.loops[loop].size = intptr_t(walk.left(unsigned(dim)));
    plan.kernel(from, to, &call);
  };
  BlockWalk(plan.blocks, move).run(src, dst);
}

/// What rows do not fill of their first and last line has to be read.
void prefetchEnds(const PanelRows &panel, const char *dst) {
  PieceWalk row(panel.rows);
  for (int64_t i = 0; i < panel.rows.pieces; ++i, row.next()) {
    __builtin_prefetch(dst + row.dst, 1, 2);
    __builtin_prefetch(dst + row.dst + panel.bytes - 1, 1, 2);
  }
}

/// Into the second cache: the first holds this panel.
void fetchStretch(const char *src, int64_t bytes) {
  // The last byte may lie in one line more than the first steps reach.
  for (int64_t byte = 0; byte < bytes + line - 1; byte += line)
    __builtin_prefetch(src + byte, 0, 2);
}

/// The part of a panel's rows that goes out: from which byte in the buffer, and
/// how much. It does not begin, or end, with a part of a line unless the row
/// does.
struct RowPart {
  int64_t from = 0, bytes;
  bool isFirst = true, isLast = true;
};

template <typename Walk>
RowPart partOfRows(const GenericPlan &plan, const Walk &walk) {
  const int dim = plan.panel.cutDim;
  if (const int row = plan.panel.rowDim; dim < 0 && row >= 0) {
    // Of a block that was moved back only what is new: the line in which that
    // begins was stored to, and those before it were streamed.
    const int64_t from = (walk.wanted(row) - walk.place(unsigned(row))) *
                         plan.blocks.dims[row].dstStride;
    return {from, plan.panel.bytes - from};
  }
  if (dim < 0)
    return {0, plan.panel.bytes};
  const LoopDim &cut = plan.blocks.dims[dim];
  const int64_t place = walk.wanted(dim), at = walk.place(unsigned(dim)),
                next = place + plan.panel.step;
  const bool isLast = next >= cut.size - plan.panel.line;
  return {(place - at) * cut.dstStride,
          ((isLast ? cut.size : next) - place) * cut.dstStride, place == 0,
          isLast};
}

char *nextLine(char *at) {
  return at + (-reinterpret_cast<intptr_t>(at) & (line - 1));
}

/// With each row comes its share of what the next panel is read from.
void streamRows(const PanelRows &panel, const RowPart &part, const char *buffer,
                char *dst, const char *src) {
  KernelCall call;
  PieceWalk row(panel.rows), stretch(panel.stretches);
  int64_t due = 0;
  for (int64_t i = 0; i < panel.rows.pieces; ++i, row.next()) {
    if (panel.ahead != 0)
      for (due += panel.stretches.pieces; due >= panel.rows.pieces;
           due -= panel.rows.pieces, stretch.next())
        fetchStretch(src + panel.ahead + stretch.src, panel.stretchBytes);
    char *begin = dst + row.dst + part.from, *end = begin + part.bytes;
    if (!part.isFirst)
      begin = nextLine(begin);
    if (!part.isLast)
      end = nextLine(end);
    call.bytes = end - begin;
    const char *from = buffer + row.src + (begin - dst - row.dst);
    if (call.bytes < 2 * line)
      std::memcpy(begin, from, size_t(call.bytes));
    else
      panel.stream(from, begin, &call);
  }
}

/// Apart from the others: it takes room on the stack.
[[gnu::noinline]] void runPanels(const GenericPlan &plan, const char *src,
                                 char *dst) {
  // A page for those that fit one (panelAlignment).
  alignas(pageBytes) char buffer[GenericPlan::bufferBytes];
  const PanelRows &panel = plan.panel;
  auto move = [&](const char *from, char *to, const auto &walk) {
    if (panel.prefetchesEnds)
      prefetchEnds(panel, to);
    callUnits(plan, from, buffer);
    streamRows(panel, partOfRows(plan, walk), buffer, to, from);
  };
  BlockWalk walk(plan.blocks, move);
  // What is left behind the last block is a line at most, and goes with it.
  if (const int dim = panel.cutDim; dim >= 0)
    walk.endBefore(dim, plan.blocks.dims[dim].size - panel.line);
  walk.run(src, dst);
}

[[gnu::noinline]] void runStaged(const GenericPlan &plan, const char *src,
                                 char *dst) {
  alignas(line) char buffer[Staging::bufferBytes];
  auto move = [&](const char *from, char *to, const auto &) {
    plan.kernel(from, buffer, &plan.call);
    plan.staging.out(buffer, to, &plan.staging.call);
  };
  BlockWalk(plan.blocks, move).run(src, dst);
}

} // namespace

void permc::runGenericPlan(const GenericPlan &plan, const char *src,
                           char *dst) {
  if (plan.body == GenericPlan::Body::Nothing)
    return;
  src += plan.srcStart;
  dst += plan.dstStart;
  switch (plan.body) {
  case GenericPlan::Body::Nothing:
    return;
  case GenericPlan::Body::Kernel:
    callUnits(plan, src, dst);
    break;
  case GenericPlan::Body::Blocks:
    callBlocks(plan, src, dst);
    break;
  case GenericPlan::Body::Panels:
    runPanels(plan, src, dst);
    break;
  case GenericPlan::Body::Staged:
    runStaged(plan, src, dst);
    break;
  case GenericPlan::Body::StreamBlocks:
    streamBlocks(plan, src, dst);
    break;
  }
  if (plan.streams)
    fenceStreams();
}
