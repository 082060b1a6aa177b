//===- ChooseVariants.cpp - the variants of a dynamic problem -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variants are tried from the most demanding to the one that always works:
//
//   streamed lines   large tensors whose dst rows are whole lines
//   streamed         large tensors
//   tiles of lines   dims of at least a tile, dst rows of whole lines
//   tiles            dims of at least a tile
//   small tiles      dims of at least a few elements
//   elements         any dims: static ones still in tiles
//
// A dynamic dim that could be part of a tile has a large nominal size, so that
// the schedule has all its loops. Its nominal size is a prime times what is
// known to divide it: then a schedule can rely on a division only where it
// holds for every size. Strides that are not those of a dense tensor have
// nominal values too: they leave gaps, and only those of the element's own size
// are contiguous. Nothing is streamed then.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Variants.h"

#include "permc/Plan/UnalignedSchedule.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace permc;

namespace {

/// Nominal sizes of dims that tiles may cut. Larger than any step of a loop.
constexpr int64_t largePrime = 1048583;
/// If many of these would not fit 63 bits.
constexpr int64_t mediumPrime = 4099;
/// Times what divides into whole lines.
constexpr int64_t largePrimeOfLines = 65537;
/// Nominal size of all other dynamic dims: loops outside of all tiles. So small
/// that one such dim alone makes no other dim much nearer (cachedDistance), for
/// its real size may be 2.
constexpr int64_t smallPrime = 7;

/// A dynamic run is copied in pieces of this size, the last one moved back over
/// its neighbour: large pieces would copy much of a short run twice.
constexpr int64_t dynamicRunBytes = 128;

/// Streamed runs are copied in larger pieces: the first and the last line of
/// each may not be whole.
constexpr int64_t streamedRunBytes = 4 << 10;

/// Elements of a small tile along a dynamic dim.
constexpr int64_t smallTile = 4;

/// Whether a dynamic size has `bound` elements wherever the guards hold.
bool isAtLeast(const std::vector<Guard> &guards, const DynamicSize &size,
               int64_t bound) {
  if (bound <= size.factor)
    return true;
  return std::any_of(guards.begin(), guards.end(), [&](const Guard &guard) {
    return guard.kind == Guard::Kind::AtLeast && guard.size == size &&
           guard.bound >= bound;
  });
}

/// Whether all of `others` hold wherever `guards` do.
bool implies(const std::vector<Guard> &guards,
             const std::vector<Guard> &others) {
  return std::all_of(others.begin(), others.end(), [&](const Guard &other) {
    return std::any_of(guards.begin(), guards.end(), [&](const Guard &guard) {
      if (guard.kind != other.kind || guard.size != other.size)
        return false;
      return other.kind == Guard::Kind::AtLeast
                 ? guard.bound >= other.bound
                 : guard.bound % other.bound == 0;
    });
  });
}

TargetFacts withoutVectors(TargetFacts facts) {
  facts.vectorBytes = facts.structureBytes = facts.wideShuffleBytes = 0;
  facts.streamingStores = false;
  return facts;
}

/// What a machine has that does with strides known at run time only: networks
/// and single elements. Gathers, vectors of unknown length and words do not.
TargetFacts plainFacts(TargetFacts facts) {
  facts.gatherLoads = facts.scalableVectors = facts.vectorPairs = false;
  facts.ownLastTiles = false;
  facts.l1Ways = facts.l2Ways = 0; // strides are nominal
  facts.vectorsPerStep = facts.vectorsPerLoad = 1;
  facts.tableVectors = 0;
  facts.structuresOfLanes = false;
  facts.vectorReach = facts.pairReach = {};
  if (facts.wordTiles) {
    facts = withoutVectors(facts);
    facts.wordReach = {};
  }
  facts.wordTiles = false;
  return facts;
}

/// Where lines of a strided dst begin nobody knows.
TargetFacts factsFor(const DynamicProblem &problem, const TargetFacts &facts) {
  TargetFacts plain = plainFacts(facts);
  if (!problem.isDense())
    plain.streamingStores = false;
  return plain;
}

/// The dims of one side, the fastest first. Strides that come with a call are
/// taken to be larger than those that are known, and in the order of the dims;
/// so are dims that are repeated.
std::vector<size_t> fastestFirst(const DynamicProblem::Sizes &strides,
                                 bool isDense) {
  std::vector<size_t> order(strides.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (isDense)
    return order;
  auto speed = [&](size_t dim) {
    const int64_t stride = std::abs(strides[dim].factor);
    return std::pair(strides[dim].isStatic() && stride != 0 ? stride
                                                            : INT64_MAX,
                     strides.size() - dim);
  };
  std::ranges::sort(order, {}, speed);
  return order;
}

/// Strides for nominal sizes: as given, if that leaves room for what is faster,
/// or with a gap. Dims that are known to be repeated or reversed are so here,
/// too: all others go forwards. Nothing if they do not fit 63 bits.
std::optional<Dims> nominalStrides(const DynamicProblem::Sizes &strides,
                                   const Dims &sizes, int64_t element,
                                   bool isDense) {
  Dims nominal(strides.size());
  int64_t span = element;
  for (size_t dim : fastestFirst(strides, isDense)) {
    const int64_t factor = strides[dim].factor;
    if (factor == 0)
      continue;
    int64_t stride = span;
    if (!isDense && strides[dim].isStatic() && std::abs(factor) >= span)
      stride = std::abs(factor);
    else if (!isDense && __builtin_add_overflow(span, element, &stride))
      return std::nullopt;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[dim], 1), &span))
      return std::nullopt;
    nominal[dim] = factor < 0 ? -stride : stride;
  }
  return nominal;
}

