//===- StreamedPlansTest.cpp - the shim streams whole lines ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test/unit/StreamedLinesTest.cpp asks of compiled kernels is asked of the
// shim's plans here: a line of dst is completed by non-temporal stores, or is
// written by ordinary ones; never both, whoever of the parts writes it.
//
// Kernels that stream are replaced by stand-ins which move nothing and note the
// stretches that they would stream. All else runs as it is and changes bytes of
// dst; so what was changed was stored to, and what was noted was streamed. That
// stand-ins note what kernels write is a test of its own.
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "GenericParts.h"
#include "RandomProblem.h"

#include "gtest/gtest.h"

#include <cstring>
#include <set>
#include <utility>

using namespace permc;

namespace {

constexpr auto line = int64_t{streamLineBytes};
constexpr char untouched = '-', moved = '#';

/// Bytes that begin so far behind a line.
class Buffer {
public:
  Buffer(int64_t bytes, int64_t offset, char fill)
      : offset(offset), memory(size_t(bytes + 3 * line), fill) {
    const auto past = reinterpret_cast<uintptr_t>(memory.data()) % line;
    lines = memory.data() + (past ? line - int64_t(past) : 0);
  }
  /// The line in which they begin.
  char *firstLine() { return lines; }
  char *data() { return lines + offset; }

private:
  const int64_t offset;
  std::vector<char> memory;
  char *lines;
};

//===----------------------------------------------------------------------===//
// Stand-ins
//===----------------------------------------------------------------------===//

/// What stand-ins have noted of one dst.
struct Notes {
  std::set<const char *> lines; ///< that were streamed
  std::string wrong;            ///< the first that was not a whole one
};
Notes notes;

void noteStretch(const char *dst, int64_t bytes) {
  const auto past = reinterpret_cast<uintptr_t>(dst) % line;
  if ((past != 0 || bytes % line != 0) && notes.wrong.empty())
    notes.wrong = std::to_string(bytes) + " bytes are streamed to " +
                  std::to_string(past) + " behind a line";
  for (int64_t at = 0; at < bytes; at += line)
    notes.lines.insert(dst + at - past);
}

/// Ends go by ordinary stores (KernelEmitter::emitStream).
void noteRun(char *dst, int64_t bytes) {
  const int64_t head = -reinterpret_cast<intptr_t>(dst) & (line - 1);
  if (head != 0 && bytes < 2 * line && notes.wrong.empty())
    notes.wrong = "a run of " + std::to_string(bytes) +
                  " bytes that does not start with a line is streamed";
  const int64_t whole = (bytes - head) / line * line;
  std::memset(dst, moved, size_t(head));
  noteStretch(dst + head, whole);
  std::memset(dst + head + whole, moved, size_t(bytes - head - whole));
}

/// The stretches that one tile streams.
void noteTile(const GenericKernelInfo &kernel, char *dst,
              const intptr_t *columns, const KernelCall &call) {
  const int64_t column = int64_t{kernel.rows} * kernel.element;
  switch (kernel.family) {
  case KernelFamily::Stream:
    return noteRun(dst, call.bytes);
  case KernelFamily::Run:
    return noteStretch(dst, column);
  case KernelFamily::Join:
    return noteStretch(dst, column * kernel.columns);
  case KernelFamily::Transpose:
  case KernelFamily::Split:
    for (int i = 0; i < kernel.columns; ++i)
      noteStretch(dst + columns[i], column);
  }
}

/// The places of a loop, the last moved back.
template <typename Body> void forEach(const KernelLoop &loop, Body body) {
  body(intptr_t{0});
  for (intptr_t at = loop.step; at < loop.size; at += loop.step)
    body(std::min(at, loop.size - loop.step));
}

/// The loops of GenericKernel.h.
void noteCall(const GenericKernelInfo &kernel, char *dst,
              const KernelCall &call) {
  const auto &[outer, inner, batch] = call.loops;
  for (intptr_t b = 0; b < batch.size; ++b)
    forEach(outer, [&](intptr_t i) {
      forEach(inner, [&](intptr_t j) {
        const auto *columns = reinterpret_cast<const char *>(call.columns) +
                              i * outer.columns + j * inner.columns;
        noteTile(kernel, dst + b * batch.dst + i * outer.dst + j * inner.dst,
                 reinterpret_cast<const intptr_t *>(columns), call);
      });
    });
}

/// A set whose streaming kernels are stand-ins.
class NotingSet {
public:
  explicit NotingSet(const GenericKernelSet &set)
      : list(set.kernels, set.kernels + set.count) {
    streaming.clear();
    for (GenericKernelInfo &kernel : list)
      if (kernel.streaming || kernel.family == KernelFamily::Stream) {
        streaming.push_back(kernel);
        kernel.run = standIns.at(streaming.size() - 1);
      }
    changed = {set.target, set.facts, list.data(), list.size()};
  }
  const GenericKernelSet &set() const { return changed; }
  /// The kernels that were replaced.
  static const std::vector<GenericKernelInfo> &replaced() { return streaming; }
  static GenericKernel standIn(size_t number) { return standIns.at(number); }

private:
  // A kernel is a function: one for each number.
  template <size_t number>
  static void note(const char *, char *dst, const KernelCall *call) {
    noteCall(streaming[number], dst, *call);
  }
  template <size_t... numbers>
  static std::vector<GenericKernel>
  makeStandIns(std::index_sequence<numbers...>) {
    return {note<numbers>...};
  }

