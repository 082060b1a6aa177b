//===- RandomProblems.cpp - the shim against one element at a time --------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-random COUNT [SEED]
//
// Permutes COUNT random problems: all element sizes, strides on either side,
// dims of src that are repeated or reversed, dims of dst that are reversed,
// 1 to 4 threads, buffers of any alignment that begin or end at a page that
// cannot be touched. Compares every byte of dst with what moving one element
// at a time gives, gaps included. Needs nothing but the shim: the stand-alone
// archive has it too.
//
//===----------------------------------------------------------------------===//

#include "permc-rt/permc_rt.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using Ints = std::vector<int64_t>;

/// Memory between two pages that cannot be touched.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes)
      : page(size_t(sysconf(_SC_PAGESIZE))),
        room((bytes + page - 1) / page * page) {
    void *memory = mmap(nullptr, room + 2 * page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("mmap");
      std::exit(2);
    }
    start = static_cast<unsigned char *>(memory) + page;
    mprotect(start, room, PROT_READ | PROT_WRITE);
  }
  GuardedMemory(const GuardedMemory &) = delete;
  ~GuardedMemory() { munmap(start - page, room + 2 * page); }

  unsigned char *first() { return start; }
  /// Where `bytes` bytes end with the last.
  unsigned char *last(size_t bytes) { return start + room - bytes; }

private:
  size_t page, room;
  unsigned char *start;
};

struct RandomProblem {
  int64_t element;
  Ints shape, perm;
  Ints srcStrides, dstStrides; ///< in elements
  bool givesSrcStrides, givesDstStrides;
  uint32_t threads;

  size_t rank() const { return shape.size(); }
  int64_t elements() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                           std::multiplies<>());
  }
  size_t srcBytes() const {
    int64_t last = 0;
    for (size_t i = 0; i < rank(); ++i)
      last += (shape[i] - 1) * std::abs(srcStrides[i]);
    return elements() ? size_t((last + 1) * element) : 0;
  }
  /// Where in its buffer the first element is.
  int64_t srcOrigin() const {
    int64_t first = 0;
    for (size_t i = 0; i < rank(); ++i)
      first += (shape[i] - 1) * std::max(-srcStrides[i], int64_t{0});
    return elements() ? first * element : 0;
  }
  int64_t dstOrigin() const {
    int64_t first = 0;
    for (size_t i = 0; i < rank(); ++i)
      first += (shape[perm[i]] - 1) * std::max(-dstStrides[i], int64_t{0});
    return elements() ? first * element : 0;
  }
  size_t dstBytes() const {
    int64_t last = 0;
    for (size_t i = 0; i < rank(); ++i)
      last += (shape[perm[i]] - 1) * std::abs(dstStrides[i]);
    return elements() ? size_t((last + 1) * element) : 0;
  }
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
  bool oneIn(int64_t count) { return between(1, count) == 1; }

  /// Some are not left to chance: one for each way to stream that takes a dim
  /// of a special size.
  RandomProblem next() {
    static const struct {
      int64_t element;
      Ints shape, perm;
    } streamed[] = {
        {2, {2, 600, 96, 60}, {2, 1, 0, 3}}, // rows of two dims of runs
        {4, {5, 36, 6001, 3}, {3, 2, 1, 0}}, // columns of two dims
        {4, {40, 8, 10240}, {0, 2, 1}},      // groups of 8 channels
        {4, {40, 10240, 8}, {0, 2, 1}},
        {2, {2048, 32, 128}, {1, 0, 2}},            // runs of lines
        {4, {32, 15, 15, 15, 32}, {4, 3, 2, 1, 0}}, // tiles, joined columns
        {4, {9, 24, 18, 8, 7, 8, 2}, {3, 6, 1, 4, 2, 0, 5}}, // split to panels
        {8, {15, 10, 12, 10, 13, 2, 4}, {5, 4, 3, 0, 2, 6, 1}},
    };
    if (given < std::size(streamed)) {
      const auto &[element, shape, perm] = streamed[given++];
      return make(element, shape, perm, false, false);
    }
    if (oneIn(4))
      return nextView();
    RandomProblem problem;
    // Mostly what shares a register, but larger ones too.
    problem.element = oneIn(4) ? between(1, 70) : between(1, 16);
    if (oneIn(2))
      problem.element = int64_t{1} << between(0, 4);
    problem.shape = Ints(size_t(between(0, 7)));
    // A few are large enough to be streamed.
    int64_t room = oneIn(80) ? 14 << 20 : oneIn(4) ? 600 << 10 : 40 << 10;
    room /= problem.element;
    for (int64_t &size : problem.shape) {
      const int64_t limits[] = {4, 20, 100, 1000, 10000};
      size = std::min(between(1, limits[between(0, 4)]), room);
      room /= size;
    }
    std::shuffle(problem.shape.begin(), problem.shape.end(), random);
    if (oneIn(50) && !problem.shape.empty())
      problem.shape[0] = 0;
    problem.perm = Ints(problem.rank());
    std::iota(problem.perm.begin(), problem.perm.end(), 0);
    std::shuffle(problem.perm.begin(), problem.perm.end(), random);
    return make(problem.element, problem.shape, problem.perm, oneIn(3),
                oneIn(3));
  }

