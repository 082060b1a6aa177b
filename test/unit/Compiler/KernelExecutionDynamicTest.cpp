//===- KernelExecutionDynamicTest.cpp - kernels with dynamic dims ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel is compiled once and verified with many dims: every element,
// between guard pages, at several alignments, whole and in parts.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "PlanTesting.h"

#include "permc/JIT/Permute.h"
#include "permc/JIT/Verify.h"

#include <numeric>

using namespace permc;

namespace {

constexpr int64_t any = dynamicDim;

/// Creating one takes longer than most compiles.
Compiler &sharedCompiler() {
  static Compiler compiler;
  return compiler;
}

class KernelExecutionDynamic : public X86LevelTest {
protected:
  /// Compiles the kernel; null, with a failure, if that is impossible.
  std::optional<Kernel> compile(const Request &request) {
    auto object = sharedCompiler().compile({request}, Emit::Object);
    EXPECT_TRUE(object) << object.error().message;
    if (!object)
      return std::nullopt;
    auto kernel = sharedJit().load(object->bytes, request.name);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return kernel ? std::optional<Kernel>(*kernel) : std::nullopt;
  }

  void check(int64_t element, const Dims &shape, const Dims &perm,
             std::vector<Dims> choices, std::vector<Dims> specialized = {}) {
    check(DynamicProblem::make(element, shape, perm), std::move(choices),
          specialized);
  }

  /// With strides in elements, some of which come with the call.
  void checkStrided(int64_t element, const Dims &shape, const Dims &perm,
                    const std::optional<Dims> &src,
                    const std::optional<Dims> &dst) {
    unsigned count = 0;
    auto number = [&](const Dims &list, int64_t unit) {
      DynamicProblem::Sizes sizes;
      for (int64_t size : list)
        sizes.push_back(size == any ? DynamicSize{unit, uint64_t(1) << count++}
                                    : DynamicSize{size * unit, 0});
      return sizes;
    };
    DynamicProblem::Sizes sizes = number(shape, 1);
    std::optional<DynamicProblem::Sizes> srcStrides, dstStrides;
    if (src)
      srcStrides = number(*src, element);
    if (dst)
      dstStrides = number(*dst, element);
    check(DynamicProblem::make(element, sizes, perm, count, srcStrides,
                               dstStrides),
          {});
  }

  void check(const Result<DynamicProblem> &problem, std::vector<Dims> choices,
             const std::vector<Dims> &specialized = {}) {
    ASSERT_TRUE(problem) << problem.error().message;
    const Dims &perm = problem->perm();
    const int64_t element = problem->elementBytes();
    SCOPED_TRACE(spellShape(problem->shape()) + " by " + spellList(perm) +
                 ", elements of " + std::to_string(element));
    Request request = makeRequest("k", *problem, "bytes", target, specialized);
    std::optional<Kernel> kernel = compile(request);
    ASSERT_TRUE(kernel);
    if (choices.empty()) {
      auto decisions = Compiler::decideDynamic(request);
      ASSERT_TRUE(decisions) << decisions.error().message;
      choices = chooseDims(*problem, decisions->variants, specialized);
      EXPECT_GE(choices.size(), 3u);
    }
    auto report = verifyDynamicKernel(*problem, kernel->describe(), choices);
    ASSERT_TRUE(report) << report.error().message;
  }

