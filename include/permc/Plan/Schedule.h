//===- Schedule.h - how a canonical problem is carried out ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is a loop nest round a micro kernel. The micro kernel moves one
// tile: `tile[d]` elements along each dim d of the canonical problem. The
// loops, outermost first, step through the dims; a dim may be stepped through
// twice (once by cache block, once by tile). The first `unitLoops` loops are
// run as one flat counter of units, which keeps code size independent of the
// rank. Parts for threads are ranges of some dims: see Split.h.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_SCHEDULE_H
#define PERMC_PLAN_SCHEDULE_H

#include "permc/Plan/MicroKernel.h"
#include "permc/Plan/Network.h"
#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <optional>
#include <string>
#include <vector>

namespace permc {

/// One loop: through dim `dim` in steps of `step` elements.
struct Loop {
  int64_t dim;
  int64_t step;
  bool operator==(const Loop &) const = default;
};

/// What is streamed goes out in aligned pieces of this many bytes: the lines of
/// the machines that have streaming stores.
inline constexpr int64_t streamLineBytes = 64;

/// Panels are on the stack of whoever calls the kernel.
inline constexpr int64_t maxPanelBytes = 64 << 10;

/// Rows of a panel that is not streamed are copied by straight-line code.
inline constexpr int64_t maxCopiedRowBytes = 1 << 10;

/// More nested loops than this go into the flat counter: code size must not
/// grow with the rank.
inline constexpr size_t maxNestedLoops = 6;

/// A buffer that tiles are put together in, and whose rows then go to dst.
struct Panel {
#define PERMC_PANEL_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"

  bool operator==(const Panel &) const = default;
};

/// What is prefetched beside the moves of tiles and runs.
struct Prefetch {
#define PERMC_PREFETCH_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"

  bool operator==(const Prefetch &) const = default;
};

struct Schedule {
  MicroKernel kernel;
  /// Elements of each dim (in output order) that one micro kernel moves.
  Dims tile;
  /// Outermost first. A dim's last loop steps by the dim's tile. The last step
  /// of a loop that does not divide is moved back so that it ends with the dim.
  std::vector<Loop> loops;
  unsigned unitLoops = 0;
  int64_t vectorBytes = 0; ///< width of the micro kernel's moves
  std::optional<Panel> panel;
  Prefetch prefetch;

#define PERMC_STORES_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"

