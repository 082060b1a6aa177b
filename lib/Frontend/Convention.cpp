//===- Convention.cpp - whose rules an order follows ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request goes through three steps: the convention completes the shape and
// reads the order, both in the user's order of dims; the inverse is taken there
// too; then column-major becomes row-major. Nothing after this file knows of
// conventions.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Convention.h"

#include "ConventionRules.h"
#include "GroupedOrder.h"
#include "Order.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

struct TableEntry {
  Convention convention;
  const ConventionRules &rules;
};

const TableEntry conventions[] = {
    {Convention::Numpy, numpyRules},
    {Convention::Matlab, matlabRules},
    {Convention::OpenVINO, openvinoRules},
    {Convention::MLI, mliRules},
};

/// A permutation of strided dims, all in the user's order of dims.
struct UserPermute {
  Dims shape, perm;
  std::optional<Dims> inStrides, outStrides;
  /// Where groups of dims are put together again; else by shape and perm.
  std::optional<Dims> outShape = {};
};

} // namespace

static const ConventionRules &rulesOf(Convention convention) {
  return llvm::find_if(conventions,
                       [&](const TableEntry &entry) {
                         return entry.convention == convention;
                       })
      ->rules;
}

Result<Convention> permc::parseConvention(std::string_view name) {
  std::string known;
  for (const TableEntry &entry : conventions) {
    if (entry.rules.name == name)
      return entry.convention;
    known += (known.empty() ? "" : ", ") + std::string(entry.rules.name);
  }
  return Error{Cause::BadSyntax, "unknown convention '" + std::string(name) +
                                     "'; expected one of " + known};
}

/// Dims that only one of the two names exist all the same: of size 1 where the
/// order names them, in their place where the shape does.
static void completeRank(Dims &shape, Dims &perm) {
  const size_t named = perm.size();
  const size_t rank = std::max(shape.size(), named);
  shape.resize(rank, 1);
  perm.resize(rank);
  std::iota(perm.begin() + named, perm.end(), named);
}

/// Checks one side's strides and gives those of `rank` dims. `written` is how
/// many dims the user wrote: dims that the convention added are of size 1, so
/// that any stride will do for them.
static Result<std::optional<Dims>>
completeStrides(const std::optional<Dims> &strides, size_t written, size_t rank,
                std::string_view side, const ConventionRules &rules) {
  if (!strides)
    return std::optional<Dims>();
  if (strides->size() != written && strides->size() != rank)
    return Error{Cause::BadRank,
                 std::to_string(strides->size()) + " " + std::string(side) +
                     " strides " + spellList(*strides) + "; expected " +
                     std::to_string(rank) + ", one for each dim"};
  for (size_t dim = 0; dim < strides->size(); ++dim)
    if (rules.positiveStrides && (*strides)[dim] < 1 &&
        (*strides)[dim] != dynamicDim)
      return Error{Cause::BadStride, "the " + std::string(side) +
                                         " stride of dim " +
                                         std::to_string(dim) + " is " +
                                         std::to_string((*strides)[dim]) +
                                         "; expected 1 or more"};
  Dims completed = *strides;
  completed.resize(rank, 1);
  return std::optional<Dims>(std::move(completed));
}

/// Characters are MATLAB's, in arrays of two dims; an order of more is refused
/// as RunMat does.
static Status checkChars(const PermuteSpec &spec, const ConventionRules &rules,
                         size_t rank) {
  if (spec.tensor.element.name != charType)
    return Done{};
  if (!rules.hasChars)
    return Error{Cause::BadElement,
                 "element type 'char' is MATLAB's, of 16 bits; expected i8 or "
                 "u8 under the convention '" +
                     std::string(rules.name) + "'"};
  constexpr size_t most = 2;
  if (rank <= most)
    return Done{};
  return Error{Cause::BadRank,
               std::string(spec.inverse ? "ipermute" : "permute") +
                   ": character arrays only support 2-D permutations: " +
                   spellTensor(spec.tensor) + " by '" + spec.order +
                   "' was given, of " + std::to_string(rank) + " dims"};
}

/// "b s (h d) -> b h s d, h=12" is a permutation of a tensor with more dims.
static Result<UserPermute> readGroups(const PermuteSpec &spec,
                                      const ConventionRules &rules) {
  auto refuse = [&](const std::string &what) -> Result<UserPermute> {
    return Error{Cause::Unsupported,
                 "names with groups, '" + spec.order + "', " + what};
  };
  if (rules.columnMajor)
    return refuse("in the convention " + std::string(rules.name) +
                  "; expected numbers there");
  if (spec.inverse)
    return refuse("to be undone; expected the two sides to be swapped");
  if (spec.inStrides || spec.outStrides)
    return refuse("with strides; expected a dense tensor");
  Result<Dims> shape = rules.completeShape(spec.tensor.shape);
  if (!shape)
    return shape.error();
  Result<GroupedOrder> order = readGroupedOrder(spec.order, *shape);
  if (!order)
    return order.error();
  return UserPermute{std::move(order->view), std::move(order->perm),
                     std::nullopt, std::nullopt, std::move(order->outShape)};
}

