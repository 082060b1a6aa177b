//===- Case.cpp - one thing that permc is asked to get right --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include <algorithm>
#include <charconv>
#include <iterator>

using namespace permc;
using namespace permc::fuzz;

static constexpr const char *apiNames[] = {"object", "jit", "plan", "shim",
                                           "program"};

const char *fuzz::apiName(Api api) { return apiNames[size_t(api)]; }

std::optional<Api> fuzz::apiFromName(const std::string &name) {
  const auto *found = std::find(std::begin(apiNames), std::end(apiNames), name);
  if (found == std::end(apiNames))
    return std::nullopt;
  return Api(found - std::begin(apiNames));
}

bool Case::isDynamic() const {
  return std::find(shape.begin(), shape.end(), anySize) != shape.end();
}

Ints Case::shapeOf(const Run &run) const {
  Ints sizes = shape;
  size_t next = 0;
  for (int64_t &size : sizes)
    if (size == anySize)
      size = run.dims.at(next++);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string fuzz::spellList(const Ints &list, const char *separator) {
  std::string text;
  for (int64_t value : list)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

static std::optional<int64_t> parseInteger(const std::string &text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end)
    return std::nullopt;
  return value;
}

static std::vector<std::string> splitText(const std::string &text, char at) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

std::optional<Ints> fuzz::parseList(const std::string &text, char separator) {
  Ints list;
  if (text.empty())
    return list;
  for (const std::string &piece : splitText(text, separator)) {
    const std::optional<int64_t> value =
        piece == "?" ? anySize : parseInteger(piece);
    if (!value)
      return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

std::string fuzz::spellTensor(const Case &one) {
  std::string text;
  for (int64_t size : one.shape)
    text += (size == anySize ? "?" : std::to_string(size)) + "x";
  return text + "bytes" + std::to_string(one.element);
}

std::string fuzz::spellOrder(const Case &one) {
  const int64_t first = one.convention == "matlab" ? 1 : 0;
  Ints axes = one.order;
  for (int64_t &axis : axes)
    axis += first;
  return spellList(axes);
}

static std::string spellPlace(const Place &place) {
  return place.atEnd ? "end" : std::to_string(place.offset);
}

static std::optional<Place> parsePlace(const std::string &text) {
  if (text == "end")
    return Place{true, 0};
  const std::optional<int64_t> offset = parseInteger(text);
  if (!offset || *offset < 0)
    return std::nullopt;
  return Place{false, *offset};
}

/// "DIMS/PARTS/THREADS/SRC/DST".
static std::string spellRun(const Run &run) {
  return spellList(run.dims) + "/" + std::to_string(run.parts) + "/" +
         std::to_string(run.threads) + "/" + spellPlace(run.src) + "/" +
         spellPlace(run.dst);
}

static std::optional<Run> parseRun(const std::string &text) {
  const std::vector<std::string> pieces = splitText(text, '/');
  if (pieces.size() != 5)
    return std::nullopt;
  const auto dims = parseList(pieces[0]);
  const auto parts = parseInteger(pieces[1]), threads = parseInteger(pieces[2]);
  const auto src = parsePlace(pieces[3]), dst = parsePlace(pieces[4]);
  if (!dims || !parts || !threads || !src || !dst)
    return std::nullopt;
  return Run{*dims, uint32_t(*parts), uint32_t(*threads), *src, *dst};
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::vector<std::string> fuzz::spellOptions(const Case &one) {
  std::vector<std::string> words = {
      "--tensor=" + spellTensor(one), "--order=" + spellList(one.order),
      "--target=" + one.target, std::string("--api=") + apiName(one.api)};
  auto add = [&](bool given, const std::string &word) {
    if (given)
      words.push_back(word);
  };
  add(one.convention != "numpy", "--convention=" + one.convention);
  add(one.inverse, "--inverse");
  if (one.srcStrides)
    words.push_back("--in-strides=" + spellList(*one.srcStrides));
  if (one.dstStrides)
    words.push_back("--out-strides=" + spellList(*one.dstStrides));
  for (const Ints &dims : one.specialized)
    words.push_back("--specialize=" + spellList(dims));
  add(!one.schedule.empty(), "--schedule=" + one.schedule);
  add(!one.unaligned.empty(), "--unaligned=" + one.unaligned);
  for (const Run &run : one.runs)
    words.push_back("--run=" + spellRun(run));
  return words;
}

std::string fuzz::spellCommand(const Case &one) {
  std::string text = "permc-fuzz";
  for (const std::string &word : spellOptions(one)) {
    const bool plain = word.find_first_of(" ?#<>[]") == std::string::npos;
    text += plain ? " " + word : " '" + word + "'";
  }
  return text;
}

/// Sets what one option says; false if it cannot be read.
static bool readOption(Case &one, const std::string &name,
                       const std::string &value) {
  auto readInto = [](auto &to, const auto &read) {
    if (read)
      to = *read;
    return read.has_value();
  };
  if (name == "--tensor") {
    const size_t at = value.rfind("bytes");
    if (at == std::string::npos)
      return false;
    const std::string sizes = at == 0 ? "" : value.substr(0, at - 1);
    return readInto(one.shape, parseList(sizes, 'x')) &&
           readInto(one.element, parseInteger(value.substr(at + 5)));
  }
  if (name == "--order")
    return readInto(one.order, parseList(value));
  if (name == "--api")
    return readInto(one.api, apiFromName(value));
  if (name == "--in-strides")
    return readInto(one.srcStrides, parseList(value));
  if (name == "--out-strides")
    return readInto(one.dstStrides, parseList(value));
  if (name == "--specialize")
    return readInto(one.specialized.emplace_back(), parseList(value));
  if (name == "--run")
    return readInto(one.runs.emplace_back(), parseRun(value));
  if (name == "--inverse")
    return one.inverse = true;
  for (auto [option, text] : {std::pair("--target", &one.target),
                              std::pair("--convention", &one.convention),
                              std::pair("--schedule", &one.schedule),
                              std::pair("--unaligned", &one.unaligned)})
    if (name == option) {
      *text = value;
      return true;
    }
  return false;
}

/// What the parts of a case expect of each other.
static bool isWhole(const Case &one, std::string &why) {
  const auto rank = one.shape.size();
  Ints sorted = one.order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != int64_t(i))
      why = "--order is no permutation";
  if (one.order.size() != rank || one.element < 1)
    why = "--tensor and --order do not go together";
  for (const auto &strides : {one.srcStrides, one.dstStrides})
    if (strides && strides->size() != rank)
      why = "strides of another rank than the tensor";
  const auto dynamic =
      size_t(std::count(one.shape.begin(), one.shape.end(), anySize));
  for (const Run &run : one.runs)
    if (run.dims.size() != dynamic)
      why = "a --run with another number of dims than the tensor has '?'";
  if (one.target.empty())
    why = "no --target";
  return why.empty();
}

std::optional<Case> fuzz::parseOptions(const std::vector<std::string> &words,
                                       std::string &why) {
  Case one;
  for (const std::string &word : words) {
    const size_t at = std::min(word.find('='), word.size());
    const std::string value = word.substr(std::min(at + 1, word.size()));
    if (!readOption(one, word.substr(0, at), value)) {
      why = "'" + word + "' cannot be read";
      return std::nullopt;
    }
  }
  if (one.runs.empty())
    one.runs.emplace_back();
  if (!isWhole(one, why))
    return std::nullopt;
  return one;
}
