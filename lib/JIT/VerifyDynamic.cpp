//===- VerifyDynamic.cpp - proof of kernels with dynamic dims -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With its dims fixed a dynamic kernel is a kernel like any other, and is
// verified like one. What cannot be proven for all dims is tried where things
// change: round each bound of each guard.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Verify.h"

#include "GuardedBuffer.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

using namespace permc;

//===----------------------------------------------------------------------===//
// Choosing dims
//===----------------------------------------------------------------------===//

namespace {

/// Tensors up to this size are verified in milliseconds.
constexpr int64_t quickBytes = 64 << 10;

/// Strided ones may be larger than what they move, but not by much.
constexpr int64_t mostBytes = 64 << 20;

/// Besides these only what some guard asks for.
constexpr size_t maxRandomChoices = 24;

class DimChooser {
public:
  DimChooser(const DynamicProblem &problem,
             const std::vector<Variant> &variants)
      : problem(problem), variants(variants),
        interesting(problem.dynamicDims(), Dims{0, 1, 2, 3, 5, 7, 8, 16, 33}) {
    for (const Variant &variant : variants)
      for (const Guard &guard : variant.guards)
        addBound(guard);
  }

  std::vector<Dims> choose(const std::vector<Dims> &specialized) {
    const size_t count = problem.dynamicDims();
    add(Dims(count, 1));
    for (size_t dim = 0; dim < count; ++dim)
      for (int64_t size : {0, 2}) {
        Dims values(count, 1);
        values[dim] = size;
        add(values);
      }
    for (const Variant &variant : variants)
      addEdges(variant);
    for (const Dims &values : specialized)
      for (int64_t more : {0, 1}) {
        Dims next = values;
        next.front() += more;
        add(next);
      }
    addRandom();
    return {chosen.begin(), chosen.end()};
  }

private:
  int64_t bytesAt(const Dims &values) const {
    return problem.bytesMoved().at(values);
  }

  /// Dims that would be too much of a strided tensor are left out.
  bool add(Dims values) {
    if (!problem.isDense()) {
      fitStrides(values);
      auto fixed = problem.at(values);
      if (!fixed || std::max(fixed->srcSpan(), fixed->dstSpan()) > mostBytes)
        return false;
    }
    return chosen.insert(std::move(values)).second;
  }

  /// Gives strides values that leave room for what is faster, sometimes with a
  /// gap, sometimes backwards; some of src are 0.
  void fitStrides(Dims &values) {
    const std::pair<const DynamicProblem::Sizes *, DynamicProblem::Sizes>
        sides[] = {{&problem.srcByteStrides(), problem.shape()},
                   {&problem.dstByteStrides(), problem.outShape()}};
    const unsigned rank = problem.rank();
    for (const auto &[strides, sizes] : sides) {
      const bool isSrc = strides == &problem.srcByteStrides();
      int64_t span = problem.elementBytes();
      for (unsigned dim = rank; dim-- > 0;) {
        const DynamicSize &stride = (*strides)[dim];
        const unsigned number = unsigned(std::countr_zero(stride.dims));
        if (!stride.isStatic() && problem.placeOf(number) >= rank)
          values[number] =
              drawStride((span + stride.factor - 1) / stride.factor, isSrc);
        const int64_t size = std::max<int64_t>(sizes[dim].at(values), 1);
        int64_t past;
        if (!__builtin_mul_overflow(std::abs(stride.at(values)), size, &past))
          span = std::max(span, past);
      }
    }
  }

  int64_t drawStride(int64_t least, bool isSrc) {
    const unsigned draw = fitted++;
    if (isSrc && draw % 7 == 3)
      return 0;
    const int64_t stride = least + draw % 5;
    return draw % 3 == 1 ? -stride : stride;
  }

  /// Sizes at which a guard on one dim changes its mind.
  void addBound(const Guard &guard) {
    if (std::popcount(guard.size.dims) != 1)
      return;
    int64_t bound = (guard.bound + guard.size.factor - 1) / guard.size.factor;
    Dims &sizes = interesting[std::countr_zero(guard.size.dims)];
    for (int64_t size : {bound - 1, bound, bound + 1, 2 * bound + 1})
      sizes.push_back(std::max<int64_t>(size, 0));
  }

  /// The least dims that a variant admits, or nearly so, and if they are quick
  /// those dims again with one element more or less of each.
  void addEdges(const Variant &variant) {
    Dims values(problem.dynamicDims(), 1);
    for (const Guard &guard : variant.guards)
      if (std::popcount(guard.size.dims) == 1)
        raise(values[std::countr_zero(guard.size.dims)], guard);
    enlarge(values, variant);
    if (!variant.admits(values))
      return;
    add(values);
    if (bytesAt(values) > quickBytes)
      return;
    for (int64_t &value : values)
      for (int64_t more : {-1, 1}) {
        value += more;
        add(values);
        value -= more;
      }
  }

  /// The least multiple of `size` that suits a guard on this dim.
  static void raise(int64_t &size, const Guard &guard) {
    const int64_t factor = guard.size.factor;
    int64_t needed = guard.kind == Guard::Kind::AtLeast
                         ? (guard.bound + factor - 1) / factor
                         : guard.bound / std::gcd(guard.bound, factor);
    size = guard.kind == Guard::Kind::AtLeast
               ? (needed + size - 1) / size * size
               : std::lcm(size, needed);
  }

  /// Doubles the least dim until guards on several dims hold too.
  static void enlarge(Dims &values, const Variant &variant) {
    constexpr unsigned enough = 40;
    for (unsigned i = 0; i < enough && !variant.admits(values); ++i)
      *std::min_element(values.begin(), values.end()) *= 2;
  }