private:
  RandomProblem make(int64_t element, const Ints &shape, const Ints &perm,
                     bool givesSrcStrides, bool givesDstStrides) {
    RandomProblem problem;
    problem.element = element;
    problem.shape = shape;
    problem.perm = perm;
    problem.givesSrcStrides = givesSrcStrides;
    problem.givesDstStrides = givesDstStrides;
    Ints out;
    for (int64_t axis : problem.perm)
      out.push_back(problem.shape[axis]);
    problem.srcStrides = strides(problem.shape, problem.givesSrcStrides);
    problem.dstStrides = strides(out, problem.givesDstStrides);
    if (problem.givesSrcStrides && oneIn(2))
      for (int64_t &stride : problem.srcStrides)
        stride *= between(-1, 1);
    if (problem.givesDstStrides && oneIn(2))
      for (int64_t &stride : problem.dstStrides)
        stride *= oneIn(2) ? -1 : 1;
    problem.threads = uint32_t(between(1, 4));
    return problem;
  }

  /// As those of numpy: an array whose dims are taken in steps, backwards or
  /// again and again, mostly in their order. The last is often as short as a
  /// pixel.
  RandomProblem nextView() {
    RandomProblem problem;
    problem.element = between(1, 17);
    problem.shape = Ints(size_t(between(1, 4)));
    int64_t room = (oneIn(8) ? 600 << 10 : 40 << 10) / problem.element;
    for (size_t i = problem.rank(); i-- > 0;) {
      const bool isShort = i + 1 == problem.rank() && oneIn(2);
      int64_t &size = problem.shape[i];
      size = std::min(between(1, isShort ? 5 : oneIn(2) ? 20 : 500), room);
      room /= size;
    }
    problem.perm = Ints(problem.rank());
    std::iota(problem.perm.begin(), problem.perm.end(), 0);
    if (oneIn(4))
      std::shuffle(problem.perm.begin(), problem.perm.end(), random);
    problem = make(problem.element, problem.shape, problem.perm, true,
                   /*givesDstStrides=*/oneIn(4));
    int64_t stride = 1;
    for (size_t i = problem.rank(); i-- > 0;) {
      const int64_t step = oneIn(2) ? 1 : between(-4, 5);
      problem.srcStrides[i] = stride * step;
      stride *= problem.shape[i] * std::max<int64_t>(std::abs(step), 1);
    }
    return problem;
  }

  /// With gaps, and not always in the order of the dims.
  Ints strides(const Ints &shape, bool gaps) {
    Ints order(shape.size()), strides(shape.size());
    std::iota(order.begin(), order.end(), 0);
    if (gaps && oneIn(2))
      std::shuffle(order.begin(), order.end(), random);
    int64_t stride = gaps && oneIn(3) ? between(1, 5) : 1;
    for (size_t i = shape.size(); i-- > 0;) {
      strides[order[i]] = stride;
      stride *= std::max<int64_t>(shape[order[i]], 1);
      if (gaps && oneIn(2))
        stride += between(0, 70);
    }
    return strides;
  }

  std::mt19937_64 random;
  size_t given = 0; ///< of those that are not random
};

