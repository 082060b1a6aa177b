//===- MicroKernel.h - what a tile is moved by ------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A micro kernel is one of some structs, each with the fields that mean
// something to it (ScheduleFields.def): what no kernel can do cannot be said.
// Some are kinds of others, and have their fields.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_MICROKERNEL_H
#define PERMC_PLAN_MICROKERNEL_H

#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace permc {

namespace micro {

/// A network of moves whose places are all known, so that addresses can be
/// chosen for them. No kernel by itself.
struct FixedMoves {
#define PERMC_FIXED_MOVES_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"
  bool operator==(const FixedMoves &) const = default;
};

/// ... that can be moves of pairs of words. No kernel by itself.
struct WordMoves : FixedMoves {
#define PERMC_WORD_MOVES_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"
  bool operator==(const WordMoves &) const = default;
};

/// One block.
struct Copy : WordMoves {
  static constexpr std::string_view name = "copy";
#define PERMC_RUNS_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"
  bool operator==(const Copy &) const = default;
};

/// The fast dim is kept: contiguous runs.
struct BlockCopy : Copy {
  static constexpr std::string_view name = "block_copy";
};

/// The fast dim moves: in-register tiles.
struct TileTranspose : WordMoves {
  static constexpr std::string_view name = "tile_transpose";
#define PERMC_TRANSPOSE_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"
  bool operator==(const TileTranspose &) const = default;
};

/// Small fast dims: one shuffle network for several dims.
struct Shuffle : FixedMoves {
  static constexpr std::string_view name = "shuffle";
};

/// The same by shuffles across whole registers.
struct WideShuffle : Shuffle {
  static constexpr std::string_view name = "wide_shuffle";
};

/// One element at a time.
struct Scalar : WordMoves {
  static constexpr std::string_view name = "scalar";
};

/// Tiles through plain registers (WordTile.h).
struct WordTranspose : WordMoves {
  static constexpr std::string_view name = "word_transpose";
};

/// A few streams split or joined by structure moves.
struct Interleave {
  static constexpr std::string_view name = "interleave";
#define PERMC_INTERLEAVE_FIELD(type, member, key) type member = {};
#include "permc/Plan/ScheduleFields.def"
  bool operator==(const Interleave &) const = default;
};

/// Columns of src gathered into vectors.
struct Gather {
  static constexpr std::string_view name = "gather";
  bool operator==(const Gather &) const = default;
};

/// Calls `visit` with the key and the value of each field of a kernel.
template <typename Kernel, typename Visit>
void visitFields(Kernel &kernel, Visit visit) {
#define PERMC_KERNEL_FIELD(owner, type, member, key)                           \
  if constexpr (std::derived_from<std::remove_const_t<Kernel>, owner>)         \
    visit(key, kernel.member);
#include "permc/Plan/ScheduleFields.def"
}

} // namespace micro

using MicroKernel =
    std::variant<micro::Copy, micro::BlockCopy, micro::TileTranspose,
                 micro::Shuffle, micro::WideShuffle, micro::Scalar,
                 micro::WordTranspose, micro::Interleave, micro::Gather>;

/// Calls `visit` with a kernel of each kind.
template <typename Visit> void forEachKernel(Visit visit) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    (visit(std::variant_alternative_t<i, MicroKernel>()), ...);
  }(std::make_index_sequence<std::variant_size_v<MicroKernel>>());
}

/// One block, or one of several.
inline MicroKernel copyKernel(size_t rank) {
  if (rank <= 1)
    return micro::Copy{};
  return micro::BlockCopy{};
}

/// The kernel of that name, with nothing said of it.
std::optional<MicroKernel> kernelNamed(std::string_view name);

} // namespace permc

#endif // PERMC_PLAN_MICROKERNEL_H
