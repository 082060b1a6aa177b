//===- Matlab.cpp - MATLAB's and RunMat's permute and ipermute ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1-based and column-major. Every array has at least two dims, and an order may
// name more dims than the array has: those are of size 1. As in RunMat, they
// stay in the shape of the result. Messages begin with RunMat's own words.
//
//===----------------------------------------------------------------------===//

#include "../ConventionRules.h"
#include "../Order.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace permc;
using llvm::StringRef;

static constexpr size_t minRank = 2;

static Result<Dims> completeShape(const Dims &shape) {
  Dims completed = shape;
  completed.resize(std::max(shape.size(), minRank), 1);
  return completed;
}

/// The number `entry` spells; MATLAB's numbers are doubles, "Inf" and "NaN"
/// among them.
static std::optional<double> readNumber(StringRef entry) {
  StringRef magnitude = entry;
  if (!magnitude.consume_front("-"))
    magnitude.consume_front("+");
  if (magnitude.equals_insensitive("inf"))
    return INFINITY;
  if (magnitude.equals_insensitive("nan"))
    return NAN;
  double value;
  if (entry.getAsDouble(value))
    return std::nullopt;
  return value;
}

namespace {

/// The checks of one order, which all speak of it in the same way.
class OrderReader {
public:
  OrderReader(const PermuteSpec &spec, const Dims &shape)
      : builtin(spec.inverse ? "ipermute: " : "permute: "), text(spec.order),
        entries(splitList(text)), shape(shape) {}

  Result<Dims> read() const {
    if (entries.empty())
      return fail(Cause::BadRank, "order must contain at least one dimension",
                  "expected " + std::to_string(shape.size()) + " or more");
    Dims perm;
    for (StringRef entry : entries) {
      Result<int64_t> index = readIndex(entry);
      if (!index)
        return index.error();
      perm.push_back(*index - 1);
    }
    if (std::optional<int64_t> dim = firstRepeated(perm))
      return fail(Cause::DuplicateAxis,
                  "duplicate dimension index " + std::to_string(*dim + 1),
                  "expected each index once");
    if (perm.size() < shape.size())
      return fail(Cause::BadRank,
                  "order length (" + std::to_string(perm.size()) +
                      ") must be at least ndims(A) (" +
                      std::to_string(shape.size()) + ")",
                  "the shape is " + spellShape(shape));
    return perm;
  }

private:
  Error fail(Cause cause, const std::string &rule,
             const std::string &expected) const {
    return {cause, builtin + rule + ": the order '" + text.str() +
                       "' was given; " + expected};
  }

  /// A dimension index, 1-based.
  Result<int64_t> readIndex(StringRef entry) const {
    const std::string given = "found '" + entry.str() + "'";
    std::optional<double> number = readNumber(entry);
    if (!number)
      return fail(Cause::BadSyntax, "order vector must be numeric", given);
    if (!std::isfinite(*number))
      return fail(Cause::BadSyntax, "order indices must be finite", given);
    if (*number != std::trunc(*number))
      return fail(Cause::BadSyntax, "order indices must be integers", given);
    if (*number < 1)
      return fail(Cause::AxisOutOfRange, "order indices must be >= 1", given);
    if (*number > static_cast<double>(entries.size()))
      return fail(Cause::AxisOutOfRange,
                  "order indices must lie between 1 and " +
                      std::to_string(entries.size()) + ", got " + entry.str(),
                  "an order of n entries is a permutation of 1 to n");
    return static_cast<int64_t>(*number);
  }

  const std::string builtin;
  const StringRef text;
  const llvm::SmallVector<StringRef> entries;
  const Dims &shape;
};

} // namespace

static Result<Dims> readOrder(const PermuteSpec &spec, const Dims &shape) {
  return OrderReader(spec, shape).read();
}

const ConventionRules permc::matlabRules = {
    "matlab",          /*columnMajor=*/true,
    /*hasChars=*/true, /*positiveStrides=*/false, completeShape, readOrder};