  bool operator==(const Schedule &) const = default;
};

/// Calls `visit` with the key and the value of each field of ScheduleFields.def
/// that the schedule has.
template <typename ScheduleType, typename Visit>
void visitFields(ScheduleType &schedule, Visit visit) {
  std::visit([&](auto &kernel) { micro::visitFields(kernel, visit); },
             schedule.kernel);
#define PERMC_PANEL_FIELD(type, member, key)                                   \
  if (schedule.panel)                                                          \
    visit(key, schedule.panel->member);
#define PERMC_PREFETCH_FIELD(type, member, key)                                \
  visit(key, schedule.prefetch.member);
#define PERMC_STORES_FIELD(type, member, key) visit(key, schedule.member);
#include "permc/Plan/ScheduleFields.def"
}

/// As a schedule's text has it.
std::string kernelName(const Schedule &schedule);

/// The micro kernel of a schedule if it is a `Kernel` or of a kind of it, such
/// as a BlockCopy, which is a Copy; null if it is another.
template <typename Kernel, typename ScheduleType>
auto *getIf(ScheduleType &schedule) {
  using Found =
      std::conditional_t<std::is_const_v<ScheduleType>, const Kernel, Kernel>;
  return std::visit(
      [](auto &kernel) -> Found * {
        if constexpr (std::derived_from<std::remove_cvref_t<decltype(kernel)>,
                                        Kernel>)
          return &kernel;
        else
          return nullptr;
      },
      schedule.kernel);
}

template <typename Kernel> bool is(const Schedule &schedule) {
  return getIf<Kernel>(schedule) != nullptr;
}

/// What a schedule says of a `Kernel`: nothing if its own is another.
template <typename Kernel> const Kernel &fieldsOf(const Schedule &schedule) {
  static const Kernel nothing;
  const Kernel *kernel = getIf<Kernel>(schedule);
  return kernel ? *kernel : nothing;
}

/// Where the loops of the nest end: its panels, or tiles.
inline const Dims &innermost(const Schedule &schedule) {
  return schedule.panel ? schedule.panel->extent : schedule.tile;
}

/// Whether a schedule moves runs: what is contiguous on both sides.
inline bool copiesRuns(const Schedule &schedule) {
  return is<micro::Copy>(schedule);
}

/// Whether vectors are of whatever length the machine has.
inline bool isScalable(const Schedule &schedule) {
  return fieldsOf<micro::Copy>(schedule).scalable ||
         fieldsOf<micro::Interleave>(schedule).scalable;
}

/// Whether vectors are moved two at a time.
inline bool movesVectorPairs(const Schedule &schedule) {
  return fieldsOf<micro::TileTranspose>(schedule).vectorPairs ||
         fieldsOf<micro::Interleave>(schedule).vectorPairs;
}

/// What both sides must be aligned to for words to be moved in pairs; 0: they
/// are not.
inline int64_t pairAlignment(const Schedule &schedule) {
  return fieldsOf<micro::WordMoves>(schedule).pairAlignment;
}

/// Bytes of a row that a tile of stepping words loads at once.
inline constexpr int64_t steppedLoad = 16;

/// Whether a schedule's tiles are of stepping words: rows are loaded four of
/// them at a time, columns stored in pairs.
inline bool stepsWords(const Schedule &schedule) {
  return is<micro::TileTranspose>(schedule) &&
         4 * pairAlignment(schedule) == steppedLoad &&
         schedule.vectorBytes == steppedLoad;
}

/// Whether the micro kernel is a network of moves whose places are all known:
/// not a loop of its own, a stream or steps.
inline bool hasFixedMoves(const Schedule &schedule) {
  return is<micro::FixedMoves>(schedule) && !isScalable(schedule) &&
         !schedule.streaming &&
         !fieldsOf<micro::TileTranspose>(schedule).stepping;
}

/// The schedule for a canonical problem on a machine.
Schedule chooseSchedule(const Problem &canonical, const TargetFacts &facts);

/// A schedule must visit every element once (or again with the same value) and
/// stay within both buffers.
Status checkSchedule(const Problem &canonical, const Schedule &schedule);

/// Whether a schedule's tile, streamed without a panel, is one contiguous run
/// of some lines: then it is streamed wherever dst begins.
Status checkStreamedRun(const Problem &canonical, const Schedule &schedule);

/// Whether the strides of a problem are those in memory, or stand for others
/// that are known at run time only. What lies between the rows of a tile can be
/// read in the first case.
enum class Places { Exact, Nominal };

/// The moves of one micro kernel, relative to the tile's first element. Fails
/// only if the network does not prove to move the tile as the problem says.
Result<Network> tileNetwork(const Problem &canonical, const Schedule &schedule,
                            Places places = Places::Exact);

/// The moves of a tile that are only to be counted. What is chosen is proven by
/// checkSchedule.
Result<Network> unprovenNetwork(const Problem &canonical,
                                const Schedule &schedule);

/// Whether all tiles start at multiples of `alignment` from the start of src
/// and of dst.
bool startsAligned(const Problem &canonical, const Schedule &schedule,
                   int64_t alignment);

/// The schedule of the second version of a kernel that moves pairs of words.
Schedule wordByWord(const Schedule &schedule);

/// The streams of an Interleave schedule's tile.
Result<InterleaveTile> interleaveTile(const Problem &canonical,
                                      const Schedule &schedule);

/// Columns that are each gathered from the rows of src and stored as a run.
struct GatherTile {
  struct Column {
    int64_t src, dst; ///< where it starts on both sides
  };
  std::vector<Column> columns;
  int64_t rows;      ///< elements of a column
  int64_t rowStride; ///< how far apart in src
  int64_t elementBytes;
  int64_t perGather; ///< elements of one vector
};

/// The columns of a Gather schedule's tile. An element wider than a byte must
/// be aligned to its size in src: where src is not, and for targets without
/// gathers, the moves of tileNetwork do the same.
Result<GatherTile> gatherTile(const Problem &canonical,
                              const Schedule &schedule);

/// Whether a streaming schedule stores its tiles straight from registers: each
/// is then made of whole lines of an aligned dst. Otherwise it streams runs.
bool streamsTiles(const Problem &canonical, const Schedule &schedule);

/// A schedule with panels is carried out in two stages: a panel is a problem of
/// its own, from src to the buffer, with the schedule's tiles; then its rows
/// are copied.
struct PanelStage {
  Problem problem;   ///< dst strides are the buffer's
  Schedule schedule; ///< without panel
  /// The dims of the whole that the panel's own are, in the panel's order.
  std::vector<size_t> dims;
  /// The dims of the whole that tell the rows of a panel apart, slowest first:
  /// the order in which the rows lie in the buffer.
  std::vector<size_t> columnDims;
  /// The dims of the whole that tell apart what a panel reads in one stretch
  /// each, fastest first.
  std::vector<size_t> stretchDims;
  Dims extent; ///< elements of each dim that the buffer holds
  /// The slowest dim of the whole that a row goes along: the next panel may go
  /// on with it.
  std::optional<size_t> rowDim;
  /// With whole lines: the dim along which rows go on in the next panel, and
  /// how many of its elements make a line or more.
  std::optional<size_t> open;
  int64_t lineUnits = 0;
  int64_t stretchBytes; ///< of src that are contiguous
  int64_t rowBytes;     ///< of one row of a panel
  int64_t rowStride;    ///< in the buffer
  int64_t bufferBytes;
};
PanelStage panelStage(const Problem &canonical, const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_SCHEDULE_H
