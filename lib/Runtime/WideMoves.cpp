//===- WideMoves.cpp - matrices, one move an element ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dst is filled from its first byte to its last, as a plain loop would: stores
// that follow one another in a line are what processors are best at. Where
// rows are so few that there would be a loop for hardly any, all of them are
// moved together.
//
//===----------------------------------------------------------------------===//

#include "WideMoves.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

using namespace permc;

namespace {

/// Rows of src or columns of dst: a stride apart, or by a table.
struct Places {
  intptr_t count, stride;
  const intptr_t *table; ///< or null

  intptr_t operator[](intptr_t i) const {
    return table ? table[i] : i * stride;
  }

  /// Some of them. Those of a stride are counted from their first.
  Places part(intptr_t first, intptr_t most) const {
    return {std::min(count - first, most), stride,
            table ? table + first : nullptr};
  }
  intptr_t startOf(intptr_t first) const { return table ? 0 : first * stride; }
};

/// Matrices of one shape. Functions take a copy: what they store could be a
/// part of it, as far as a compiler knows.
struct Batch {
  Places rows, columns;
  intptr_t count = 1, src = 0, dst = 0; ///< matrices, bytes between them
};

/// What one move takes: the smallest with room for an element. Vectors only
/// where no word is large enough.
template <int bytes> struct WordOf {
  using Type [[gnu::vector_size(bytes)]] = unsigned char;
};
template <> struct WordOf<1> {
  using Type = uint8_t;
};
template <> struct WordOf<2> {
  using Type = uint16_t;
};
template <> struct WordOf<4> {
  using Type = uint32_t;
};
template <> struct WordOf<8> {
  using Type = uint64_t;
};
template <int element>
using Word = typename WordOf<int(std::bit_ceil(unsigned(element)))>::Type;

template <typename Word> Word load(const char *from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
template <typename Word> void store(char *to, Word word) {
  std::memcpy(to, &word, sizeof word);
}

/// Two elements of 8 bytes in one store.
using Pair [[gnu::vector_size(16)]] = uint64_t;

template <typename> struct Group;

/// So many rows at once. Their numbers are a list, not a loop, for each of them
/// to have a register.
template <int... i> struct Group<std::integer_sequence<int, i...>> {
  static constexpr int size = sizeof...(i);

  /// Column by column, each along all rows.
  template <int element, bool byTable>
  static void moveColumns(const char *src, char *dst, const Batch &given) {
    const Batch batch = given;
    for (intptr_t b = 0; b < batch.count; ++b) {
      for (intptr_t column = 0; column < batch.columns.count; ++column)
        moveColumn<element, byTable>(src + column * element,
                                     dst + batch.columns[column], batch.rows);
      src += batch.src;
      dst += batch.dst;
    }
  }

  /// These rows, and one more, the last, along all columns.
  template <int element>
  static void moveRows(const char *src, char *dst, const Batch &given) {
    using Word = Word<element>;
    const Batch batch = given;
    for (intptr_t b = 0; b < batch.count; ++b) {
      const char *const from[] = {src + batch.rows[i]...},
                        *last = src + batch.rows[size];
      for (intptr_t column = 0; column < batch.columns.count; ++column) {
        char *to = dst + batch.columns[column];
        const intptr_t at = column * element;
        const Word words[] = {load<Word>(from[i] + at)...};
        (store(to + i * element, words[i]), ...);
        std::memcpy(to + size * element, last + at, element);
      }
      src += batch.src;
      dst += batch.dst;
    }
  }

private:
  template <int element, bool byTable>
  [[gnu::always_inline]] static void moveColumn(const char *src, char *dst,
                                                Places rows) {
    using Word = Word<element>;
    auto at = [&](int row) {
      return src + (byTable ? rows.table[row] : row * rows.stride);
    };
    // Of a table it is the table that moves on.
    auto skip = [&](intptr_t some) {
      if constexpr (byTable)
        rows.table += some;
      else
        src += some * rows.stride;
      dst += some * element;
    };
    const intptr_t wide = rows.count - 1;
    for (intptr_t group = wide / size; group > 0; --group) {
      const Word words[] = {load<Word>(at(i))...};
      if constexpr (element == sizeof(uint64_t) && size == 4) {
        store(dst, Pair{words[0], words[1]});
        store(dst + sizeof(Pair), Pair{words[2], words[3]});
      } else {
        (store(dst + i * element, words[i]), ...);
      }
      skip(size);
    }
    for (intptr_t single = wide % size; single > 0; --single) {
      store(dst, load<Word>(at(0)));
      skip(1);
    }
    std::memcpy(dst, at(0), element);
  }
};

template <int size>
using GroupOf = Group<std::make_integer_sequence<int, size>>;

template <int element>
void moveBatch(const char *src, char *dst, const Batch &batch) {
  switch (batch.rows.count) {
  case 2:
    return GroupOf<1>::moveRows<element>(src, dst, batch);
  case 3:
    return GroupOf<2>::moveRows<element>(src, dst, batch);
  case 4:
    return GroupOf<3>::moveRows<element>(src, dst, batch);
  }
  batch.rows.table ? GroupOf<4>::moveColumns<element, true>(src, dst, batch)
                   : GroupOf<4>::moveColumns<element, false>(src, dst, batch);
}

using BatchMove = void (*)(const char *src, char *dst, const Batch &batch);

/// Block by block: what a block has is in cache between one of its columns and
/// the next.
void moveBlocks(const char *src, char *dst, const KernelCall &call,
                const Batch &all, intptr_t element, BatchMove move) {
  const auto &[rows, columns, count, srcStride, dstStride] = all;
  const intptr_t across = call.loops[0].step, along = call.loops[1].step;
  for (intptr_t b = 0; b < count; ++b, src += srcStride, dst += dstStride)
    for (intptr_t i = 0; i < columns.count; i += across)
      for (intptr_t j = 0; j < rows.count; j += along)
        move(src + rows.startOf(j) + i * element,
             dst + columns.startOf(i) + j * element,
             {rows.part(j, along), columns.part(i, across)});
}

template <int element>
void moveMatrices(const char *src, char *dst, const KernelCall *call) {
  const auto &[outer, inner, batch] = call->loops;
  const Batch all = {
      {inner.size, inner.src, inner.rows ? call->rows : nullptr},
      {outer.size, outer.dst, outer.columns ? call->columns : nullptr},
      batch.size,
      batch.src,
      batch.dst};
  if (inner.step < inner.size || outer.step < outer.size)
    return moveBlocks(src, dst, *call, all, element, moveBatch<element>);
  moveBatch<element>(src, dst, all);
}

template <int... sizes>
constexpr std::array<GenericKernel, sizeof...(sizes)>
kernelsFor(std::integer_sequence<int, sizes...>) {
  return {moveMatrices<sizes + 1>...};
}

} // namespace

GenericKernel permc::wideMoves(int64_t element) {
  static constexpr auto kernels =
      kernelsFor(std::make_integer_sequence<int, maxWideElement>());
  return kernels[size_t(element - 1)];
}
