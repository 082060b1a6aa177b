//===- JitTest.cpp - kernels are shared, kept and bounded -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/JIT/KernelCache.h"
#include "../../../lib/JIT/KernelKey.h"
#include "NaivePermute.h"

#include "permc/JIT/Jit.h"

#include "gtest/gtest.h"

#include <atomic>
#include <barrier>
#include <fstream>
#include <numeric>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace permc;

namespace {

Request request(int64_t element, Dims shape, Dims perm,
                std::string name = "k") {
  return {std::move(name), *Problem::make(element, shape, perm),
          "bytes" + std::to_string(element), *findTarget("native"), ""};
}

std::unique_ptr<Jit> makeJit(JitOptions options = {}) {
  return std::move(*Jit::create(options));
}

/// Whether the kernel does what the naive loop does.
bool works(const Kernel &kernel, const Problem &problem) {
  std::vector<unsigned char> src(problem.srcSpan()), dst(problem.dstSpan()),
      expected(problem.dstSpan());
  std::iota(src.begin(), src.end(), 0);
  naivePermute(problem, src.data(), expected.data());
  kernel(src.data(), dst.data());
  return dst == expected;
}

bool works(Jit &jit, const Request &wanted) {
  Result<Kernel> kernel = jit.compile(wanted);
  return kernel && works(*kernel, wanted.problem);
}

TEST(Jit, MakesKernelsForTheMachineOfAFile) {
  const std::string path = testing::TempDir() + "permc-jit-machine.yaml";
  std::ofstream(path) << "l1Bytes: 4096\nl1Ways: 2\nmemoryNs: 77\n";
  auto jit = makeJit({.machineFile = path});
  std::ofstream(path) << "broken"; // it was read already
  auto target = jit->findTarget("native");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->facts.l1Bytes, 4096);
  EXPECT_EQ(target->facts.memoryNs, 77);
  EXPECT_EQ(target->facts.l2Bytes, findTarget("native")->facts.l2Bytes);
  Request forFile = request(4, {50, 60}, {1, 0});
  forFile.target = *target;
  EXPECT_TRUE(works(*jit, forFile));
  // Another machine, another kernel.
  EXPECT_TRUE(works(*jit, request(4, {50, 60}, {1, 0})));
  EXPECT_EQ(jit->statistics().compiled, 2u);

  auto broken = Jit::create({.machineFile = path});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message,
            path + ":1:1: error: this is no machine; expected lines such as "
                   "'l2Ns: 0.3', as 'permc calibrate' writes them");
  unlink(path.c_str());
  auto missing = Jit::create({.machineFile = path});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().cause, Cause::BadFile);
}

TEST(Jit, RequestsOfOneCanonicalProblemShareAKernel) {
  auto jit = makeJit();
  auto first = jit->compile(request(4, {8, 9, 4, 6}, {2, 3, 0, 1}, "first"));
  auto second = jit->compile(request(4, {72, 1, 24}, {2, 1, 0}, "second"));
  auto third = jit->compile(request(2, {72, 24, 2}, {1, 0, 2}, "third"));
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(jit->statistics().compiled, 1u);
  EXPECT_EQ(jit->statistics().cacheHits, 2u);
  EXPECT_EQ(first->describe().run, third->describe().run);

  // Each describes itself as it was asked for.
  EXPECT_STREQ(first->describe().name, "first");
  EXPECT_EQ(first->describe().rank, 4u);
  EXPECT_EQ(second->describe().rank, 3u);
  EXPECT_EQ(third->describe().element_bytes, 2u);
  EXPECT_EQ(third->describe().shape[2], 2);
  EXPECT_EQ(third->describe().src_strides[0], 48);
  EXPECT_EQ(third->describe().dst_bytes, first->describe().dst_bytes);
}

TEST(Jit, ProblemsThatDifferOnlyInStridesDoNotShare) {
  auto jit = makeJit();
  Request gaps = request(4, {8, 8}, {1, 0});
  gaps.problem = *Problem::make(4, {8, 8}, {1, 0}, Dims{9, 1});
  EXPECT_TRUE(works(*jit, request(4, {8, 8}, {1, 0})));
  EXPECT_TRUE(works(*jit, gaps));
  EXPECT_EQ(jit->statistics().compiled, 2u);
}