class Chooser {
public:
  Chooser(const DynamicProblem &problem, const TargetFacts &facts)
      : problem(problem), facts(factsFor(problem, facts)),
        sizes(problem.outShape()), isFast(problem.rank()),
        isDstFast(problem.rank()),
        lineElements(facts.lineBytes /
                     std::gcd(facts.lineBytes, problem.elementBytes())) {
    markFastDims();
  }

  Result<std::vector<Variant>> run() {
    Result<Problem> nominal = nominalProblem(largePrime, largePrime);
    const bool large = bool(nominal);
    if (!large)
      nominal = nominalProblem(mediumPrime, mediumPrime);
    if (!nominal)
      return Error{Cause::Unsupported,
                   "the dynamic dims of " + spellShape(problem.shape()) +
                       " by " + spellList(problem.perm()) +
                       " are too many that do not merge, or the static ones "
                       "too large; expected room for some thousand elements "
                       "along each in 63 bits"};
    if (facts.streamingStores && large)
      addStreamed(*nominal);
    addTiles(*nominal);
    addElements(*nominal);
    if (variants.empty() || !variants.back().guards.empty())
      return Error{Cause::Internal, "no schedule for all sizes of " +
                                        spellShape(problem.shape()) + " by " +
                                        spellList(problem.perm())};
    return std::move(variants);
  }

private:
  /// Dims that a tile may cut are, on either side, the fastest ones up to the
  /// first that is dynamic.
  void markFastDims() {
    const Dims inverse = invertPermutation(problem.perm());
    for (size_t dim :
         fastestFirst(problem.srcByteStrides(), problem.isSrcDense())) {
      isFast[inverse[dim]] = true;
      if (!sizes[inverse[dim]].isStatic())
        break;
    }
    for (size_t dim :
         fastestFirst(problem.dstByteStrides(), problem.isDstDense())) {
      isFast[dim] = isDstFast[dim] = true;
      if (!sizes[dim].isStatic())
        break;
    }
  }

