//===- LastTiles.h - tiles of another size at the end of a dim --*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tile of a dim that tiles do not divide is moved back over the one
// before. Where little is left that is much to do again: then the last tile is
// a smaller one with code of its own. The tensor is taken as pieces, in each of
// which all tiles are of one size:
//
//        16    16   8
//   16 +-----+-----+--+
//      |   first   |  |    Each piece is a problem with the strides of the
//   16 +           +  +    whole, and a schedule.
//      |           |  |
//      +-----+-----+--+
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_LASTTILES_H
#define PERMC_PLAN_LASTTILES_H

#include "permc/Plan/Schedule.h"

#include <span>

namespace permc {

/// A part of a problem whose tiles are all of one size.
struct TiledPiece {
  Problem problem;   ///< with the strides of the whole
  Schedule schedule; ///< without last tiles
  Dims start;        ///< where it begins along each dim

  /// How far that is on one side, in bytes.
  int64_t offset(int64_t LoopDim::*stride) const;
};

/// The pieces of a schedule, the largest first. Along the dims `boxed`, of
/// which ranges are moved that are known at run time only, all tiles are of one
/// size.
std::vector<TiledPiece> piecesOf(const Problem &canonical,
                                 const Schedule &schedule,
                                 std::span<const int64_t> boxed = {});

/// The schedule of a piece with other tiles than the whole has. Only tiles of
/// the whole are moved several vectors at a time.
Schedule pieceSchedule(const Problem &piece, const Schedule &whole,
                       const Dims &tile);

} // namespace permc

#endif // PERMC_PLAN_LASTTILES_H