  void addRandom() {
    std::mt19937_64 random(problem.rank());
    for (size_t tries = 0, added = 0;
         tries < 16 * maxRandomChoices && added < maxRandomChoices; ++tries) {
      Dims values;
      for (const Dims &sizes : interesting)
        values.push_back(sizes[random() % sizes.size()]);
      if (bytesAt(values) <= quickBytes)
        added += add(values);
    }
  }

  const DynamicProblem &problem;
  const std::vector<Variant> &variants;
  std::vector<Dims> interesting; ///< sizes to try, by dynamic dim
  std::set<Dims> chosen;
  unsigned fitted = 0; ///< strides so far
};

} // namespace

std::vector<Dims> permc::chooseDims(const DynamicProblem &problem,
                                    const std::vector<Variant> &variants,
                                    const std::vector<Dims> &specialized) {
  return DimChooser(problem, variants).choose(specialized);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// What the functions below call: a kernel's entry points have no room for it.
struct Bound {
  const permc_kernel *kernel;
  const int64_t *dims;
};
thread_local Bound bound;

void runBound(const void *src, void *dst) {
  bound.kernel->run_dynamic(src, dst, bound.dims);
}
void runBoundPart(const void *src, void *dst, uint32_t part, uint32_t parts) {
  bound.kernel->run_dynamic_part(src, dst, bound.dims, part, parts);
}

Status checkDescription(const DynamicProblem &problem,
                        const permc_kernel &kernel) {
  auto differ = [&](const std::string &what) -> Status {
    return Error{Cause::VerifyFailed,
                 std::string("kernel '") + (kernel.name ? kernel.name : "?") +
                     "' does not describe its problem: " + what};
  };
  if (!kernel.run_dynamic || !kernel.run_dynamic_part || kernel.run ||
      kernel.run_part)
    return differ("expected the entry points for dynamic dims and no others");
  if (kernel.dynamic_dims != problem.dynamicDims())
    return differ(std::to_string(kernel.dynamic_dims) +
                  " dynamic dims instead of " +
                  std::to_string(problem.dynamicDims()));
  if (kernel.rank != problem.rank() ||
      kernel.element_bytes != problem.elementBytes())
    return differ("rank " + std::to_string(kernel.rank) + " and elements of " +
                  std::to_string(kernel.element_bytes) + " bytes");
  for (unsigned dim = 0; dim < problem.rank(); ++dim) {
    const DynamicSize &size = problem.shape()[dim];
    if (kernel.shape[dim] != (size.isStatic() ? size.factor : PERMC_DYNAMIC))
      return differ("dim " + std::to_string(dim) + " is " +
                    std::to_string(kernel.shape[dim]) + " instead of " +
                    spellSize(size));
    if (kernel.perm[dim] != problem.perm()[dim])
      return differ("output dim " + std::to_string(dim) + " is input dim " +
                    std::to_string(kernel.perm[dim]));
  }
  for (unsigned k = 0; k < kernel.dynamic_dims; ++k)
    if (kernel.dynamic_axes[k] != int64_t(problem.placeOf(k)))
      return differ("the dynamic dim " + std::to_string(k) + " is dim " +
                    std::to_string(kernel.dynamic_axes[k]));
  const std::pair<const int64_t *, const DynamicProblem::Sizes *> sides[] = {
      {kernel.src_strides, &problem.srcByteStrides()},
      {kernel.dst_strides, &problem.dstByteStrides()}};
  for (auto [described, strides] : sides)
    for (unsigned dim = 0; dim < problem.rank(); ++dim) {
      const DynamicSize &stride = (*strides)[dim];
      if (described[dim] != (stride.isStatic()
                                 ? stride.factor / problem.elementBytes()
                                 : PERMC_DYNAMIC_STRIDE))
        return differ("the stride of dim " + std::to_string(dim) + " is " +
                      std::to_string(described[dim]) + " elements instead of " +
                      spellSize(stride) + " bytes");
    }
  return Done{};
}

/// Verifies the kernel with these dims.
Result<VerifyReport> verifyAt(const DynamicProblem &problem,
                              const permc_kernel &kernel, const Dims &values) {
  auto fixed = problem.at(values);
  if (!fixed)
    return fixed.error();
  const Footprint print({{int64_t(values.size()), sizeof(int64_t)}},
                        sizeof(int64_t));
  auto dims = GuardedBuffer::map(print, {/*atEnd=*/true});
  if (!dims)
    return dims.error();
  std::copy(values.begin(), values.end(),
            reinterpret_cast<int64_t *>(dims->data()));
  dims->protectFromWrites(true);
  bound = {&kernel, reinterpret_cast<const int64_t *>(dims->data())};

  Dims srcStrides = fixed->srcStrides(), dstStrides = fixed->dstStrides();
  permc_kernel described = kernel;
  described.src_bytes = uint64_t(fixed->srcSpan());
  described.dst_bytes = uint64_t(fixed->dstSpan());
  described.shape = fixed->shape().data();
  described.src_strides = srcStrides.data();
  described.dst_strides = dstStrides.data();
  described.run = runBound;
  described.run_part = runBoundPart;
  auto report = verifyKernel(*fixed, described);
  if (report)
    return report;
  return Error{report.error().cause,
               report.error().message + " with the dims " + spellList(values)};
}

} // namespace

Result<VerifyReport>
permc::verifyDynamicKernel(const DynamicProblem &problem,
                           const permc_kernel &kernel,
                           const std::vector<Dims> &choices) {
  if (Status ok = checkDescription(problem, kernel); !ok)
    return ok.error();
  VerifyReport all;
  for (const Dims &values : choices) {
    auto report = verifyAt(problem, kernel, values);
    if (!report)
      return report;
    all.elements += report->elements;
    all.runs += report->runs;
  }
  return all;
}