  static inline std::vector<GenericKernelInfo> streaming;
  static inline const std::vector<GenericKernel> standIns =
      makeStandIns(std::make_index_sequence<200>());
  std::vector<GenericKernelInfo> list;
  GenericKernelSet changed;
};

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

class StreamedPlans : public testing::TestWithParam<size_t> {
protected:
  StreamedPlans()
      : real(*KernelTable::allSets()[GetParam()]), noting(real),
        kernels(noting.set()) {
    // Small tensors are streamed: there is less to look at.
    kernels.facts.l3Bytes = 4 << 10;
    kernels.facts.l1Bytes = 8 << 10;
    kernels.facts.l2Bytes = 32 << 10;
  }

  void SetUp() override {
    if (!cpuCanRun(kernels.target) || !kernels.stream())
      GTEST_SKIP() << "this CPU cannot run the kernels for " << kernels.target
                   << ", or they cannot store past the caches";
  }

  /// One call of the shim as a whole and one in parts, for several places of
  /// dst.
  void check(const Problem &problem) {
    FixedProblem canonical(problem);
    canonicalize(canonical, kernels.facts.foldLimit);
    for (int64_t offset : {0, 16, 52})
      for (uint32_t parts : {1, 5}) {
        SCOPED_TRACE(spellShape(problem.shape()) + " of " +
                     std::to_string(problem.elementBytes()) + " by " +
                     spellList(problem.perm()) + ", strides " +
                     spellList(problem.srcByteStrides()) + " and " +
                     spellList(problem.dstByteStrides()) + ", dst " +
                     std::to_string(offset) + " behind a line, " +
                     std::to_string(parts) + " parts");
        notes = Notes();
        Buffer src(problem.srcSpan(), 0, moved),
            dst(problem.dstSpan(), offset, untouched);
        run(canonical, src.data(), dst.data(), parts);
        ASSERT_EQ(notes.wrong, "");
        ASSERT_NO_FATAL_FAILURE(checkLines(problem, dst));
        streamed += !notes.lines.empty() && offset == 0 && parts == 1;
      }
  }

  void run(const FixedProblem &canonical, const char *src, char *dst,
           uint32_t parts) {
    if (parts == 1) {
      makeGenericPlan(canonical, kernels, plan, startsLine(dst));
      return runGenericPlan(plan, src, dst);
    }
    const GenericParts split(canonical, kernels);
    for (uint32_t part = 0; part < parts; ++part)
      split.run(src, dst, part, parts);
  }

  /// No line was streamed and stored to, and no byte got neither.
  void checkLines(const Problem &problem, Buffer &dst) {
    int64_t changed = 0;
    const char *const end = dst.data() + problem.dstSpan() + line;
    for (const char *at = dst.firstLine(); at + line <= end; at += line) {
      const auto stored = line - std::count(at, at + line, untouched);
      const bool isStreamed = notes.lines.contains(at);
      ASSERT_FALSE(isStreamed && stored != 0)
          << "the line " << at - dst.firstLine()
          << " bytes behind that of dst is streamed, and " << stored
          << " bytes of it are stored to";
      changed += isStreamed ? line : stored;
    }
    ASSERT_EQ(changed, problem.bytesMoved());
  }

