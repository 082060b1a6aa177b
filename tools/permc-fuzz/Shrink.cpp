//===- Shrink.cpp - the smallest case that fails --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"

#include "ScheduleText.h"

using namespace permc;
using namespace permc::fuzz;

namespace {

/// Collects variations of a case, none of them the case itself.
class Variations {
public:
  explicit Variations(const Case &one) : one(one) {}

  template <typename Change> void add(Change change) {
    Case other = one;
    change(other);
    if (!(other == one))
      all.push_back(std::move(other));
  }

  std::vector<Case> all;

private:
  const Case &one;
};

/// Without one of its dims. Which dim of dst that is, is looked up.
void removeDim(Case &one, size_t axis) {
  size_t dynamic = 0, out = 0;
  for (size_t i = 0; i < axis; ++i)
    dynamic += one.shape[i] == anySize;
  while (size_t(one.order[out]) != axis)
    ++out;
  if (one.inverse) { // dst's dims are those of the order's argument
    const auto moved = size_t(one.order[axis]);
    if (one.dstStrides)
      one.dstStrides->erase(one.dstStrides->begin() + int64_t(moved));
    out = axis;
  } else if (one.dstStrides) {
    one.dstStrides->erase(one.dstStrides->begin() + int64_t(out));
  }
  const int64_t gone = one.order[out];
  one.order.erase(one.order.begin() + int64_t(out));
  for (int64_t &other : one.order)
    other -= other > gone;
  if (one.srcStrides)
    one.srcStrides->erase(one.srcStrides->begin() + int64_t(axis));
  if (one.shape[axis] == anySize) {
    for (Run &run : one.runs)
      run.dims.erase(run.dims.begin() + int64_t(dynamic));
    for (Ints &dims : one.specialized)
      dims.erase(dims.begin() + int64_t(dynamic));
  }
  one.shape.erase(one.shape.begin() + int64_t(axis));
}

void addSmallerSize(Variations &variations, int64_t size,
                    const std::function<void(Case &, int64_t)> &set) {
  for (int64_t smaller : {int64_t{1}, size / 2, size - 1})
    if (smaller >= 0 && smaller < size)
      variations.add([&](Case &other) { set(other, smaller); });
}

void addSizes(Variations &variations, const Case &one) {
  for (size_t axis = 0; axis < one.shape.size(); ++axis)
    variations.add([&](Case &other) { removeDim(other, axis); });
  for (size_t axis = 0; axis < one.shape.size(); ++axis)
    addSmallerSize(variations, one.shape[axis], [&](Case &other, int64_t size) {
      other.shape[axis] = size;
    });
  for (size_t run = 0; run < one.runs.size(); ++run)
    for (size_t dim = 0; dim < one.runs[run].dims.size(); ++dim)
      addSmallerSize(
          variations, one.runs[run].dims[dim],
          [&](Case &other, int64_t size) { other.runs[run].dims[dim] = size; });
  if (one.element > 1)
    addSmallerSize(variations, one.element,
                   [](Case &other, int64_t bytes) { other.element = bytes; });
}

void addRuns(Variations &variations, const Case &one) {
  if (one.runs.size() > 1)
    for (const Run &run : one.runs)
      variations.add([&](Case &other) { other.runs = {run}; });
  for (size_t i = 0; i < one.runs.size(); ++i) {
    variations.add([&](Case &other) { other.runs[i].parts = 0; });
    addSmallerSize(variations, one.runs[i].parts,
                   [&](Case &other, int64_t parts) {
                     other.runs[i].parts = uint32_t(parts);
                   });
    variations.add([&](Case &other) { other.runs[i].threads = 1; });
    variations.add([&](Case &other) { other.runs[i].src = {}; });
    variations.add([&](Case &other) { other.runs[i].dst = {}; });
  }
}

void addTerms(Variations &variations, const Case &one) {
  variations.add([](Case &other) { other.schedule = other.unaligned = ""; });
  variations.add([](Case &other) { other.unaligned = ""; });
  variations.add([](Case &other) { other.specialized.clear(); });
  variations.add([](Case &other) { other.convention = "numpy"; });
  variations.add([](Case &other) { other.inverse = false; });
  variations.add([](Case &other) { other.srcStrides.reset(); });
  variations.add([](Case &other) { other.dstStrides.reset(); });
  variations.add([](Case &other) {
    if (other.api == Api::Jit || other.api == Api::Plan)
      other.api = Api::Object;
  });
  if (one.isDynamic() && one.runs.size() == 1)
    variations.add([](Case &other) {
      other.shape = other.shapeOf(other.runs.front());
      other.runs.front().dims.clear();
      other.specialized.clear();
    });
}

void addSchedules(Variations &variations, const Case &one) {
  for (const std::string &text : simplerSchedules(one.schedule))
    variations.add([&](Case &other) { other.schedule = text; });
  for (const std::string &text : simplerSchedules(one.unaligned))
    variations.add([&](Case &other) { other.unaligned = text; });
}

} // namespace

std::vector<Case> fuzz::simplerCases(const Case &one) {
  Variations variations(one);
  addRuns(variations, one);
  addTerms(variations, one);
  addSizes(variations, one);
  addSchedules(variations, one);
  return std::move(variations.all);
}

Case fuzz::shrink(Case failing, const std::function<bool(const Case &)> &fails,
                  int mostTries) {
  for (bool found = true; found;) {
    found = false;
    for (Case &simpler : simplerCases(failing)) {
      if (mostTries-- <= 0)
        return failing;
      if (!fails(simpler))
        continue;
      failing = std::move(simpler);
      found = true;
      break;
    }
  }
  return failing;
}