  /// Sizes for all dynamic dims of a shape, and not too many elements.
  static Dims randomDims(const Dims &shape, std::mt19937_64 &random) {
    static constexpr int64_t sizes[] = {0,  1,  1,  2,  3,  4,  5,  7,   8,  9,
                                        15, 16, 17, 31, 33, 64, 65, 100, 257};
    int64_t left = 1 << 12;
    for (int64_t size : shape)
      left /= size == any ? 1 : std::max<int64_t>(size, 1);
    Dims values;
    for (int64_t size : shape)
      if (size == any) {
        int64_t value = sizes[random() % std::size(sizes)];
        if (random() % 8 != 0)
          value = std::max<int64_t>(value, 1);
        value = std::min(value, std::max<int64_t>(left, 1));
        left /= std::max<int64_t>(value, 1);
        values.push_back(value);
      }
    return values;
  }
};

TEST_P(KernelExecutionDynamic, RandomProblems) {
  std::mt19937_64 random(40260 + target.facts.vectorBytes);
  static constexpr int64_t sizes[] = {1, 2, 2, 3, 3, 4, 5, 8, 16, 24, 33, 64};
  for (int i = 0; i < 24; ++i) {
    // Half of the problems stream what others keep in the cache.
    target.facts.l3Bytes = i % 2 ? 24 << 20 : 2 << 10;
    Dims shape, perm(1 + random() % 5);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    int64_t product = 1;
    for (size_t dim = 0; dim < perm.size(); ++dim) {
      int64_t size = sizes[random() % std::size(sizes)];
      shape.push_back(product * size > 2000 || random() % 2 ? any : size);
      product *= shape.back() == any ? 1 : size;
    }
    shape[random() % shape.size()] = any;
    int64_t element = 1 + int64_t(random() % (i % 3 ? 8 : 16));
    std::vector<Dims> choices;
    for (int call = 0; call < 6; ++call)
      choices.push_back(randomDims(shape, random));
    ASSERT_NO_FATAL_FAILURE(check(element, shape, perm, choices));
  }
}

/// The dims at which the guards of each variant change their minds.
TEST_P(KernelExecutionDynamic, EdgesOfVariants) {
  target.facts.l3Bytes = 32 << 10;
  check(4, {any, any}, {1, 0}, {});
  check(1, {any, any}, {1, 0}, {});
  check(1, {any, 6, 3}, {2, 0, 1}, {});
  check(2, {any, 3, any, 16}, {0, 2, 1, 3}, {});
  check(3, {7, any}, {1, 0}, {});
  check(4, {any, 5, any}, {1, 0, 2}, {});
}

TEST_P(KernelExecutionDynamic, Strides) {
  target.facts.l3Bytes = 32 << 10;
  constexpr auto dense = std::nullopt;
  // Known ones, which leave gaps.
  checkStrided(4, {any, 4, 5}, {0, 2, 1}, Dims{40, 8, 1}, dense);
  checkStrided(4, {any, any}, {1, 0}, Dims{1000, 1}, dense);
  checkStrided(1, {any, any}, {1, 0}, dense, Dims{1000, 1});
  checkStrided(2, {any, any, 3}, {2, 0, 1}, Dims{1000, 4, 1},
               Dims{5000, 100, 1});
  checkStrided(8, {any, 7}, {0, 1}, Dims{14, 2}, dense); // every second one
  checkStrided(4, {5, any}, {0, 1}, Dims{1, 8}, dense);  // column-major
  // Those of the call.
  checkStrided(1, {any, any, 3}, {2, 0, 1}, Dims{any, 3, 1}, dense);
  checkStrided(4, {any, any}, {1, 0}, Dims{any, 1}, Dims{any, 1});
  checkStrided(4, {any, any}, {0, 1}, Dims{any, 1}, dense);
  checkStrided(2, {any, 9}, {1, 0}, Dims{any, any}, Dims{any, any});
  checkStrided(4, {16, 16, 4}, {1, 0, 2}, Dims{any, 4, 1}, Dims{any, 4, 1});
  checkStrided(3, {any, 8, any}, {2, 1, 0}, dense, Dims{any, any, 1});
  checkStrided(16, {any, any}, {1, 0}, Dims{any, 2}, dense);
}

/// Dims that src repeats or reverses, or that dst goes back through.
TEST_P(KernelExecutionDynamic, Views) {
  constexpr auto dense = std::nullopt;
  checkStrided(2, {any}, {0}, Dims{-1}, dense);
  checkStrided(4, {any, any}, {1, 0}, Dims{100, -1}, dense);
  checkStrided(4, {any, any}, {1, 0}, Dims{-100, 1}, dense);
  checkStrided(1, {any, any, 3}, {0, 1, 2}, Dims{any, 3, -1}, dense);
  checkStrided(1, {any, any, 3}, {2, 0, 1}, Dims{any, 3, -1}, dense);
  checkStrided(8, {any, any}, {0, 1}, Dims{0, 1}, dense);
  checkStrided(2, {any, any}, {0, 1}, Dims{1, 0}, dense);
  checkStrided(3, {any, 5, any}, {2, 0, 1}, Dims{0, 0, -2}, dense);
  checkStrided(4, {any, any}, {1, 0}, dense, Dims{1, -1000});
  checkStrided(1, {any, any}, {0, 1}, Dims{0, 1}, Dims{-1, -1000});
  // A tile with rows of both signs.
  checkStrided(4, {any, 2, any, 4}, {2, 3, 1, 0}, Dims{1, -200, 500, 40},
               dense);
}

TEST_P(KernelExecutionDynamic, RandomViews) {
  std::mt19937_64 random(270 + target.facts.vectorBytes);
  for (int i = 0; i < 16; ++i) {
    Dims shape, perm(1 + random() % 4);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    int64_t room = 200;
    for (size_t dim = 0; dim < perm.size(); ++dim) {
      const auto size = int64_t(2 + random() % 6);
      shape.push_back(size > room || random() % 2 ? any : size);
      room /= shape.back() == any ? 1 : size;
    }
    // Strides of src may be whatever they are; those of dst come with the call
    // where sizes do, for else it is not known that there is room.
    auto sign = [&] { return random() % 3 == 0 ? -1 : 1; };
    Dims src, dst;
    int64_t span = 1;
    for (size_t dim = 0; dim < perm.size(); ++dim)
      src.push_back(random() % 4 == 0   ? any
                    : random() % 4 == 0 ? 0
                                        : sign() * int64_t(1 + random() % 40));
    for (size_t dim = perm.size(); dim-- > 0;) {
      dst.insert(dst.begin(), span == any ? any : sign() * span);
      const int64_t size = shape[size_t(perm[dim])];
      span = span == any || size == any ? any : span * size + random() % 2;
    }
    SCOPED_TRACE(spellList(shape) + spellList(src) + spellList(dst));
    shape[random() % shape.size()] = any;
    checkStrided(int64_t(1 + random() % 8), shape, perm, src,
                 random() % 2 ? std::nullopt : std::optional(dst));
  }
}

TEST_P(KernelExecutionDynamic, CopiesOfAnySize) {
  check(1, {any}, {0}, {{0}, {1}, {15}, {16}, {127}, {128}, {129}, {70001}});
  check(4, {any, 1, any}, {0, 2, 1}, {{3, 5}, {0, 5}, {100, 100}});
}

TEST_P(KernelExecutionDynamic, SpecializedShapes) {
  check(1, {any, 6, 5, 3}, {0, 3, 1, 2}, {{0}, {1}, {2}, {3}, {8}, {9}},
        {{1}, {8}});
  check(4, {any, any}, {1, 0}, {{8, 8}, {8, 9}, {9, 8}, {0, 8}, {64, 32}},
        {{8, 8}, {64, 32}, {0, 8}});
}

/// A static dim of 0, dims of 0 in any place, and dims below 0, of which the
/// contract says nothing but that they are not to be relied on.
TEST_P(KernelExecutionDynamic, NothingToMove) {
  check(4, {any, 0, any}, {2, 1, 0}, {{0, 0}, {3, 5}});
  auto problem = DynamicProblem::make(4, Dims{any, 3, any}, {2, 1, 0});
  std::optional<Kernel> kernel =
      compile(makeRequest("k", *problem, "f32", target));
  ASSERT_TRUE(kernel);
  unsigned char untouched = 7;
  for (const Dims &dims : {Dims{0, 5}, Dims{5, 0}, Dims{-1, 5}, Dims{-1, -1}})
    kernel->describe().run_dynamic(nullptr, &untouched, dims.data());
  EXPECT_EQ(untouched, 7);
}

/// Whatever part and parts are, nothing breaks and shares make up the whole.
TEST_P(KernelExecutionDynamic, OddParts) {
  auto problem = DynamicProblem::make(2, Dims{any, any}, {1, 0});
  std::optional<Kernel> kernel =
      compile(makeRequest("k", *problem, "u16", target));
  ASSERT_TRUE(kernel);
  const permc_kernel &info = kernel->describe();
  const Dims dims = {300, 70};
  std::mt19937_64 random(5);
  auto src = randomBytes(2 * 300 * 70, random);
  LineBuffer whole(2 * 300 * 70), parts = whole, none = whole;
  info.run_dynamic(src.data(), whole.data(), dims.data());
  info.run_dynamic_part(src.data(), parts.data(), dims.data(), 0, 0);
  info.run_dynamic_part(src.data(), parts.data(), dims.data(), 5, 5);
  info.run_dynamic_part(src.data(), parts.data(), dims.data(), UINT32_MAX,
                        UINT32_MAX);
  EXPECT_TRUE(parts == none);
  for (uint32_t part = 0; part < 1000; ++part)
    info.run_dynamic_part(src.data(), parts.data(), dims.data(), part, 1000);
  EXPECT_TRUE(parts == whole);
}

INSTANTIATE_X86_LEVELS(KernelExecutionDynamic);

TEST(KernelExecutionDynamicInfo, DescribesItself) {
  auto problem = DynamicProblem::make(2, {{5, 0}, {1, 0b10}, {1, 0b1}, {3, 0}},
                                      {1, 0, 3, 2}, 2);
  ASSERT_TRUE(problem) << problem.error().message;
  auto object = sharedCompiler().compile(
      {makeRequest("my_kernel", *problem, "f16", *findTarget("x86-64"))},
      Emit::Object);
  ASSERT_TRUE(object) << object.error().message;
  auto kernel = sharedJit().load(object->bytes, "my_kernel");
  ASSERT_TRUE(kernel) << kernel.error().message;
  const permc_kernel &info = kernel->describe();
  auto list = [](const int64_t *values, size_t count) {
    return Dims(values, values + count);
  };
  EXPECT_EQ(info.size, sizeof(permc_kernel));
  EXPECT_EQ(info.rank, 4u);
  EXPECT_EQ(info.element_bytes, 2u);
  EXPECT_EQ(info.src_bytes, 0u);
  EXPECT_EQ(info.dst_bytes, 0u);
  EXPECT_EQ(list(info.shape, 4), (Dims{5, PERMC_DYNAMIC, PERMC_DYNAMIC, 3}));
  EXPECT_EQ(list(info.perm, 4), (Dims{1, 0, 3, 2}));
  EXPECT_EQ(list(info.src_strides, 4),
            (Dims{PERMC_DYNAMIC_STRIDE, PERMC_DYNAMIC_STRIDE, 3, 1}));
  EXPECT_EQ(list(info.dst_strides, 4),
            (Dims{PERMC_DYNAMIC_STRIDE, PERMC_DYNAMIC_STRIDE,
                  PERMC_DYNAMIC_STRIDE, 1}));
  EXPECT_STREQ(info.name, "my_kernel");
  EXPECT_STREQ(info.element, "f16");
  EXPECT_EQ(info.run, nullptr);
  EXPECT_EQ(info.run_part, nullptr);
  EXPECT_EQ(info.dynamic_dims, 2u);
  EXPECT_EQ(list(info.dynamic_axes, 2), (Dims{2, 1}));
  EXPECT_NE(info.run_dynamic, nullptr);
  EXPECT_NE(info.run_dynamic_part, nullptr);
}

TEST(KernelExecutionDynamicInfo, StaticKernelsHaveNoDynamicEntries) {
  auto kernel = sharedJit().compile(
      requestFor(problemOf(4, {3, 5}, {1, 0}), *findTarget("x86-64")));
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->describe().dynamic_dims, 0u);
  EXPECT_EQ(kernel->describe().dynamic_axes, nullptr);
  EXPECT_EQ(kernel->describe().run_dynamic, nullptr);
  EXPECT_EQ(kernel->describe().run_dynamic_part, nullptr);
}