TEST(Jit, ASchedulesOverrideIsPartOfTheKey) {
  auto jit = makeJit();
  Request plain = request(4, {64, 64}, {1, 0});
  Request scalar = plain;
  scalar.schedule = "#permc.schedule<scalar, tile = [1, 1], loops = [0 : 1, "
                    "1 : 1], units = 0, vector = 4>";
  Result<Kernel> kernel = jit->compile(scalar);
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_TRUE(works(*kernel, scalar.problem));
  EXPECT_TRUE(works(*jit, plain));
  EXPECT_EQ(jit->statistics().compiled, 2u);
}

TEST(Jit, EverythingThatCodeDependsOnIsInTheKey) {
  const Request plain = request(4, {64, 48}, {1, 0});
  std::vector<Request> others(6, plain);
  others[0].schedule = "a";
  others[1].unaligned = "a";
  others[2].target.triple += "x";
  others[3].target.cpu += "x";
  others[4].target.features += "x";
  others[5].target.facts.planner = findTarget("aarch64")->facts.planner;
  std::set<std::string> keys = {kernelKey(plain.problem, plain)};
  for (const Request &other : others)
    keys.insert(kernelKey(plain.problem, other));
  const std::vector<Problem> problems = {
      *Problem::make(8, {64, 48}, {1, 0}), *Problem::make(4, {48, 64}, {1, 0}),
      *Problem::make(4, {64, 48}, {0, 1}),
      *Problem::make(4, {64, 48}, {1, 0}, Dims{50, 1}),
      *Problem::make(4, {64, 48}, {1, 0}, {}, Dims{70, 1})};
  for (const Problem &problem : problems)
    keys.insert(kernelKey(problem, plain));
  EXPECT_EQ(keys.size(), 1 + others.size() + problems.size());
}

TEST(Jit, SixtyFourThreadsCompileOnce) {
  auto jit = makeJit();
  const Request wanted = request(4, {40, 24}, {1, 0});
  constexpr int count = 64;
  std::barrier together(count);
  std::vector<int> ok(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      together.arrive_and_wait();
      ok[i] = works(*jit, wanted);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::accumulate(ok.begin(), ok.end(), 0), count);
  EXPECT_EQ(jit->statistics().compiled, 1u);
}

TEST(Jit, AFailureReachesEveryThreadAndIsNotKept) {
  auto jit = makeJit();
  Request bad = request(4, {40, 24}, {1, 0});
  bad.schedule = "nonsense";
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      Result<Kernel> kernel = jit->compile(bad);
      failures += !kernel && kernel.error().cause == Cause::BadSchedule;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 8);
  EXPECT_EQ(jit->statistics().cachedKernels, 0);
}

TEST(Jit, AnExceptionReachesThoseWhoWaitAndIsNotKept) {
  KernelCache cache(1 << 20);
  std::barrier together(2);
  auto fails = [&]() -> Result<KernelCache::SharedCode> {
    together.arrive_and_wait(); // until the other one is about to ask
    throw std::length_error("too long");
  };
  std::thread waits([&] {
    together.arrive_and_wait();
    // Told by the first, or alone.
    auto code = cache.get("key", []() -> Result<KernelCache::SharedCode> {
      return Error{Cause::BadSize, "made anew"};
    });
    EXPECT_FALSE(code);
  });
  auto code = cache.get("key", fails);
  waits.join();
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().cause, Cause::Internal);
  EXPECT_NE(code.error().message.find("too long"), std::string::npos);
  EXPECT_EQ(cache.counts().kernels, 0);
}

TEST(Jit, TheCacheStaysWithinItsBytesAndEvictsTheOldest) {
  auto jit = makeJit();
  ASSERT_TRUE(works(*jit, request(4, {8, 8}, {1, 0})));
  const int64_t one = jit->statistics().cachedBytes;

  auto small = makeJit({.cacheBytes = 3 * one + one / 2, .cacheDirectory = ""});
  auto use = [&](int64_t size) {
    ASSERT_TRUE(works(*small, request(4, {8, size}, {1, 0})));
    ASSERT_LE(small->statistics().cachedBytes, 3 * one + one / 2);
  };
  // 8 is used again before 24 makes room for 32, so 16 must be the one to go.
  for (int64_t size : {8, 16, 24, 8, 32})
    use(size);
  EXPECT_EQ(small->statistics().compiled, 4u);
  use(8);
  EXPECT_EQ(small->statistics().compiled, 4u);
  use(16);
  EXPECT_EQ(small->statistics().compiled, 5u);
  EXPECT_GT(small->statistics().evicted, 0u);
}

