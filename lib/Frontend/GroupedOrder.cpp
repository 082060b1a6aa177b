//===- GroupedOrder.cpp - orders that take dims apart ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A name and where it stands.
struct Name {
  StringRef text;
  size_t at;
};

/// What one dim consists of; one name without brackets.
struct Group {
  std::vector<Name> names;
  size_t at;
};

class Reader {
public:
  Reader(StringRef order, const Dims &shape) : order(order), shape(shape) {}

  Result<GroupedOrder> read();

private:
  /// `at` counts from 0, people from 1.
  Error fail(Cause cause, size_t at, const Twine &message) const {
    return {cause, ("the order '" + order + "', character " + Twine(at + 1) +
                    ": " + message)
                       .str()};
  }

  Result<std::vector<Group>> readSide(StringRef side);
  Status readSizes(StringRef list);
  Status splitDim(const Group &group, int64_t size);
  size_t placeOf(StringRef piece) const {
    return static_cast<size_t>(piece.data() - order.data());
  }

  StringRef order;
  const Dims &shape;
  llvm::StringMap<std::pair<int64_t, size_t>> sizes; ///< given, and where
  llvm::StringMap<int64_t> dims;                     ///< of the view, by name
  GroupedOrder result;
};

} // namespace

/// Names and brackets, each where it stands.
Result<std::vector<Group>> Reader::readSide(StringRef side) {
  std::vector<Group> groups;
  llvm::StringMap<size_t> seen;
  bool isOpen = false;
  for (size_t i = 0; i < side.size();) {
    const size_t at = placeOf(side) + i;
    const char c = side[i];
    if (c == ' ') {
      ++i;
    } else if (c == '(' && !isOpen) {
      groups.push_back({{}, at});
      isOpen = true;
      ++i;
    } else if (c == ')' && isOpen) {
      if (groups.back().names.empty())
        return fail(Cause::BadSyntax, at, "a group of nothing; expected names");
      isOpen = false;
      ++i;
    } else if (llvm::isAlpha(c)) {
      const StringRef text = side.substr(i).take_while(
          [](char each) { return llvm::isAlnum(each) || each == '_'; });
      if (!seen.try_emplace(text, at).second)
        return fail(Cause::DuplicateAxis, at,
                    "'" + text +
                        "' is there twice on one side; expected a "
                        "name of its own for each dim");
      if (!isOpen)
        groups.push_back({{}, at});
      groups.back().names.push_back({text, at});
      i += text.size();
    } else {
      return fail(Cause::BadSyntax, at,
                  "'" + Twine(c) +
                      "'; expected names with blanks between them, and "
                      "brackets round those that make one dim, as in 'b s (h "
                      "d) -> b h s d, h=12'");
    }
  }
  if (isOpen)
    return fail(Cause::BadSyntax, groups.back().at,
                "a bracket that is not closed");
  return groups;
}

/// ", h=12, w=4" without the first comma.
Status Reader::readSizes(StringRef list) {
  while (!list.empty()) {
    auto [entry, rest] = list.split(',');
    list = rest;
    auto [name, number] = entry.split('=');
    const size_t at = placeOf(entry) + (entry.size() - entry.ltrim().size());
    int64_t size;
    if (number.trim().getAsInteger(10, size) || size < 0)
      return fail(Cause::BadSyntax, at,
                  "'" + entry.trim() +
                      "'; expected the size of a name, as in h=12");
    if (!sizes.try_emplace(name.trim(), size, at).second)
      return fail(Cause::BadSyntax, at,
                  "a second size of '" + name.trim() + "'; expected one");
  }
  return Done{};
}

/// Adds the dims that one dim of the tensor consists of.
Status Reader::splitDim(const Group &group, int64_t size) {
  int64_t known = 1;
  const Name *unknown = nullptr;
  for (const Name &name : group.names) {
    auto given = sizes.find(name.text);
    if (given == sizes.end() && unknown)
      return fail(Cause::BadSize, name.at,
                  "the sizes of '" + unknown->text + "' and '" + name.text +
                      "' are both not given; expected one of them, as in " +
                      name.text + "=4 at the end");
    if (given == sizes.end())
      unknown = &name;
    else if (__builtin_mul_overflow(known, given->second.first, &known))
      return fail(Cause::SizeOverflow, name.at,
                  "sizes whose product does not fit 63 bits");
  }
  const bool fits = size == dynamicDim ? unknown != nullptr
                    : unknown          ? known > 0 && size % known == 0
                                       : size == known;
  if (!fits)
    return fail(Cause::BadSize, group.at,
                "a dim of " + spellShape({size}) + " does not consist of " +
                    Twine(known) + (unknown ? " times a size" : ""));
  for (const Name &name : group.names) {
    dims[name.text] = static_cast<int64_t>(result.view.size());
    result.view.push_back(&name == unknown
                              ? (size == dynamicDim ? size : size / known)
                              : sizes[name.text].first);
  }
  return Done{};
}

Result<GroupedOrder> Reader::read() {
  auto [sides, list] = order.split(',');
  auto [leftText, rightText] = sides.split("->");
  auto left = readSide(leftText);
  if (!left)
    return left.error();
  auto right = readSide(rightText);
  if (!right)
    return right.error();
  if (Status ok = readSizes(list); !ok)
    return ok.error();
  if (left->size() != shape.size())
    return fail(Cause::BadRank, 0,
                "it names " + Twine(left->size()) +
                    " dims on the left, the tensor " + spellShape(shape) +
                    " has " + Twine(shape.size()));
  for (size_t i = 0; i < shape.size(); ++i)
    if (Status ok = splitDim((*left)[i], shape[i]); !ok)
      return ok.error();
  for (const auto &size : sizes)
    if (!dims.contains(size.first()))
      return fail(Cause::BadSyntax, size.second.second,
                  "the size of '" + size.first() +
                      "', which names nothing on the left");
  llvm::StringMap<bool> used;
  for (const Group &group : *right) {
    int64_t size = 1;
    for (const Name &name : group.names) {
      auto dim = dims.find(name.text);
      if (dim == dims.end())
        return fail(Cause::AxisOutOfRange, name.at,
                    "'" + name.text + "' names nothing on the left");
      used[name.text] = true;
      result.perm.push_back(dim->second);
      const int64_t each = result.view[dim->second];
      if (size == dynamicDim || each == dynamicDim)
        size = dynamicDim;
      else if (__builtin_mul_overflow(size, each, &size))
        return fail(Cause::SizeOverflow, name.at,
                    "a dim whose size does not fit 63 bits");
    }
    result.outShape.push_back(size);
  }
  for (const Group &group : *left)
    for (const Name &name : group.names)
      if (!used.contains(name.text))
        return fail(Cause::BadRank, name.at,
                    "'" + name.text +
                        "' is missing on the right: a permutation keeps every "
                        "dim");
  return std::move(result);
}

bool permc::isGroupedOrder(StringRef order) {
  if (!order.contains("->"))
    return false;
  const auto [left, right] = order.split("->");
  return order.find_first_of("(),=") != StringRef::npos ||
         left.trim().contains(' ') || right.trim().contains(' ');
}

Result<GroupedOrder> permc::readGroupedOrder(StringRef order,
                                             const Dims &shape) {
  return Reader(order, shape).read();
}