/// Of the dims from `dim` on.
void moveOneByOne(const RandomProblem &problem, size_t dim,
                  const unsigned char *src, unsigned char *dst) {
  if (dim == problem.rank()) {
    for (int64_t i = 0; i < problem.element; ++i)
      dst[i] = src[i];
    return;
  }
  const int64_t axis = problem.perm[dim];
  for (int64_t i = 0; i < problem.shape[axis]; ++i)
    moveOneByOne(problem, dim + 1,
                 src + i * problem.srcStrides[axis] * problem.element,
                 dst + i * problem.dstStrides[dim] * problem.element);
}

void print(const char *name, const Ints &list) {
  std::printf(" %s", name);
  for (int64_t value : list)
    std::printf(" %lld", (long long)value);
}

void describe(const RandomProblem &problem) {
  std::printf("element %lld threads %u", (long long)problem.element,
              problem.threads);
  print("shape", problem.shape);
  print("perm", problem.perm);
  if (problem.givesSrcStrides)
    print("src strides", problem.srcStrides);
  if (problem.givesDstStrides)
    print("dst strides", problem.dstStrides);
  std::printf("\n");
}

bool isRight(const RandomProblem &problem, Generator &generator) {
  const size_t srcBytes = problem.srcBytes(), dstBytes = problem.dstBytes();
  // At the start of a page everything is aligned; at the end nothing is.
  const size_t shift =
      generator.oneIn(2) ? 0 : size_t(generator.between(1, 64));
  GuardedMemory srcMemory(srcBytes + shift), dstMemory(dstBytes + shift);
  unsigned char *src =
      generator.oneIn(2) ? srcMemory.first() + shift : srcMemory.last(srcBytes);
  unsigned char *dst =
      generator.oneIn(2) ? dstMemory.first() + shift : dstMemory.last(dstBytes);
  for (size_t i = 0; i < srcBytes; ++i)
    src[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  constexpr unsigned char gap = 0xEE;
  std::memset(dst, gap, dstBytes);
  std::vector<unsigned char> expected(dstBytes, gap);
  if (problem.elements() > 0)
    moveOneByOne(problem, 0, src + problem.srcOrigin(),
                 expected.data() + problem.dstOrigin());
  permc_status status = permc_rt_permute(
      src + problem.srcOrigin(), dst + problem.dstOrigin(),
      uint32_t(problem.rank()), problem.shape.data(), problem.perm.data(),
      problem.givesSrcStrides ? problem.srcStrides.data() : nullptr,
      problem.givesDstStrides ? problem.dstStrides.data() : nullptr,
      uint64_t(problem.element), problem.threads);
  if (status != PERMC_OK) {
    std::printf("%s: %s\n", permc_rt_status_name(status),
                permc_rt_last_error());
    return false;
  }
  if (dstBytes == 0 || std::memcmp(dst, expected.data(), dstBytes) == 0)
    return true;
  for (size_t i = 0; i < dstBytes; ++i)
    if (dst[i] != expected[i]) {
      std::printf("byte %zu of %zu is %d; expected %d\n", i, dstBytes, dst[i],
                  expected[i]);
      return false;
    }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: permc-rt-random COUNT [SEED]\n");
    return 2;
  }
  const long count = std::atol(argv[1]);
  Generator generator(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  permc_rt_get_statistics(&statistics);
  for (long i = 0; i < count; ++i) {
    RandomProblem problem = generator.next();
    if (!isRight(problem, generator)) {
      std::printf("problem %ld: ", i);
      describe(problem);
      return 1;
    }
  }
  std::printf("%ld problems are right with the kernels for %s\n", count,
              statistics.target);
  return 0;
}