TEST(KernelExecutionDynamicRefused, WhereShapesMustBeKnown) {
  auto problem = DynamicProblem::make(4, Dims{any, 3}, {1, 0});
  Request request = makeRequest("k", *problem, "f32", *findTarget("x86-64"));
  EXPECT_ERROR(sharedJit().compile(request), Cause::Unsupported,
               "k has dynamic dims, ?0x3; expected a static shape: the JIT "
               "makes a kernel for each");
  EXPECT_ERROR(sharedCompiler().decide(request), Cause::Unsupported,
               "k has dynamic dims, ?0x3; expected a static shape here");
  auto object = sharedCompiler().compile({request}, Emit::Object);
  ASSERT_TRUE(object) << object.error().message;
  auto kernel = sharedJit().load(object->bytes, "k");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_ERROR(run(*kernel, nullptr, nullptr), Cause::Unsupported,
               "the kernel 'k' has 1 dynamic dims; expected one for a static "
               "shape");
  Request c = makeRequest("k", *problem, "f32", *findTarget("c99"));
  EXPECT_ERROR(sharedCompiler().compile({c}, Emit::C), Cause::Unsupported,
               "k has dynamic dims, ?0x3; the target 'c99' makes C, and takes "
               "static shapes only");
  request.schedule = "#permc.schedule<...>";
  EXPECT_ERROR(sharedCompiler().compile({request}, Emit::Object),
               Cause::BadSchedule,
               "a schedule for k, whose dims ?0x3 are dynamic; expected none: "
               "it has one for each of its variants");
}

