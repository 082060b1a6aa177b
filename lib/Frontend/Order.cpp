//===- Order.cpp - how people spell orders --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order.h"

#include "Integer.h"
#include "permc/Frontend/Convention.h"

#include <cstdio>
#include <cstring>
#include <numeric>
#include <set>
#include <type_traits>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

llvm::SmallVector<StringRef> permc::splitList(StringRef text) {
  text = text.trim();
  if ((text.starts_with("[") && text.ends_with("]")) ||
      (text.starts_with("(") && text.ends_with(")")))
    text = text.drop_front().drop_back().trim();
  llvm::SmallVector<StringRef> entries;
  if (text.contains(','))
    text.split(entries, ',');
  else
    llvm::SplitString(text, entries);
  for (StringRef &entry : entries)
    entry = entry.trim();
  return entries;
}

static Result<Dims> parseEntries(std::string_view text, std::string_view what,
                                 bool allowDynamic) {
  Dims values;
  for (StringRef entry : splitList(text)) {
    if (entry.empty())
      return Error{Cause::BadSyntax,
                   (StringRef(what) + " '" + text + "': entry " +
                    Twine(values.size()) +
                    " is empty: expected integers joined by ',', as in 2,0,1")
                       .str()};
    if (allowDynamic && entry == "?") {
      values.push_back(dynamicDim);
      continue;
    }
    Result<int64_t> value =
        parseInteger(entry, StringRef(what) + " '" + text + "': entry " +
                                Twine(values.size()));
    if (!value)
      return value.error();
    // What stands for '?' is no stride.
    if (allowDynamic && *value == dynamicDim)
      return Error{Cause::BadSyntax,
                   (StringRef(what) + " '" + text + "': entry " +
                    Twine(values.size()) + " is out of range: expected " +
                    Twine(INT64_MIN + 1) + " or more")
                       .str()};
    values.push_back(*value);
  }
  return values;
}

Result<Dims> permc::parseIntegers(std::string_view text,
                                  std::string_view what) {
  return parseEntries(text, what, /*allowDynamic=*/false);
}

Result<Dims> permc::parseStrides(std::string_view text, std::string_view what) {
  return parseEntries(text, what, /*allowDynamic=*/true);
}

template <typename T>
static std::string spellEntry(const void *entries, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(entries) + index * sizeof(T),
              sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    // As many digits as tell one double from another.
    std::snprintf(text, sizeof(text), "%.17g", value);
    return text;
  } else {
    return std::to_string(value);
  }
}

std::string permc::spellOrder(const void *entries, size_t count,
                              OrderNumber number) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : ",";
    switch (number) {
    case OrderNumber::I64:
      text += spellEntry<int64_t>(entries, i);
      break;
    case OrderNumber::I32:
      text += spellEntry<int32_t>(entries, i);
      break;
    case OrderNumber::I16:
      text += spellEntry<int16_t>(entries, i);
      break;
    case OrderNumber::I8:
      text += spellEntry<int8_t>(entries, i);
      break;
    case OrderNumber::U64:
      text += spellEntry<uint64_t>(entries, i);
      break;
    case OrderNumber::U32:
      text += spellEntry<uint32_t>(entries, i);
      break;
    case OrderNumber::U16:
      text += spellEntry<uint16_t>(entries, i);
      break;
    case OrderNumber::U8:
      text += spellEntry<uint8_t>(entries, i);
      break;
    case OrderNumber::F64:
      text += spellEntry<double>(entries, i);
      break;
    }
  }
  return text;
}

Result<Dims> permc::readAxes(StringRef order) {
  Result<Dims> axes = parseIntegers(order, "the order");
  if (!axes && axes.error().cause == Cause::SizeOverflow)
    return Error{Cause::AxisOutOfRange, axes.error().message};
  if (!axes && llvm::any_of(order, llvm::isAlpha))
    return Error{Cause::BadSyntax, axes.error().message +
                                       "; expected axes, as in 2,0,1, or "
                                       "letters, as in hwc->chw"};
  return axes;
}

Dims permc::reversedAxes(size_t rank) {
  Dims axes(rank);
  std::iota(axes.rbegin(), axes.rend(), 0);
  return axes;
}

std::optional<int64_t> permc::firstRepeated(const Dims &axes) {
  std::set<int64_t> seen;
  for (int64_t axis : axes)
    if (!seen.insert(axis).second)
      return axis;
  return std::nullopt;
}

std::string permc::hintAtDigits(StringRef order, size_t rank) {
  order = order.trim();
  if (rank < 2 || order.size() != rank || !llvm::all_of(order, llvm::isDigit))
    return "";
  std::string text = "; did you mean ";
  for (size_t i = 0; i < rank; ++i)
    text += std::string(i == 0 ? "" : ",") + order[i];
  return text + "?";
}

bool permc::isLetterOrder(StringRef order) { return order.contains("->"); }

/// `letter` for a message, whatever byte it is.
static std::string spellLetter(char letter) {
  if (llvm::isPrint(letter))
    return std::string("'") + letter + "'";
  return "byte 0x" + llvm::utohexstr(static_cast<unsigned char>(letter));
}

static Status checkSide(StringRef side, StringRef order) {
  for (size_t at = 0; at < side.size(); ++at) {
    if (!llvm::isAlpha(side[at]))
      return Error{Cause::BadSyntax,
                   spellLetter(side[at]) + " in the order '" + order.str() +
                       "' is not a letter: expected one letter for each dim "
                       "on both sides of one '->', as in hwc->chw"};
    if (side.find(side[at]) != at)
      return Error{Cause::DuplicateAxis,
                   spellLetter(side[at]) + " is there twice in '" + side.str() +
                       "' of the order '" + order.str() +
                       "': each dim has a letter of its own"};
  }
  return Done{};
}

Result<Dims> permc::readLetterOrder(StringRef order, size_t rank) {
  auto [left, right] = order.split("->");
  left = left.trim();
  right = right.trim();
  for (StringRef side : {left, right})
    if (Status ok = checkSide(side, order); !ok)
      return ok.error();
  if (left.size() != rank)
    return Error{Cause::BadRank,
                 ("the order '" + order + "' names " + Twine(left.size()) +
                  " dims on the left, the tensor has " + Twine(rank))
                     .str()};
  Dims perm;
  for (char letter : right) {
    size_t dim = left.find(letter);
    if (dim == StringRef::npos)
      return Error{Cause::AxisOutOfRange,
                   spellLetter(letter) + " on the right of the order '" +
                       order.str() + "' names no dim: expected letters of '" +
                       left.str() + "'"};
    perm.push_back(static_cast<int64_t>(dim));
  }
  for (char letter : left)
    if (!right.contains(letter))
      return Error{Cause::BadRank, spellLetter(letter) +
                                       " is missing on the right of the "
                                       "order '" +
                                       order.str() +
                                       "': a permutation keeps every dim"};
  return perm;
}