  /// The problem with these sizes, times what is known to divide them, for
  /// dynamic dims that are fast in dst and for those that are fast in src only.
  Result<Problem> nominalProblem(int64_t dstFast, int64_t srcFast) const {
    Dims shape(sizes.size());
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      int64_t prime = isDstFast[dim] ? dstFast
                      : isFast[dim]  ? srcFast
                                     : smallPrime;
      int64_t size = sizes[dim].factor;
      if (!sizes[dim].isStatic() && __builtin_mul_overflow(size, prime, &size))
        size = INT64_MAX;
      shape[problem.perm()[dim]] = size;
    }
    if (problem.isDense())
      return Problem::make(problem.elementBytes(), shape, problem.perm());
    return stridedProblem(shape);
  }

  Result<Problem> stridedProblem(const Dims &shape) const {
    Dims outShape;
    for (int64_t axis : problem.perm())
      outShape.push_back(shape[axis]);
    const int64_t element = problem.elementBytes();
    auto src = nominalStrides(problem.srcByteStrides(), shape, element,
                              problem.isSrcDense());
    auto dst = nominalStrides(problem.dstByteStrides(), outShape, element,
                              problem.isDstDense());
    if (!src || !dst)
      return Error{Cause::SizeOverflow, "nominal strides need more bits"};
    return Problem::makeWithByteStrides(element, shape, problem.perm(), *src,
                                        *dst);
  }

  /// Takes the variant if it is right, unless one before it is run wherever
  /// this one could be.
  void add(const Problem &nominal, Schedule schedule,
           std::vector<Guard> guards = {}, bool dstStartsLine = false) {
    forgetNominalPrefetch(schedule);
    const Dims &least = innermost(schedule);
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (!sizes[dim].isStatic() && !isAtLeast(guards, sizes[dim], least[dim]))
        guards.push_back({Guard::Kind::AtLeast, sizes[dim], least[dim]});
    Variant variant{std::move(guards), nominal, std::move(schedule),
                    dstStartsLine};
    if (std::any_of(variants.begin(), variants.end(),
                    [&](const Variant &before) {
                      return (dstStartsLine || !before.dstStartsLine) &&
                             implies(variant.guards, before.guards);
                    }))
      return;
    if (checkVariant(problem, variant))
      variants.push_back(std::move(variant));
  }

  Guard isLarge() const {
    return {Guard::Kind::AtLeast, problem.bytesMoved(), facts.streamedBytes()};
  }

  /// A problem in which every row of dst is whole lines, if it fits 63 bits,
  /// and what that asks of the dims.
  Result<Problem> nominalLines() const {
    return nominalProblem(lineElements * largePrimeOfLines, largePrime);
  }
  std::vector<Guard> rowsAreLines() const {
    std::vector<Guard> guards;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (!sizes[dim].isStatic() && isDstFast[dim] &&
          sizes[dim].factor % lineElements != 0)
        guards.push_back({Guard::Kind::MultipleOf, sizes[dim], lineElements});
    return guards;
  }

  /// Where lines begin in a nominal row says nothing.
  static Schedule withoutCuts(Schedule schedule) {
    if (schedule.panel)
      schedule.panel->wholeLines = false;
    return schedule;
  }

  void addStreamed(const Problem &nominal) {
    TargetFacts always = facts;
    always.l3Bytes = 0;
    Schedule schedule = withoutCuts(chooseSchedule(nominal, always));
    if (copiesRuns(schedule) && !sizes.back().isStatic())
      return addStreamedRuns(always);
    // Lines of an odd size are whole only where dynamic dims do not matter.
    if (!streamsTiles(nominal, schedule))
      if (Result<Problem> lines = nominalLines()) {
        Schedule ofLines = withoutCuts(chooseSchedule(*lines, always));
        std::vector<Guard> guards = rowsAreLines();
        guards.push_back(isLarge());
        // To another dst rows are streamed as if they were no lines.
        if (streamsTiles(*lines, ofLines))
          add(*lines, std::move(ofLines), std::move(guards),
              /*dstStartsLine=*/schedule.streaming);
      }
    if (!schedule.streaming)
      return;
    auto unaligned = chooseUnaligned(nominal, schedule, always);
    if (unaligned)
      unaligned = withoutCuts(std::move(*unaligned));
    const Guard large = isLarge();
    add(nominal, std::move(schedule), {large},
        /*dstStartsLine=*/unaligned.has_value());
    if (unaligned)
      add(nominal, std::move(*unaligned), {large});
  }

  /// The nominal run is just less than a power of two of pieces, which makes
  /// these a power of two as well.
  void addStreamedRuns(const TargetFacts &always) {
    const int64_t piece = streamedRunBytes / problem.elementBytes();
    if (piece == 0)
      return;
    Result<Problem> nominal = nominalProblem((1024 * piece) - 1, largePrime);
    if (!nominal)
      return;
    Schedule schedule = shrink(chooseSchedule(*nominal, always), piece);
    const Guard large = isLarge();
    if (schedule.streaming && !schedule.panel)
      add(*nominal, std::move(schedule), {large});
  }

  /// A distance along a dynamic stride means nothing; one within a panel's row
  /// or a run does.
  void forgetNominalPrefetch(Schedule &schedule) const {
    if (copiesRuns(schedule) && !schedule.panel)
      return;
    const DynamicProblem::Sizes src = problem.srcByteStrides();
    auto isStep = [&](int64_t bytes) {
      return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
        const DynamicSize &stride = src[problem.perm()[loop.dim]];
        return stride.isStatic() && stride.factor * loop.step == bytes;
      });
    };
    Prefetch &prefetch = schedule.prefetch;
    if (!isStep(prefetch.srcBytes))
      prefetch.srcBytes = 0;
    prefetch.toL2 = prefetch.toL2 && prefetch.srcBytes;
    if (schedule.panel && !isStep(schedule.panel->prefetchBytes))
      schedule.panel->prefetchBytes = 0;
  }

  void addTiles(const Problem &nominal) {
    TargetFacts cached = facts;
    cached.streamingStores = false;
    Schedule schedule = chooseSchedule(nominal, cached);
    // Nominal rows are long, and the tensor is large.
    schedule.prefetch.srcBytes = 0;
    if (copiesRuns(schedule))
      return addRuns(nominal, schedule);
    // Whether rows of a strided dst are lines does not depend on sizes.
    if (Result<Problem> lines = nominalLines(); lines && problem.isDense()) {
      Schedule ofLines = chooseSchedule(*lines, cached);
      if (ofLines.loops != schedule.loops)
        add(*lines, std::move(ofLines), rowsAreLines());
    }
    add(nominal, schedule);
    // Structure moves take a register of each stream at least.
    if (is<micro::Interleave>(schedule))
      add(nominal, shrink(schedule, laneBytes / problem.elementBytes()));
    // A shuffle of whole lanes cannot be cut; narrower ones need less of a dim.
    cached.vectorBytes = std::min(cached.vectorBytes, laneBytes);
    schedule = chooseSchedule(nominal, cached);
    add(nominal, schedule);
    add(nominal, shrink(std::move(schedule), smallTile));
  }

  void addRuns(const Problem &nominal, const Schedule &schedule) {
    const DynamicSize &run = sizes.back();
    const int64_t element = problem.elementBytes();
    auto piece = [&](int64_t bytes) {
      return shrink(schedule, std::max<int64_t>(bytes / element, 1));
    };
    if (run.isStatic())
      return add(nominal, schedule);
    add(nominal, piece(dynamicRunBytes));
    if (facts.vectorBytes > laneBytes)
      add(nominal, piece(facts.vectorBytes));
    add(nominal, piece(laneBytes));
  }

  /// Several elements along one of the fast dims, or single ones.
  void addElements(const Problem &nominal) {
    Schedule schedule = chooseSchedule(nominal, withoutVectors(facts));
    if (is<micro::Scalar>(schedule))
      for (bool dst : {true, false}) {
        Schedule along = schedule;
        for (size_t dim = 0; dim < sizes.size(); ++dim)
          if (isDstFast[dim] != dst)
            shrinkDim(along, dim, 1);
        add(nominal, std::move(along));
      }
    add(nominal, shrink(std::move(schedule), 1));
  }

  /// The schedule with at most `most` elements of each dynamic dim in a tile.
  Schedule shrink(Schedule schedule, int64_t most) const {
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      shrinkDim(schedule, dim, most);
    return schedule;
  }

  void shrinkDim(Schedule &schedule, size_t dim, int64_t most) const {
    int64_t before = schedule.tile[dim], tile = std::min(before, most);
    if (sizes[dim].isStatic() || tile == before)
      return;
    while (before % tile != 0)
      --tile;
    schedule.tile[dim] = tile;
    for (Loop &loop : schedule.loops)
      if (loop.dim == static_cast<int64_t>(dim) && loop.step == before)
        loop.step = tile;
  }

  const DynamicProblem &problem;
  const TargetFacts facts;
  DynamicProblem::Sizes sizes; ///< in output order, as a schedule's
  std::vector<bool> isFast;    ///< likewise, on either side
  std::vector<bool> isDstFast;
  int64_t lineElements; ///< that make whole lines
  std::vector<Variant> variants;
};

} // namespace

