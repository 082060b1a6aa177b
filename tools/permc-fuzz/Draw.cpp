//===- Draw.cpp - cases at random -----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw.h"

#include "Reference.h"
#include "ScheduleText.h"

#include <algorithm>
#include <numeric>

using namespace permc;
using namespace permc::fuzz;

namespace {

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Bytes that a tensor may have: few, or what leaves the first cache, or, now
/// and then, what is streamed.
int64_t drawRoom(const Menu &menu, Random &random) {
  const int64_t room = random.oneIn(150)  ? 24 << 20
                       : random.oneIn(20) ? 1 << 20
                       : random.oneIn(4)  ? 64 << 10
                                          : 8 << 10;
  return menu.mostBytes ? std::min(room, menu.mostBytes) : room;
}

int64_t drawElement(Random &random) {
  constexpr int64_t common[] = {1, 1, 2, 2, 4, 4, 8, 16};
  constexpr int64_t odd[] = {3,  5,  6,  7,  9,  10, 11, 12,
                             20, 24, 32, 40, 48, 64, 65, 100};
  return random.oneIn(4) ? random.pick(odd) : random.pick(common);
}

/// Near powers of two, near multiples of a register, or anything.
int64_t drawSize(Random &random) {
  switch (random.between(0, 3)) {
  case 0:
    return random.between(1, 8);
  case 1:
    return (int64_t{1} << random.between(1, 11)) + random.between(-1, 1);
  case 2:
    return std::max<int64_t>(16 * random.between(1, 20) + random.between(-2, 2),
                             1);
  default:
    return random.between(1, random.oneIn(5) ? 5000 : 70);
  }
}

Ints drawShape(int64_t room, int64_t element, Random &random) {
  const int64_t rank =
      random.oneIn(10) ? random.between(0, 9) : random.between(2, 5);
  Ints shape;
  room /= element;
  for (int64_t i = 0; i < rank; ++i) {
    shape.push_back(
        std::clamp<int64_t>(drawSize(random), 1, std::max<int64_t>(room, 1)));
    room /= shape.back();
  }
  random.shuffle(shape);
  if (rank > 0 && random.oneIn(100))
    random.pick(shape) = 0;
  return shape;
}

/// With gaps, now and then in another order, and rarely with a sign.
Ints drawStrides(const Ints &shape, bool mayBeOdd, Random &random) {
  Ints dims(shape.size()), strides(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  if (random.oneIn(3))
    random.shuffle(dims);
  int64_t stride = random.oneIn(4) ? random.between(1, 4) : 1;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto dim = size_t(dims[i]);
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
    if (random.oneIn(3))
      stride += random.between(1, 70);
    if (mayBeOdd && random.oneIn(40))
      strides[dim] = random.oneIn(2) ? 0 : -strides[dim];
  }
  return strides;
}

void drawConvention(Case &one, Random &random) {
  const auto rank = int64_t(one.shape.size());
  const bool empty = std::ranges::find(one.shape, 0) != one.shape.end();
  if (!random.oneIn(8))
    return;
  const int64_t which = random.between(0, 2);
  if (which == 0 && rank >= 2)
    one.convention = "matlab";
  else if (which == 1 && rank >= 1 && rank <= 4 && !empty)
    one.convention = "mli";
  else
    one.convention = "openvino";
  one.inverse = random.oneIn(3);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Where lines, registers and elements begin, or anywhere. Large blocks of
/// malloc begin 16 bytes behind a line.
Place drawPlace(int64_t element, Random &random) {
  const int64_t offsets[] = {0,
                             0,
                             0,
                             16,
                             16,
                             element % 64,
                             random.between(0, 127),
                             64 - element % 64,
                             32,
                             48,
                             8,
                             1,
                             4};
  return random.oneIn(5) ? Place{true, 0} : Place{false, random.pick(offsets)};
}

Run drawRun(const Case &one, int64_t elements, Random &random) {
  Run run;
  run.src = drawPlace(one.element, random);
  run.dst = drawPlace(one.element, random);
  if (one.api == Api::Plan || one.api == Api::Jit || one.api == Api::Shim)
    run.threads = uint32_t(random.between(1, 4));
  constexpr int64_t mostParts = 300;
  if (one.api != Api::Shim && random.oneIn(2))
    run.parts = uint32_t(random.oneIn(8)   ? std::min(elements + 1, mostParts)
                         : random.oneIn(4) ? random.between(10, 64)
                                           : random.between(1, 9));
  return run;
}

/// Makes some dims come with the call, each call with sizes of its own.
void makeDynamic(Case &one, int64_t room, Random &random) {
  const Ints nominal = one.shape;
  Ints axes;
  for (size_t i = 0; i < one.shape.size(); ++i)
    if (random.oneIn(2) && one.shape[i] != 0)
      axes.push_back(int64_t(i));
  for (int64_t axis : axes)
    one.shape[size_t(axis)] = anySize;
  auto drawDims = [&](bool nominalOnes) {
    Ints dims;
    int64_t left = room / one.element;
    for (int64_t size : one.shape)
      left /= size == anySize ? 1 : std::max<int64_t>(size, 1);
    for (int64_t axis : axes) {
      int64_t size = nominal[size_t(axis)];
      if (!nominalOnes)
        size = random.oneIn(12) ? random.between(0, 1) : drawSize(random);
      dims.push_back(std::min(size, std::max<int64_t>(left, 1)));
      left /= std::max<int64_t>(dims.back(), 1);
    }
    return dims;
  };
  for (size_t i = 0; i < one.runs.size(); ++i)
    one.runs[i].dims = drawDims(i == 0);
  if (!axes.empty() && random.oneIn(4)) {
    one.specialized.push_back(one.runs.front().dims);
    if (random.oneIn(2))
      one.specialized.push_back(drawDims(false));
    // Two for the same sizes would be one too many.
    if (one.specialized.front() == one.specialized.back())
      one.specialized.resize(1);
  }
}

/// Views and orders that only the API of this case has.
void drawApi(Case &one, const Menu &menu, uint64_t group, Random &random) {
  const auto here = int64_t(menu.here.size()),
             all = here + int64_t(menu.elsewhere.size());
  const int64_t which = random.between(0, std::max<int64_t>(all, 1) - 1);
  const bool shim = !menu.shims.empty() && (all == 0 || random.oneIn(6));
  if (shim) {
    one.api = Api::Shim;
    one.target = menu.shims[group % menu.shims.size()];
  } else if (which < here) {
    constexpr Api apis[] = {Api::Object, Api::Object, Api::Jit, Api::Plan};
    one.api = random.pick(apis);
    one.target = menu.here[size_t(which)];
  } else {
    // One target for all of a group, and so one program: to link and start one
    // takes longer than to run a case.
    one.api = Api::Program;
    one.target = menu.elsewhere[group % menu.elsewhere.size()];
  }
}

} // namespace

Case fuzz::drawCase(const Menu &menu, uint64_t group, Random &random) {
  Case one;
  drawApi(one, menu, group, random);
  one.element = drawElement(random);
  // An emulator is slow, and a board small.
  constexpr int64_t mostElsewhere = 32 << 10;
  int64_t room = drawRoom(menu, random);
  if (one.api == Api::Program)
    room = std::min(room, mostElsewhere);
  one.shape = drawShape(room, one.element, random);
  one.order.resize(one.shape.size());
  std::iota(one.order.begin(), one.order.end(), 0);
  random.shuffle(one.order);

  const bool takesConventions = one.api != Api::Shim && one.api != Api::Plan;
  if (takesConventions)
    drawConvention(one, random);
  int64_t elements = 1;
  for (int64_t size : one.shape)
    elements *= size;
  for (int64_t i = random.between(1, 3); i > 0; --i)
    one.runs.push_back(drawRun(one, elements, random));
  if (takesConventions && one.api != Api::Jit && random.oneIn(5)) {
    makeDynamic(one, std::min<int64_t>(room, 1 << 20), random);
    return one;
  }
  if (random.oneIn(4))
    one.srcStrides = drawStrides(one.shape, /*mayBeOdd=*/true, random);
  if (random.oneIn(4)) {
    const Ints outShape = movesOf(one, one.runs.front()).sizes;
    one.dstStrides = drawStrides(outShape, /*mayBeOdd=*/false, random);
  }
  return one;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// What permc would choose for a tensor much larger than this one, or on
/// another machine of the family: streams, panels and blocks for small tensors.
static std::optional<std::string>
borrowSchedule(const Case &one, CaseRunner &runner, Random &random) {
  Case other = one;
  constexpr int64_t mostElements = 64 << 20;
  if (random.oneIn(4)) {
    constexpr const char *levels[] = {"x86-64",    "x86-64-v2", "x86-64-v3",
                                      "x86-64-v4", "aarch64",   "aarch64-sve",
                                      "armv7-neon"};
    other.target = random.pick(levels);
  } else {
    int64_t elements = 1;
    for (int64_t size : other.shape)
      elements *= std::max<int64_t>(size, 1);
    for (int64_t &size : other.shape)
      if (int64_t times = random.between(1, 40);
          random.oneIn(2) && elements * times <= mostElements) {
        elements *= times;
        size *= times;
      }
    other.srcStrides.reset();
    other.dstStrides.reset();
  }
  auto request = CaseRunner::requestFor(other, "k");
  if (!request)
    return std::nullopt;
  auto decided = runner.compiler().decide(*request);
  if (!decided)
    return std::nullopt;
  return spellSchedule(decided->schedule);
}

void fuzz::drawSchedule(Case &one, CaseRunner &runner, Random &random,
                        const std::function<void(const Case &)> &before) {
  if (one.isDynamic() || one.api == Api::Plan || one.api == Api::Shim ||
      random.oneIn(3))
    return;
  auto request = CaseRunner::requestFor(one, "k");
  if (!request)
    return;
  auto decided = runner.compiler().decide(*request);
  if (!decided)
    return;
  const std::string chosen = spellSchedule(decided->schedule);
  std::vector<std::string> known;
  auto tryText = [&](const std::string &candidate, std::string &field) {
    const std::string old = std::exchange(field, candidate);
    before(one);
    if (runner.check(one).kind != Verdict::Right)
      field = old;
  };
  one.schedule = chosen;
  for (int64_t i = random.between(1, 4); i > 0; --i)
    if (auto borrowed = borrowSchedule(one, runner, random)) {
      for (const std::string &field : scheduleFields(*borrowed))
        known.push_back(field);
      tryText(*borrowed, one.schedule);
    }
  for (int64_t i = random.between(4, 30); i > 0; --i)
    tryText(mutateSchedule(one.schedule, known, random), one.schedule);
  // Where tiles are streamed there is a second schedule.
  if (decided->unaligned && random.oneIn(2)) {
    one.unaligned = spellSchedule(*decided->unaligned);
    if (runner.check(one).kind != Verdict::Right)
      one.unaligned.clear();
    for (int64_t i = random.between(0, 6); i > 0 && !one.unaligned.empty(); --i)
      tryText(mutateSchedule(one.unaligned, known, random), one.unaligned);
  }
  if (one.schedule == chosen && one.unaligned.empty())
    one.schedule.clear();
}
