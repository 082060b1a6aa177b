//===- Prove.h - loops that are right for every size ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with dynamic dims can be run with some sizes only. That the loops of
// its variants are right with all of them is a statement about integers, in
// which sizes are symbols: it is decided by MLIR's Presburger library, or
// refuted with a size.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_PROVE_H
#define PERMC_JIT_PROVE_H

#include "permc/Plan/DynamicSplit.h"
#include "permc/Plan/Variants.h"

namespace permc {

/// The loops along one dim: through a range in blocks, each through the one
/// before it, and then in tiles. The last block ends with the range, and a tile
/// that would end behind its block is moved back to end with it.
struct DimNest {
  Dims blocks;
  int64_t tile = 1;
};

/// Proves that tiles have every element of the range [begin, end) and none
/// outside of it, for all 0 <= begin and end with `least` elements or more
/// between them. Else the error names a range for which that is not so.
Status proveNest(const DimNest &nest, int64_t least);

/// How the parts of a kernel meet, once a grain is known.
struct PartCuts {
  DynamicSplit::Kind kind = DynamicSplit::Kind::Range;
  int64_t piece = 1, grain = 1;
  int64_t least = 1; ///< positions that the last dim has at least
  /// What is known to divide its size; only rows that tiles fill need it.
  int64_t divisor = 1;
  bool tilesFillRows = false;
  int64_t leastRow = 1, grainsPerPart = 1; ///< other rows, as in DynamicSplit
};

/// Proves for all sizes and part counts that the parts are disjoint and have
/// everything, and that each range of the last dim that the nest gets has room
/// for a piece. Else the error names sizes for which that is not so.
Status proveCuts(const PartCuts &cuts);

/// What is known of a kernel's variants.
struct VariantProofs {
  size_t proven = 0;
  /// Why the others are not covered, one for each: what they do besides loops.
  std::vector<std::string> outside;
};

/// Proves the loops and the parts of all variants for all sizes that their
/// guards admit. Fails if one is wrong for some size.
Result<VariantProofs> proveVariants(const DynamicProblem &canonical,
                                    const std::vector<Variant> &variants);

} // namespace permc

#endif // PERMC_JIT_PROVE_H