bool Guard::admits(const Dims &values) const {
  int64_t actual = size.at(values);
  return kind == Kind::AtLeast ? actual >= bound : actual % bound == 0;
}

std::string permc::spellGuard(const Guard &guard) {
  const char *relation =
      guard.kind == Guard::Kind::AtLeast ? " >= " : " divides by ";
  return spellSize(guard.size) + relation + std::to_string(guard.bound);
}

bool Variant::admits(const Dims &values) const {
  return std::all_of(guards.begin(), guards.end(),
                     [&](const Guard &guard) { return guard.admits(values); });
}

Status permc::checkNominal(const Schedule &schedule) {
  const auto &moves = fieldsOf<micro::FixedMoves>(schedule);
  const auto &tiles = fieldsOf<micro::TileTranspose>(schedule);
  const auto &streams = fieldsOf<micro::Interleave>(schedule);
  bool pairs = pairAlignment(schedule) || movesVectorPairs(schedule);
  bool cuts = schedule.panel && schedule.panel->wholeLines;
  bool reaches = moves.srcReach != Reach{} || moves.dstReach != Reach{};
  if (isScalable(schedule) || pairs || reaches || tiles.stepping ||
      streams.tables || streams.vectorsPerLoad || streams.vectorsPerStore ||
      streams.lastLane || streams.structuresStep || cuts ||
      !tiles.lastTile.empty() || is<micro::Gather>(schedule) ||
      is<micro::WordTranspose>(schedule))
    return Error{
        Cause::BadSchedule,
        "a schedule of the kind " + kernelName(schedule) +
            (isScalable(schedule) ? ", scalable," : "") +
            (pairs ? ", in pairs," : "") +
            (reaches ? ", of limited reach," : "") +
            (tiles.stepping || streams.structuresStep ? ", stepping," : "") +
            (streams.tables ? ", by tables," : "") +
            (streams.vectorsPerLoad ? ", loaded at once," : "") +
            (streams.vectorsPerStore ? ", stored at once," : "") +
            (streams.lastLane ? ", with a last lane," : "") +
            (cuts ? ", in whole lines," : "") +
            (tiles.lastTile.empty() ? "" : ", of two sizes,") +
            " for dynamic dims; expected one of fixed networks"};
  return Done{};
}

