//===- VectorMoves.cpp - several vectors in one move ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are compared by about how many instructions they take in all: zips,
// moves, addresses and loops.
//
//===----------------------------------------------------------------------===//

#include "VectorMoves.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

/// Tiles whose vectors are moved in pairs: the bytes of one, the elements along
/// a side, and addresses that run along with the loop.
constexpr int64_t maxPairBytes = 1 << 10, maxPairElements = 32;
constexpr int64_t maxAddresses = 20;

/// Columns that each have an address which runs along with the loop, beside the
/// one of the rows.
constexpr int64_t maxSteppingColumns = 16;

/// Instructions of a tile from which addresses step on.
constexpr int64_t maxSteppingInstructions = 320;

class VectorMoves {
public:
  VectorMoves(const Problem &problem, const TargetFacts &facts,
              Schedule &schedule)
      : facts(facts), dims(problem.loopDims()), element(problem.elementBytes()),
        schedule(schedule) {}

  /// Moves vectors in pairs, in tiles of which each side has an even number of
  /// them, if that takes fewer instructions in all.
  void choosePairs(size_t column, size_t row) {
    const int64_t step = 2 * laneBytes / element;
    if (!std::has_single_bit(uint64_t(element)) ||
        2 * step > facts.vectorRegisters || schedule.vectorBytes != laneBytes)
      return;
    Schedule best = schedule;
    int64_t least = instructions(best, column, row);
    // Rows by an address that steps along; each column has its own, which is
    // the more to make the fewer rows there are.
    Schedule steps = schedule;
    movesOf(steps).vectorPairs = true;
    movesOf(steps).stepping = 2;
    steps.tile[column] = steps.tile[row] = step;
    if (facts.vectorsPerStep >= 2 && step <= maxSteppingColumns &&
        step <= dims[column].size && step <= dims[row].size &&
        instructions(steps, column, row) < least) {
      least = instructions(steps, column, row);
      best = steps;
    }
    for (int64_t columns = step; columns <= maxPairElements; columns += step)
      for (int64_t rows = step; rows * columns * element <= maxPairBytes;
           rows += step) {
        if (columns > dims[column].size || rows > dims[row].size)
          continue;
        Schedule pairs = schedule;
        movesOf(pairs).vectorPairs = true;
        pairs.tile[column] = columns;
        pairs.tile[row] = rows;
        if (pairAddresses(pairs, column, row) > maxAddresses)
          continue;
        int64_t count = instructions(pairs, column, row);
        if (count < least) {
          least = count;
          best = pairs;
        }
      }
    schedule = best;
  }

  /// Moves several vectors of a row and whole columns, from which addresses
  /// step on, if that takes fewer instructions in all.
  void chooseSteps(size_t column, size_t row) {
    if (!std::has_single_bit(uint64_t(element)) ||
        schedule.vectorBytes != laneBytes)
      return;
    const int64_t units = laneBytes / element, size = dims[column].size;
    Schedule best = schedule;
    int64_t least = instructions(best, column, row);
    for (int64_t down = 1; down <= facts.vectorsPerStep; ++down) {
      Schedule steps = schedule;
      const int64_t most =
          std::min(facts.vectorsPerStep, vectorsBesideColumns(down));
      movesOf(steps).vectorPairs = false;
      movesOf(steps).stepping = most;
      steps.tile[row] = down * units;
      if (most < 2 || steps.tile[row] > dims[row].size)
        continue;
      for (int64_t columns = 2 * units; columns < size + units;
           columns += units) {
        steps.tile[column] = std::min(columns, size);
        // What the last load is moved back over must be there.
        if (columns > size && size <= most * units)
          break;
        if (tileInstructions(steps, column, row) > maxSteppingInstructions)
          break;
        int64_t count = instructions(steps, column, row);
        // More code must be worth it.
        if (count < least - least / 50) {
          least = count;
          best = steps;
        }
      }
    }
    schedule = best;
  }

private:
  static micro::TileTranspose &movesOf(Schedule &tiles) {
    return std::get<micro::TileTranspose>(tiles.kernel);
  }