  const GenericKernelSet &real;
  const NotingSet noting;
  KernelTable kernels;
  GenericPlan plan;
  int streamed = 0; ///< problems
};

/// Planes that are interleaved and taken apart.
TEST_P(StreamedPlans, OfPlanes) {
  for (int64_t element : {1, 2, 3, 4, 8, 12, 16})
    for (int64_t planes : {2, 3, 5, 8, 12, 20, 28, 56})
      for (int64_t length : {904, 1003, 1024}) {
        check(*Problem::make(element, {planes, length}, {1, 0}));
        check(*Problem::make(element, {length, planes}, {1, 0}));
        if (HasFatalFailure())
          return;
      }
  EXPECT_GT(streamed, 200);
}

TEST_P(StreamedPlans, OfBatches) {
  for (int64_t element : {1, 2, 4, 8})
    for (int64_t planes : {3, 6, 10, 16}) {
      check(*Problem::make(element, {4, planes, 400}, {0, 2, 1}));
      check(*Problem::make(element, {2, planes, 25, 32}, {0, 2, 3, 1}));
      check(*Problem::make(element, {96, 24, planes}, {1, 0, 2}));
      check(*Problem::make(element, {24, planes, 128}, {1, 0, 2}));
      if (HasFatalFailure())
        return;
    }
  EXPECT_GT(streamed, 40);
}

TEST_P(StreamedPlans, OfRandomProblems) {
  std::mt19937_64 random(24);
  for (int i = 0; i < 800; ++i) {
    const Problem problem = randomProblem(random, 1 << 13);
    if (!problem.isEmpty() && problem.bytesMoved() <= 128 << 10)
      check(problem);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(streamed, 150);
}

/// Those of machines whose sets are known or not, and that combine stores to
/// lines so far apart badly or do not.
TEST_P(StreamedPlans, OfOtherMachines) {
  for (int64_t ways : {0, 8})
    for (int64_t combining : {0, 64}) {
      kernels.facts.l1Ways = ways;
      kernels.facts.combiningBytes = combining;
      for (int64_t element : {1, 2, 4, 8})
        for (int64_t rows = 500; rows < 580; rows += 11) {
          check(*Problem::make(element, {rows, 37}, {1, 0}));
          check(*Problem::make(element, {3, rows, 19}, {2, 0, 1}));
          check(*Problem::make(element, {512, rows}, {1, 0}));
          if (HasFatalFailure())
            return;
        }
    }
  EXPECT_GT(streamed, 100);
}

//===----------------------------------------------------------------------===//
// What stand-ins know
//===----------------------------------------------------------------------===//

/// Kernels and their stand-ins do the same to a dst whose columns are lines
/// apart, last tiles that are moved back included.
TEST_P(StreamedPlans, AreNotedAsKernelsWrite) {
  constexpr int64_t apart = 1 << 12, most = 64;
  const auto &replaced = NotingSet::replaced();
  ASSERT_GT(replaced.size(), 3u);
  for (size_t number = 0; number < replaced.size(); ++number) {
    const GenericKernelInfo &kernel = replaced[number];
    SCOPED_TRACE("kernel " + std::to_string(number) + ", elements of " +
                 std::to_string(kernel.element) + ", " +
                 std::to_string(kernel.rows) + "x" +
                 std::to_string(kernel.columns));
    std::vector<intptr_t> rows(2 * most), columns(2 * most);
    for (int64_t i = 0; i < 2 * most; ++i)
      rows[size_t(i)] = columns[size_t(i)] = i * apart;
    KernelCall call;
    call.rows = rows.data();
    call.columns = columns.data();
    call.bytes = kernel.family == KernelFamily::Run
                     ? int64_t{kernel.rows} * kernel.element
                     : 5 * line;
    // Columns by the table, the last tile half over the one before it.
    if (kernel.columns > 1 && kernel.family != KernelFamily::Join)
      call.loops[0] = {kernel.columns + kernel.columns / 2,
                       kernel.columns,
                       0,
                       0,
                       0,
                       sizeof(intptr_t)};
    Buffer src(4 * most * apart, 0, moved), dst(4 * most * apart, 0, untouched),
        same(4 * most * apart, 0, untouched);
    notes = Notes();
    NotingSet::standIn(number)(src.data(), dst.data(), &call);
    ASSERT_EQ(notes.wrong, "");
    kernel.run(src.data(), same.data(), &call);
    for (int64_t at = 0; at < 2 * most * apart; at += line) {
      const bool noted = notes.lines.contains(dst.data() + at);
      const auto written =
          std::count(same.data() + at, same.data() + at + line, moved);
      ASSERT_EQ(noted ? line : 0, written) << "line " << at / line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllSets, StreamedPlans,
                         testing::Range(size_t{0},
                                        KernelTable::allSets().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           std::string name =
                               KernelTable::allSets()[info.param]->target;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