/// The verifier would see a kernel that is wrong for some dims only.
TEST(KernelExecutionDynamicVerify, FindsMistakes) {
  auto problem = DynamicProblem::make(1, Dims{any}, {0});
  static const int64_t axis = 0, shape = PERMC_DYNAMIC, perm = 0, stride = 1;
  permc_kernel kernel = {};
  kernel.size = sizeof kernel;
  kernel.rank = 1;
  kernel.element_bytes = 1;
  kernel.shape = &shape;
  kernel.perm = &perm;
  kernel.src_strides = kernel.dst_strides = &stride;
  kernel.name = "fake";
  kernel.dynamic_dims = 1;
  kernel.dynamic_axes = &axis;
  // Forgets the last byte of 5.
  kernel.run_dynamic = [](const void *src, void *dst, const int64_t *dims) {
    std::memcpy(dst, src, size_t(dims[0] - (dims[0] == 5)));
  };
  kernel.run_dynamic_part = [](const void *src, void *dst, const int64_t *dims,
                               uint32_t part, uint32_t) {
    if (part == 0)
      std::memcpy(dst, src, size_t(dims[0]));
  };
  EXPECT_TRUE(verifyDynamicKernel(*problem, kernel, {{0}, {4}, {6}}));
  auto found = verifyDynamicKernel(*problem, kernel, {{4}, {5}});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("output element [4] (byte 4 of dst) was "
                                       "not written"),
            std::string::npos)
      << found.error().message;
  EXPECT_NE(found.error().message.find("with the dims [5]"), std::string::npos);
  // Reads one dim more than there are.
  kernel.run_dynamic = [](const void *src, void *dst, const int64_t *dims) {
    volatile int64_t past = dims[1];
    std::memcpy(dst, src, size_t(dims[0] + 0 * past));
  };
  EXPECT_FALSE(verifyDynamicKernel(*problem, kernel, {{4}}));
  kernel.dynamic_dims = 2;
  auto described = verifyDynamicKernel(*problem, kernel, {{4}});
  EXPECT_ERROR(described, Cause::VerifyFailed,
               "kernel 'fake' does not describe its problem: 2 dynamic dims "
               "instead of 1");
}

/// The share of a part that does not exist is nothing, whatever the kernel.
TEST_P(KernelExecutionDynamic, PartsThatDoNotExistMoveNothing) {
  auto problem = DynamicProblem::make(4, {any, 24}, {1, 0});
  ASSERT_TRUE(problem);
  for (const std::vector<Dims> &specialized :
       {std::vector<Dims>{}, std::vector<Dims>{{40}}}) {
    std::optional<Kernel> kernel =
        compile(makeRequest("k", *problem, "f32", target, specialized));
    ASSERT_TRUE(kernel);
    const int64_t dims[] = {40};
    LineBuffer src(40 * 24 * 4), dst(40 * 24 * 4);
    std::memset(src.data(), 1, src.size());
    const LineBuffer before = dst;
    for (auto [part, parts] : {std::pair(0u, 0u),
                               {1u, 0u},
                               {1u, 1u},
                               {3u, 3u},
                               {~0u, 2u},
                               {4u, 3u}}) {
      kernel->describe().run_dynamic_part(src.data(), dst.data(), dims, part,
                                          parts);
      EXPECT_TRUE(dst == before) << part << " of " << parts;
    }
  }
}

} // namespace