  /// How many vectors of each row fit the registers, if a column has `down` of
  /// them. Rows stay until all their columns are made; meanwhile one column is
  /// stored and the next made, of two registers a round each.
  int64_t vectorsBesideColumns(int64_t down) const {
    int64_t rows = down * laneBytes / element;
    return (facts.vectorRegisters - 2 * zipRounds() * down) / rows;
  }

  int64_t zipRounds() const {
    return std::countr_zero(uint64_t(laneBytes / element));
  }

  /// About what a transpose of two dims executes.
  int64_t instructions(const Schedule &tiles, size_t column, size_t row) const {
    return ceilDiv(dims[column].size, tiles.tile[column]) *
           ceilDiv(dims[row].size, tiles.tile[row]) *
           tileInstructions(tiles, column, row);
  }

  /// ... for one tile: zips, moves, addresses that run along and the loop.
  int64_t tileInstructions(const Schedule &tiles, size_t column,
                           size_t row) const {
    int64_t columns = tiles.tile[column], rows = tiles.tile[row];
    int64_t vectors = ceilDiv(columns * rows * element, laneBytes);
    int64_t rounds = zipRounds();
    const auto &its = fieldsOf<micro::TileTranspose>(tiles);
    int64_t moves = its.vectorPairs ? vectors : 2 * vectors;
    int64_t addresses = its.vectorPairs ? pairAddresses(tiles, column, row)
                                        : vectorAddresses(tiles, column, row);
    if (its.stepping && its.vectorPairs) {
      // Two rows are loaded by halves, from one address, which then steps. The
      // addresses of the columns are made before the loop along the rows.
      moves += 3;
      addresses = ceilDiv(3 * columns, ceilDiv(dims[row].size, rows));
    } else if (its.stepping) {
      int64_t loads =
          ceilDiv(ceilDiv(columns * element, laneBytes), its.stepping);
      moves = columns + rows * loads;
      // A store of one vector does not step its address on.
      addresses = rows * element == laneBytes ? columns : 0;
    }
    constexpr int64_t loop = 2;
    return vectors * rounds + moves + addresses + loop;
  }

  /// Offsets are multiples of a vector: other rows and columns each have an
  /// address, made when it is wanted.
  int64_t vectorAddresses(const Schedule &tiles, size_t column,
                          size_t row) const {
    auto addresses = [](int64_t count, int64_t stride) {
      return stride % laneBytes == 0 ? 1 : count;
    };
    return addresses(tiles.tile[row], dims[row].srcStride) +
           addresses(tiles.tile[column], dims[column].dstStride);
  }

  /// How many addresses it takes to reach all of a tile in pairs.
  int64_t pairAddresses(const Schedule &tiles, size_t column,
                        size_t row) const {
    auto addresses = [&](int64_t count, int64_t stride, int64_t width) {
      if (stride % laneBytes != 0)
        return count;
      int64_t last = width - 2 * laneBytes;
      int64_t perAddress =
          1 + facts.pairReach.back / stride +
          std::max<int64_t>(facts.pairReach.ahead - last, 0) / stride;
      return ceilDiv(count, perAddress);
    };
    int64_t columns = tiles.tile[column], rows = tiles.tile[row];
    return addresses(rows, dims[row].srcStride, columns * element) +
           addresses(columns, dims[column].dstStride, rows * element);
  }

  const TargetFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  Schedule &schedule;
};

} // namespace

Schedule permc::chooseVectorMoves(const Problem &problem,
                                  const TargetFacts &facts, Schedule schedule,
                                  size_t column, size_t row) {
  VectorMoves moves(problem, facts, schedule);
  if (facts.vectorPairs)
    moves.choosePairs(column, row);
  moves.chooseSteps(column, row);
  return schedule;
}
