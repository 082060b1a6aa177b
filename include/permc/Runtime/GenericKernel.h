//===- GenericKernel.h - kernels with run-time strides ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between the generic kernels, which permc compiles when it is
// built itself (lib/GenericKernels), and the shim that calls them
// (lib/Runtime). A kernel is three loops round a micro kernel:
//
//   for (b = 0; b < loops[2].size; b += 1)
//     for (i = 0; i < loops[0].size; i += loops[0].step)
//       for (j = 0; j < loops[1].size; j += loops[1].step)
//         move one tile
//
// The last of them goes through a batch: small matrices would each take a call.
//
// A step that would reach past the end of its loop is moved back to end with
// it. Each step moves src, dst and the two tables on.
//
// What a tile is: rows lie anywhere in src and side by side in dst, columns the
// other way round. `rows` holds the offset in src of each row of a tile,
// `columns` the offset in dst of each column. So a row can be any combination
// of dims: the tables know where it is.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_RUNTIME_GENERICKERNEL_H
#define PERMC_RUNTIME_GENERICKERNEL_H

#include "permc/Plan/NestCost.h"
#include "permc/Plan/TargetFacts.h"

#include <cstddef>
#include <cstdint>

namespace permc {

/// The generated code reads these as structs of pointer-sized integers.
struct KernelLoop {
  intptr_t size = 1, step = 1;
  intptr_t src = 0, dst = 0;      ///< bytes for each unit of `size`
  intptr_t rows = 0, columns = 0; ///< the same for the tables
};

struct Shuffle;
struct BlockShuffle;

struct KernelCall {
  KernelLoop loops[3]; ///< the outer, the inner, that of a batch
  const intptr_t *rows = nullptr;
  const intptr_t *columns = nullptr;
  intptr_t bytes = 0; ///< Run, Stream: of one run
  /// Tiles: how far ahead src is prefetched; 0: not at all.
  intptr_t ahead = 0;
  /// For runs that are shuffled by the shim itself (lib/Runtime/ShuffledRun.h).
  const Shuffle *shuffle = nullptr;
  /// ... and for small blocks (lib/Runtime/ShuffledBatch.h).
  const BlockShuffle *blocks = nullptr;
};

using GenericKernel = void (*)(const char *src, char *dst,
                               const KernelCall *call);

enum class KernelFamily {
  /// A tile of rows and columns through registers. Uses both tables.
  Transpose,
  /// A contiguous run of `rows` pieces of `element` bytes each, the last moved
  /// back to end with the run. Uses no table.
  Run,
  /// A contiguous run of `bytes` bytes past the cache, two lines at least if
  /// dst does not start with a line. Uses no table.
  Stream,
  /// `rows` groups of `columns` elements, contiguous in src, to one place in
  /// dst for each column: pixels to planes. Uses `columns`.
  Split,
  /// `columns` rows in src to groups that are contiguous in dst: planes to
  /// pixels. Uses `rows`. Named as in Split: `rows` is the number of groups.
  Join
};

/// Run, streaming: the most lines of one run. The fewer instructions a line
/// takes, the more of them are on their way at once.
inline constexpr int64_t maxStreamedLines = 8;

/// Split, Join: the largest group.
inline constexpr int64_t maxInterleavedBytes = 32;

struct GenericKernelInfo {
  KernelFamily family;
  int element;       ///< bytes
  int rows, columns; ///< of a tile
  bool streaming;    ///< stores whole lines past the cache; dst is aligned
  /// Rows are a stride apart, and only the table's second entry is looked at.
  bool evenRows;
  TileWork work; ///< of a tile
  GenericKernel run;
};

/// The kernels of one target, and what Plan knows of it.
struct GenericKernelSet {
  const char *target;
  TargetFacts facts;
  const GenericKernelInfo *kernels;
  size_t count;
};

} // namespace permc

#endif // PERMC_RUNTIME_GENERICKERNEL_H
