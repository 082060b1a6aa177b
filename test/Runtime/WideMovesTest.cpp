//===- WideMovesTest.cpp - moves wider than elements ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element of every matrix of a few shapes is looked at, and every byte
// round dst. src ends with its page: a byte read behind it is a fault.
//
//===----------------------------------------------------------------------===//

#include "WideMoves.h"

#include "gtest/gtest.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace permc;

namespace {

/// Bytes that end where a page begins that cannot be read.
class BytesBeforeGuard {
public:
  BytesBeforeGuard() {
    void *memory = mmap(nullptr, room + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    start = static_cast<char *>(memory);
    mprotect(start + room, page, PROT_NONE);
    for (size_t i = 0; i < room; ++i)
      start[i] = char(i * 37 + i / 251);
  }
  BytesBeforeGuard(const BytesBeforeGuard &) = delete;
  ~BytesBeforeGuard() { munmap(start, room + page); }

  const char *last(int64_t bytes) const { return start + room - bytes; }

private:
  const size_t page = size_t(sysconf(_SC_PAGESIZE)), room = 64 * page;
  char *start;
};

struct Shape {
  int64_t element, rows, columns;
  int64_t rowStep, columnStep; ///< of blocks
  int64_t batch = 1;
  int64_t gap = 0; ///< bytes between rows of src, and between columns of dst
  bool byTable = false;
};

class WideMoves : public testing::Test {
protected:
  /// The rows of src are in memory in the order of the matrix.
  void check(const Shape &shape) {
    const auto [element, rows, columns, rowStep, columnStep, batch, gap,
                byTable] = shape;
    const int64_t srcRow = columns * element + gap,
                  dstColumn = rows * element + gap, srcMatrix = rows * srcRow,
                  dstMatrix = columns * dstColumn,
                  srcBytes = batch * srcMatrix - gap,
                  dstBytes = batch * dstMatrix;
    std::vector<intptr_t> rowTable, columnTable;
    for (int64_t i = 0; i < rows; ++i)
      rowTable.push_back(i * srcRow);
    for (int64_t i = 0; i < columns; ++i)
      columnTable.push_back(i * dstColumn);
    const intptr_t entry = byTable ? sizeof(intptr_t) : 0;
    KernelCall call;
    call.loops[0] = {columns, columnStep, element, byTable ? 0 : dstColumn,
                     0,       entry};
    call.loops[1] = {rows, rowStep, byTable ? 0 : srcRow, element, entry, 0};
    call.loops[2] = {batch, 1, srcMatrix, dstMatrix, 0, 0};
    call.rows = rowTable.data();
    call.columns = columnTable.data();

    const char *src = bytes.last(srcBytes);
    constexpr int64_t round = 32;
    for (int64_t offset : {0, 1, 7}) {
      std::vector<char> dst(size_t(dstBytes + 2 * round + offset), char(0xa5));
      std::vector<char> expected = dst;
      const size_t first = size_t(round + offset);
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = 0; column < columns; ++column)
            std::memcpy(
                &expected[first + size_t(b * dstMatrix + column * dstColumn +
                                         row * element)],
                src + b * srcMatrix + row * srcRow + column * element,
                size_t(element));
      wideMoves(element)(src, &dst[first], &call);
      ASSERT_EQ(dst, expected)
          << batch << " of " << rows << "x" << columns << " elements of "
          << element << " bytes, blocks of " << rowStep << "x" << columnStep
          << ", gaps of " << gap << ", dst at " << offset
          << (byTable ? ", by tables" : "");
    }
  }

  BytesBeforeGuard bytes;
};

TEST_F(WideMoves, AnyShape) {
  for (int64_t element = 1; element <= maxWideElement; ++element)
    for (int64_t rows = 1; rows <= 14; ++rows)
      for (int64_t columns : {1, 2, 3, 5, 8})
        for (bool byTable : {false, true})
          for (int64_t batch : {1, 3})
            check({.element = element,
                   .rows = rows,
                   .columns = columns,
                   .rowStep = rows,
                   .columnStep = columns,
                   .batch = batch,
                   .byTable = byTable});
}

TEST_F(WideMoves, Gaps) {
  for (int64_t element = 1; element <= maxWideElement; ++element)
    for (int64_t rows : {2, 3, 4, 5, 10})
      check({.element = element,
             .rows = rows,
             .columns = 3,
             .rowStep = rows,
             .columnStep = 3,
             .batch = 2,
             .gap = 5});
}

/// Of a block the last is smaller; the last row of one is no reason to write
/// into the next.
TEST_F(WideMoves, Blocks) {
  for (int64_t element = 1; element <= maxWideElement; ++element)
    for (int64_t rowStep : {1, 2, 4, 7, 99})
      for (int64_t columnStep : {1, 3, 4})
        for (bool byTable : {false, true})
          check({.element = element,
                 .rows = 15,
                 .columns = 10,
                 .rowStep = rowStep,
                 .columnStep = columnStep,
                 .batch = 2,
                 .byTable = byTable});
}

} // namespace
