//===- Prove.cpp - loops that are right for every size --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dims are independent: a tile is a box, so that tiles have each element of a
// tensor if along each dim they have each position.
//
// Each level of a nest is proven by itself, and the next one from what it
// leaves. A range is (start, begin, end): [begin, end) is to be covered, and
// nothing before `start`, where the outermost range begins, may be touched. A
// level of blocks must cut it into ranges that have all of it, each with a
// tile's room from `start` to its end; for then a tile that is moved back to
// end with its range stays within the outermost one. A level of tiles must have
// each position of the range, and none outside [start, end).
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Prove.h"

#include "mlir/Analysis/Presburger/PresburgerRelation.h"

#include <algorithm>

using namespace permc;
namespace presburger = mlir::presburger;

namespace {

using presburger::IntegerPolyhedron;
using presburger::PresburgerRelation;
using presburger::PresburgerSet;
using presburger::PresburgerSpace;

/// What relations are about, in this order. The number of steps that a loop has
/// made is the last, and exists only where there is one.
enum Variable { X, Start, Begin, End, Steps };

struct Term {
  Variable variable;
  int64_t factor;
};

/// A conjunction of linear constraints.
class Conjunction {
public:
  explicit Conjunction(bool hasSteps = false)
      : columns(hasSteps ? Steps + 2 : Steps + 1),
        set(PresburgerSpace::getSetSpace(Steps, /*numSymbols=*/0,
                                         /*numLocals=*/hasSteps)) {}

  /// The sum of the terms and of a constant is not negative.
  Conjunction &atLeastZero(std::initializer_list<Term> terms,
                           int64_t constant) {
    llvm::SmallVector<int64_t> row(columns, 0);
    for (const Term &term : terms)
      row[term.variable] += term.factor;
    row.back() = constant;
    set.addInequality(row);
    return *this;
  }

