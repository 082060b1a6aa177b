//===- KernelEmitter.h - networks with run-time strides ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_GENERICKERNELS_KERNELEMITTER_H
#define PERMC_LIB_GENERICKERNELS_KERNELEMITTER_H

#include "permc/Plan/Network.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace permc {

/// A stride that stands for one not known until run time in a network: row i of
/// a tile is at i times this offset. More than any constant offset, and a
/// multiple of a line.
inline constexpr int64_t tableStride = int64_t{1} << 40;

/// How one side of a tile is found.
enum class Spacing {
  Constant, ///< at constant offsets
  Table,    ///< by a table
  Even      ///< a stride apart, the table's second entry
};

struct KernelSides {
  Spacing rows = Spacing::Constant;    ///< src
  Spacing columns = Spacing::Constant; ///< dst
};

/// Writes the functions of generic kernels (permc/Runtime/GenericKernel.h) into
/// a module that has its target's data layout.
class KernelEmitter {
public:
  explicit KernelEmitter(llvm::Module &module);

  enum class Stores { Plain, Streaming };

  /// A kernel whose tile is a network. It may prefetch src before its moves, as
  /// far ahead as its call says.
  void emitNetwork(const std::string &name, const Network &network,
                   KernelSides sides, Stores stores, bool prefetches);

  /// A kernel that copies a run as `pieces` pieces of `width` bytes.
  void emitRun(const std::string &name, int64_t width, int64_t pieces,
               bool streaming);

  /// A kernel that copies a run of `bytes` bytes past the cache, two lines at
  /// least if dst does not start with a line: whole lines of dst are streamed
  /// in moves of `width`, what is left of the first and the last is stored.
  void emitStream(const std::string &name, int64_t width);

private:
  /// Where the loops have come to. Of a side that is even `rows` or `columns`
  /// is the stride.
  struct Place {
    llvm::Value *src, *dst, *rows, *columns;
  };
  struct Loop {
    llvm::Value *size, *step, *src, *dst, *rows, *columns;
    Place stride; ///< bytes for each step
  };

  void emitKernel(const std::string &name, KernelSides sides,
                  llvm::function_ref<void(Place)> body);
  void emitLoop(const Loop &loop, KernelSides sides, Place at,
                llvm::function_ref<void(Place)> body);
  /// The loop through a batch: one by one, with the same tables for all.
  void emitBatch(llvm::Value *call, Place start,
                 llvm::function_ref<void(Place)> body);
  Loop loadLoop(llvm::Value *call, unsigned number, KernelSides sides);
  llvm::Value *loadField(llvm::Value *call, unsigned word, bool pointer);
  /// So many bytes further on.
  Place moveOn(Place at, Place by);
  /// The bytes of so many units of a loop.
  Place distance(const Loop &loop, KernelSides sides, llvm::Value *units);
  /// What a loop steps on with, and where it goes on from.
  Place merge(Place first, Place stride, llvm::BasicBlock *from);
  static void addIncoming(Place merged, Place stride, Place next,
                          llvm::BasicBlock *from);
  /// The byte that a network's offset means.
  llvm::Value *address(llvm::Value *base, llvm::Value *table, Spacing spacing,
                       int64_t offset);
  /// `number` times a stride, in such a way that the back end can make most of
  /// it a part of the address.
  llvm::Value *strideTimes(llvm::Value *stride, int64_t number);
  llvm::Value *loadSide(llvm::Value *call, unsigned field, Spacing spacing);
  /// Prefetches the lines that are so far ahead of what loads touch.
  void emitPrefetch(const Network &network, KernelSides sides, Place at,
                    llvm::Value *ahead);
  /// ... if the call says how far.
  void emitPrefetchAhead(const Network &network, KernelSides sides, Place at);
  /// Copies less than a line, and not a byte of the next: two moves that
  /// overlap, of the largest width that fits.
  void copyShort(llvm::Value *src, llvm::Value *dst, llvm::Value *count);
  /// Streams whole lines from the offset `first` on, so many at a time, as long
  /// as they end before `end`. Returns the offset that it came to.
  llvm::Value *streamLines(llvm::Value *src, llvm::Value *dst,
                           llvm::Value *first, llvm::Value *end, int64_t lines,
                           int64_t width);
  llvm::Value *constant(int64_t value) {
    return llvm::ConstantInt::get(word, static_cast<uint64_t>(value));
  }
  llvm::BasicBlock *block(const char *name);
  /// The address that a table's entry means, from `base` on.
  llvm::Value *lookUp(llvm::Value *base, llvm::Value *table, int64_t number);
  llvm::Value *load(llvm::Value *at, int64_t bytes, int64_t unitBytes = 1);
  llvm::Value *shuffle(llvm::Value *a, llvm::Value *b, std::vector<int> mask);
  /// The value as it is, but the back end cannot see that it is several lanes
  /// put side by side: it would store each by itself. The fence is no
  /// instruction, and exists for floats only.
  llvm::Value *hideJoin(llvm::Value *value);
  /// A value as the back end stores it best.
  llvm::Value *storable(llvm::Value *value);
  void store(llvm::Value *value, llvm::Value *at, bool streaming);
  llvm::Value *units(llvm::Value *value, int64_t unitBytes);
  /// Whatever the tables hold stays the same while a kernel runs.
  void markInvariant(llvm::Instruction *instruction);

  llvm::Module &module;
  llvm::IRBuilder<> b;
  llvm::IntegerType *word;
  /// Of the tile at hand, by base and entry. Few are kept in registers; many
  /// would be spilled, and are looked up again.
  std::map<std::pair<llvm::Value *, int64_t>, llvm::Value *> addresses;
  bool keepsAddresses = false;
};

} // namespace permc

#endif // PERMC_LIB_GENERICKERNELS_KERNELEMITTER_H