TEST(Jit, EvictionLeavesCodeThatIsInUse) {
  auto jit = makeJit({.cacheBytes = 1, .cacheDirectory = ""});
  const Request wanted = request(4, {40, 24}, {1, 0});
  Result<Kernel> kept = jit->compile(wanted);
  ASSERT_TRUE(kept);
  EXPECT_EQ(jit->statistics().cachedKernels, 0);
  for (int64_t size = 1; size < 20; ++size)
    ASSERT_TRUE(works(*jit, request(2, {size + 3, 5}, {1, 0})));
  EXPECT_TRUE(works(*kept, wanted.problem));
}

TEST(Jit, AKernelOutlivesItsJit) {
  auto jit = makeJit();
  const Request wanted = request(8, {12, 10}, {1, 0});
  Result<Kernel> kernel = jit->compile(wanted);
  ASSERT_TRUE(kernel);
  jit.reset();
  Kernel copy = *kernel;
  EXPECT_TRUE(works(copy, wanted.problem));
}

TEST(Jit, ATargetOfAnotherMachineIsRefused) {
  auto jit = makeJit();
  Request wanted = request(4, {8, 8}, {1, 0});
  wanted.target.triple = "aarch64-unknown-linux-gnu";
  Result<Kernel> kernel = jit->compile(wanted);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().cause, Cause::Unsupported);
}

TEST(Jit, AnElementThatNoDescriptionCanHoldIsRefused) {
  auto jit = makeJit();
  Result<Kernel> kernel =
      jit->compile(request(int64_t(1) << 32, {2, 2}, {1, 0}));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().cause, Cause::BadElement);
}

/// Of this process's memory: how much can be written and executed.
size_t countWritableCode() {
  std::ifstream maps("/proc/self/maps");
  size_t found = 0;
  for (std::string line; std::getline(maps, line);)
    found += line.find(" rwx") != std::string::npos ||
             line.find(" -wx") != std::string::npos;
  return found;
}

TEST(Jit, CodeIsNeverWritableAndExecutable) {
  // The test of the test.
  const long page = sysconf(_SC_PAGESIZE);
  void *both = mmap(nullptr, size_t(page), PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(both, MAP_FAILED);
  ASSERT_EQ(countWritableCode(), 1u);
  munmap(both, size_t(page));

  auto jit = makeJit();
  std::atomic<bool> done = false;
  std::atomic<size_t> found = 0, looks = 0;
  std::thread watcher([&] {
    while (!done) {
      found += countWritableCode();
      ++looks;
    }
  });
  for (int64_t rows = 1; rows < 30; ++rows)
    EXPECT_TRUE(works(*jit, request(4, {rows, 19}, {1, 0})));
  done = true;
  watcher.join();
  EXPECT_GT(looks, 10u);
  EXPECT_EQ(found, 0u);
}

TEST(Jit, EmptyAndScalarTensors) {
  auto jit = makeJit();
  EXPECT_TRUE(works(*jit, request(4, {3, 0, 5}, {2, 1, 0})));
  EXPECT_TRUE(works(*jit, request(4, {}, {})));
  EXPECT_TRUE(works(*jit, request(100, {1, 1}, {1, 0})));
}

TEST(Jit, ContextsAreReplacedWithoutNotice) {
  // More problems than one MLIR context serves.
  auto jit = makeJit();
  for (int64_t size = 2; size < 540; ++size)
    ASSERT_TRUE(works(*jit, request(1, {size}, {0})));
  EXPECT_TRUE(works(*jit, request(4, {24, 16}, {1, 0})));
}

TEST(Compiler, AKeptBackEndGivesTheBytesOfAFreshOne) {
  const Request a = request(4, {24, 16}, {1, 0}, "a"),
                b = request(1, {31, 3, 7}, {2, 0, 1}, "b");
  auto object = [](Compiler &compiler, const Request &wanted) {
    return compiler.compile({wanted}, Emit::Object)->bytes;
  };
  Compiler kept, fresh;
  const std::string first = object(kept, a), other = object(kept, b);
  EXPECT_EQ(object(kept, a), first);
  EXPECT_EQ(object(fresh, b), other);
  EXPECT_NE(first, other);
}

} // namespace