Status permc::checkVariant(const DynamicProblem &canonical,
                           const Variant &variant) {
  const Schedule &schedule = variant.schedule;
  if (auto ok = checkSchedule(variant.nominal, schedule); !ok)
    return ok;
  if (auto ok = checkNominal(schedule); !ok)
    return ok;
  const DynamicProblem::Sizes sizes = canonical.outShape();
  const Dims &least = innermost(schedule);
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim].isStatic())
      continue;
    std::string where =
        "dim " + std::to_string(dim) + " of size " + spellSize(sizes[dim]);
    if (!isAtLeast(variant.guards, sizes[dim], least[dim]))
      return Error{Cause::BadSchedule,
                   "a tile of " + std::to_string(least[dim]) + " along " +
                       where + " without a guard"};
    bool stepped = std::any_of(schedule.loops.begin(), schedule.loops.end(),
                               [&](const Loop &loop) {
                                 return loop.dim == static_cast<int64_t>(dim) &&
                                        loop.step == least[dim];
                               });
    if (!stepped)
      return Error{Cause::BadSchedule, "no loop goes through " + where};
  }
  return Done{};
}

Result<std::vector<Variant>>
permc::chooseVariants(const DynamicProblem &canonical,
                      const TargetFacts &facts) {
  if (canonical.isEmpty())
    return std::vector<Variant>();
  return Chooser(canonical, facts).run();
}