static Result<UserPermute> readUserPermute(const PermuteSpec &spec,
                                           const ConventionRules &rules) {
  if (isGroupedOrder(spec.order))
    return readGroups(spec, rules);
  const size_t written = spec.tensor.shape.size();
  Result<Dims> shape = rules.completeShape(spec.tensor.shape);
  if (!shape)
    return shape.error();
  Result<Dims> perm = isLetterOrder(spec.order)
                          ? readLetterOrder(spec.order, written)
                          : rules.readOrder(spec, *shape);
  if (!perm)
    return Error{perm.error().cause,
                 perm.error().message + hintAtDigits(spec.order, written)};
  completeRank(*shape, *perm);
  if (Status ok = checkChars(spec, rules, shape->size()); !ok)
    return ok.error();
  if (spec.inverse)
    *perm = invertPermutation(*perm);

  const size_t rank = shape->size();
  auto inStrides =
      completeStrides(spec.inStrides, written, rank, "input", rules);
  if (!inStrides)
    return inStrides.error();
  auto outStrides =
      completeStrides(spec.outStrides, rank, rank, "output", rules);
  if (!outStrides)
    return outStrides.error();
  return UserPermute{std::move(*shape), std::move(*perm), std::move(*inStrides),
                     std::move(*outStrides)};
}

/// The same bytes seen row-major: every list of dims is reversed, and dim d is
/// called n-1-d.
static void makeRowMajor(UserPermute &permute) {
  const int64_t lastDim = static_cast<int64_t>(permute.shape.size()) - 1;
  std::ranges::reverse(permute.shape);
  std::ranges::reverse(permute.perm);
  for (int64_t &dim : permute.perm)
    dim = lastDim - dim;
  for (std::optional<Dims> *strides : {&permute.inStrides, &permute.outStrides})
    if (*strides)
      std::ranges::reverse(**strides);
}

static Dims permuted(const Dims &shape, const Dims &perm) {
  Dims outShape;
  for (int64_t dim : perm)
    outShape.push_back(shape[dim]);
  return outShape;
}

Result<ResolvedPermute> permc::resolve(const PermuteSpec &spec) {
  const ConventionRules &rules = rulesOf(spec.convention);
  Result<UserPermute> permute = readUserPermute(spec, rules);
  if (!permute)
    return permute.error();
  Dims outShape = permute->outShape ? *permute->outShape
                                    : permuted(permute->shape, permute->perm);

  for (const std::optional<Dims> *strides :
       {&permute->inStrides, &permute->outStrides})
    if (*strides && std::ranges::count(**strides, dynamicDim) > 0)
      return Error{Cause::Unsupported, "the strides " + spellList(**strides) +
                                           "; expected numbers here"};
  if (rules.columnMajor)
    makeRowMajor(*permute);
  Result<Problem> problem =
      Problem::make(spec.tensor.element.bytes, permute->shape, permute->perm,
                    permute->inStrides, permute->outStrides);
  if (!problem && rules.columnMajor)
    return Error{problem.error().cause,
                 problem.error().message + " (dims counted from the last, as " +
                     std::string(rules.name) + " is column-major)"};
  if (!problem)
    return problem.error();
  return ResolvedPermute{std::move(*problem), std::move(outShape)};
}

bool PermuteSpec::isDynamic() const {
  auto isUnknown = [](const std::optional<Dims> &strides) {
    return strides && std::ranges::count(*strides, dynamicDim) > 0;
  };
  return tensor.isDynamic() || isUnknown(inStrides) || isUnknown(outStrides);
}

/// A stride is known or not; a known one fits in bytes.
static Status checkDynamicStrides(const UserPermute &permute, int64_t element) {
  int64_t unknown = std::ranges::count(permute.shape, dynamicDim);
  for (const std::optional<Dims> *strides :
       {&permute.inStrides, &permute.outStrides}) {
    if (!*strides)
      continue;
    for (int64_t stride : **strides)
      if (stride == dynamicDim)
        ++unknown;
      else if (const int64_t most = INT64_MAX / element;
               stride < -most || stride > most)
        return Error{Cause::BadStride,
                     "the strides " + spellList(**strides) +
                         " of a tensor with dynamic dims; expected -" +
                         std::to_string(most) + " to " + std::to_string(most) +
                         ", or '?'"};
  }
  if (unknown > maxRank)
    return Error{Cause::BadRank, std::to_string(unknown) +
                                     " dynamic dims and strides; expected at "
                                     "most " +
                                     std::to_string(maxRank)};
  return Done{};
}

Result<ResolvedDynamicPermute> permc::resolveDynamic(const PermuteSpec &spec) {
  const ConventionRules &rules = rulesOf(spec.convention);
  Result<UserPermute> permute = readUserPermute(spec, rules);
  if (!permute)
    return permute.error();
  Dims outShape = permute->outShape ? *permute->outShape
                                    : permuted(permute->shape, permute->perm);

  const int64_t element = spec.tensor.element.bytes;
  unsigned count = 0;
  auto number = [&](const Dims &given, int64_t unit) {
    DynamicProblem::Sizes sizes;
    for (int64_t size : given)
      sizes.push_back(size == dynamicDim
                          ? DynamicSize{unit, uint64_t(1) << count++}
                          : DynamicSize{size * unit, 0});
    return sizes;
  };
  if (Status ok = checkDynamicStrides(*permute, element); !ok)
    return ok.error();
  DynamicProblem::Sizes sizes = number(permute->shape, 1);
  std::optional<DynamicProblem::Sizes> in, out;
  if (permute->inStrides)
    in = number(*permute->inStrides, element);
  if (permute->outStrides)
    out = number(*permute->outStrides, element);
  if (rules.columnMajor) {
    makeRowMajor(*permute);
    std::ranges::reverse(sizes);
    for (auto *strides : {&in, &out})
      if (*strides)
        std::ranges::reverse(**strides);
  }
  Result<DynamicProblem> problem =
      DynamicProblem::make(element, std::move(sizes), permute->perm, count,
                           std::move(in), std::move(out));
  if (!problem)
    return problem.error();
  return ResolvedDynamicPermute{std::move(*problem), std::move(outShape)};
}