  operator PresburgerSet() const { return PresburgerSet(set); }

private:
  size_t columns;
  IntegerPolyhedron set;
};

/// Ranges of a nest; the outermost begin with their start.
Conjunction rangesOf(int64_t least, bool isOutermost, bool hasSteps = false) {
  Conjunction ranges(hasSteps);
  ranges.atLeastZero({{Start, 1}}, 0)
      .atLeastZero({{Begin, 1}, {Start, -1}}, 0)
      .atLeastZero({{End, 1}, {Begin, -1}}, -1)
      .atLeastZero({{End, 1}, {Start, -1}}, -least);
  if (isOutermost)
    ranges.atLeastZero({{Start, 1}, {Begin, -1}}, 0);
  return ranges;
}

/// ... and positions from one of their bounds to their end.
Conjunction positionsFrom(Variable from, Conjunction ranges) {
  return ranges.atLeastZero({{X, 1}, {from, -1}}, 0)
      .atLeastZero({{X, -1}, {End, 1}}, -1);
}

/// Position X in the step that has it: 0 <= X - Begin - step * Steps < step.
Conjunction stepOf(int64_t step, Conjunction ranges) {
  return ranges.atLeastZero({{X, 1}, {Begin, -1}, {Steps, -step}}, 0)
      .atLeastZero({{X, -1}, {Begin, 1}, {Steps, step}}, step - 1)
      .atLeastZero({{Steps, 1}}, 0)
      .atLeastZero({{X, -1}, {End, 1}}, -1);
}

/// Positions in tiles: in those that lie within the range, and in the last one,
/// if that has to be moved back.
PresburgerSet inTiles(int64_t tile, int64_t least, bool isOutermost) {
  auto ranges = [&] { return rangesOf(least, isOutermost, true); };
  PresburgerSet all =
      stepOf(tile, ranges())
          .atLeastZero({{End, 1}, {Begin, -1}, {Steps, -tile}}, -tile);
  Conjunction last = ranges();
  // The step that has the end of the range, and does not end with it.
  last.atLeastZero({{End, 1}, {Begin, -1}, {Steps, -tile}}, -1)
      .atLeastZero({{End, -1}, {Begin, 1}, {Steps, tile}}, tile - 1)
      .atLeastZero({{Steps, 1}}, 0)
      .atLeastZero({{X, 1}, {End, -1}}, tile)
      .atLeastZero({{X, -1}, {End, 1}}, -1);
  all.unionInPlace(PresburgerSet(last));
  return all;
}

/// Where blocks end, as X.
PresburgerSet blockEnds(int64_t block, int64_t least, bool isOutermost) {
  auto begun = [&] {
    return rangesOf(least, isOutermost, true)
        .atLeastZero({{Steps, 1}}, 0)
        .atLeastZero({{End, 1}, {Begin, -1}, {Steps, -block}}, -1);
  };
  PresburgerSet all =
      begun()
          .atLeastZero({{End, 1}, {Begin, -1}, {Steps, -block}}, -block)
          .atLeastZero({{X, 1}, {Begin, -1}, {Steps, -block}}, -block)
          .atLeastZero({{X, -1}, {Begin, 1}, {Steps, block}}, block);
  PresburgerSet cutOff =
      begun()
          .atLeastZero({{End, -1}, {Begin, 1}, {Steps, block}}, block - 1)
          .atLeastZero({{X, 1}, {End, -1}}, 0)
          .atLeastZero({{X, -1}, {End, 1}}, 0);
  all.unionInPlace(cutOff);
  return all;
}

std::string spellNest(const DimNest &nest) {
  std::string text;
  for (int64_t block : nest.blocks)
    text += "blocks of " + std::to_string(block) + ", ";
  return text + "tiles of " + std::to_string(nest.tile);
}

/// A range that has an element in a set, if there is one.
std::optional<std::string> findElement(PresburgerRelation set) {
  llvm::SmallVector<llvm::DynamicAPInt> sample;
  if (!set.findIntegerSample(sample))
    return std::nullopt;
  auto number = [&](Variable i) { return std::to_string(int64_t(sample[i])); };
  return "position " + number(X) + " of the range " + number(Begin) + " to " +
         number(End);
}

/// The least number of elements that a dim has where all guards hold.
int64_t leastOf(const DynamicSize &size, const Variant &variant) {
  int64_t least = size.factor; // no dim is 0: nothing moves then
  for (const Guard &guard : variant.guards)
    if (guard.kind == Guard::Kind::AtLeast && guard.size == size)
      least = std::max(least, guard.bound);
  return least;
}

/// What a variant does that is not loops over tiles, or nothing.
std::string findOther(const Schedule &schedule) {
  if (schedule.panel && schedule.panel->wholeLines)
    return "rows of panels that end with lines";
  if (isScalable(schedule))
    return "vectors of any length";
  if (!fieldsOf<micro::TileTranspose>(schedule).lastTile.empty())
    return "last tiles of their own";
  return "";
}

/// The loops along one dim, to the panels if there are any.
DimNest nestOf(const Schedule &schedule, size_t dim) {
  DimNest nest;
  nest.tile = innermost(schedule)[dim];
  for (const Loop &loop : schedule.loops)
    if (loop.dim == int64_t(dim) && loop.step > nest.tile)
      nest.blocks.push_back(loop.step);
  return nest;
}

/// ... and within a panel.
DimNest nestWithin(const Schedule &schedule, size_t dim) {
  DimNest nest;
  nest.tile = schedule.tile[dim];
  for (const Loop &loop : schedule.loops)
    if (loop.dim == int64_t(dim) && loop.step > nest.tile &&
        loop.step < schedule.panel->extent[dim])
      nest.blocks.push_back(loop.step);
  return nest;
}

/// The cuts of each grain that there can be.
Status proveParts(const DynamicProblem &canonical, const Variant &variant) {
  const DynamicSplit split = splitDynamic(canonical, variant.schedule);
  if (split.kind == DynamicSplit::Kind::None)
    return Done{};
  const DynamicSize size = canonical.outShape()[size_t(split.dims.back())];
  for (int64_t grain : split.grains())
    if (Status ok =
            proveCuts({split.kind, split.piece, grain, leastOf(size, variant),
                       size.factor, split.tilesFillRows, split.leastRow(grain),
                       DynamicSplit::grainsPerPart});
        !ok)
      return ok;
  return Done{};
}

bool hasLoop(const Schedule &schedule, size_t dim, int64_t step) {
  return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
    return loop.dim == int64_t(dim) && loop.step == step;
  });
}

Status proveDim(const DynamicSize &size, const Variant &variant, size_t dim) {
  const Schedule &schedule = variant.schedule;
  const int64_t unit = innermost(schedule)[dim];
  if (!hasLoop(schedule, dim, unit)) {
    if (size.isStatic() && size.factor == unit)
      return Done{};
    return Error{Cause::VerifyFailed,
                 "one tile of " + std::to_string(unit) +
                     " positions is all there is along a dim of size " +
                     spellSize(size)};
  }
  if (Status ok = proveNest(nestOf(schedule, dim), leastOf(size, variant)); !ok)
    return ok;
  const int64_t panel = schedule.panel ? schedule.panel->extent[dim] : 0;
  if (panel <= schedule.tile[dim])
    return Done{};
  if (!hasLoop(schedule, dim, schedule.tile[dim]))
    return Error{Cause::VerifyFailed,
                 "one tile of " + std::to_string(schedule.tile[dim]) +
                     " positions is all there is in a panel of " +
                     std::to_string(panel)};
  return proveNest(nestWithin(schedule, dim), panel);
}

} // namespace

Status permc::proveNest(const DimNest &nest, int64_t least) {
  auto fail = [&](const std::string &element, const std::string &what) {
    return Error{Cause::VerifyFailed,
                 spellNest(nest) + ": " + element + " " + what};
  };
  bool isOutermost = true;
  for (int64_t block : nest.blocks) {
    const PresburgerSet wanted =
        positionsFrom(Begin, rangesOf(least, isOutermost));
    const PresburgerSet inBlocks =
        stepOf(block, rangesOf(least, isOutermost, true));
    if (auto missing = findElement(wanted.subtract(inBlocks)))
      return fail(*missing, "is in no block");
    const PresburgerSet ends = blockEnds(block, least, isOutermost);
    const PresburgerSet haveRoom =
        rangesOf(least, isOutermost)
            .atLeastZero({{X, 1}, {Start, -1}}, -nest.tile)
            .atLeastZero({{X, -1}, {End, 1}}, 0);
    if (auto narrow = findElement(ends.subtract(haveRoom)))
      return fail(*narrow, "ends a block without room for a tile");
    isOutermost = false;
    least = nest.tile;
  }
  const PresburgerSet tiles = inTiles(nest.tile, least, isOutermost);
  const PresburgerSet wanted =
      positionsFrom(Begin, rangesOf(least, isOutermost));
  const PresburgerSet allowed =
      positionsFrom(Start, rangesOf(least, isOutermost));
  if (auto missing = findElement(wanted.subtract(tiles)))
    return fail(*missing, "is in no tile");
  if (auto outside = findElement(tiles.subtract(allowed)))
    return fail(*outside, "is in a tile, and outside of the range");
  return Done{};
}

Result<VariantProofs>
permc::proveVariants(const DynamicProblem &canonical,
                     const std::vector<Variant> &variants) {
  VariantProofs proofs;
  const DynamicProblem::Sizes sizes = canonical.outShape();
  for (size_t i = 0; i < variants.size(); ++i) {
    if (std::string other = findOther(variants[i].schedule); !other.empty()) {
      proofs.outside.push_back("variant " + std::to_string(i + 1) + ": " +
                               other);
      continue;
    }
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (Status ok = proveDim(sizes[dim], variants[i], dim); !ok)
        return Error{ok.error().cause, "variant " + std::to_string(i + 1) +
                                           ", dim d" + std::to_string(dim) +
                                           ": " + ok.error().message};
    if (Status ok = proveParts(canonical, variants[i]); !ok)
      return Error{ok.error().cause, "variant " + std::to_string(i + 1) +
                                         ", parts: " + ok.error().message};
    ++proofs.proven;
  }
  return proofs;
}
