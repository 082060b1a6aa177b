//===- ScheduleText.cpp - other schedules, letter by letter ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleText.h"

#include <algorithm>
#include <cctype>

using namespace permc;
using namespace permc::fuzz;

namespace {

constexpr std::string_view opening = "#permc.schedule<", closing = ">";

std::string trim(const std::string &text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The pieces between commas that are in no bracket.
std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> pieces;
  std::string piece;
  int depth = 0;
  for (char c : text) {
    depth +=
        (c == '[' || c == '<' || c == '(') - (c == ']' || c == '>' || c == ')');
    if (c == ',' && depth == 0) {
      pieces.push_back(trim(piece));
      piece.clear();
    } else {
      piece += c;
    }
  }
  if (!trim(piece).empty())
    pieces.push_back(trim(piece));
  return pieces;
}

std::string join(const std::vector<std::string> &pieces) {
  std::string text;
  for (const std::string &piece : pieces)
    text += (text.empty() ? "" : ", ") + piece;
  return text;
}

/// Where a number or a list stands in a text.
struct Range {
  size_t begin, end;
};

std::vector<Range> findNumbers(const std::string &text) {
  std::vector<Range> found;
  for (size_t i = 0; i < text.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(text[i])) &&
        !std::isalnum(static_cast<unsigned char>(text[i - 1]))) {
      const size_t begin = i;
      while (std::isdigit(static_cast<unsigned char>(text[i])))
        ++i;
      found.push_back({begin, i});
    }
  return found;
}

/// What is inside of each bracket.
std::vector<Range> findLists(const std::string &text) {
  std::vector<Range> found;
  for (size_t at = text.find('['); at != std::string::npos;
       at = text.find('[', at + 1))
    found.push_back({at + 1, text.find(']', at)});
  return found;
}

std::string replace(const std::string &text, Range range,
                    const std::string &with) {
  return text.substr(0, range.begin) + with + text.substr(range.end);
}

int64_t numberAt(const std::string &text, Range range) {
  constexpr size_t most = 18; // digits that fit for sure
  return std::stoll(
      text.substr(range.begin, std::min(most, range.end - range.begin)));
}

std::string mutateNumber(const std::string &text, Random &random) {
  const std::vector<Range> numbers = findNumbers(text);
  if (numbers.empty())
    return text;
  const Range range = random.pick(numbers);
  const int64_t old = numberAt(text, range);
  const int64_t choices[] = {0,
                             1,
                             old - 1,
                             old + 1,
                             old / 2,
                             old * 2,
                             random.between(1, 70),
                             int64_t{1} << random.between(0, 12),
                             numberAt(text, random.pick(numbers))};
  return replace(text, range,
                 std::to_string(std::max<int64_t>(random.pick(choices), 0)));
}

std::string mutateList(const std::string &text, Random &random) {
  const std::vector<Range> lists = findLists(text);
  if (lists.empty())
    return text;
  const Range range = random.pick(lists);
  std::vector<std::string> entries =
      splitAtCommas(text.substr(range.begin, range.end - range.begin));
  if (entries.empty())
    return text;
  const auto place = size_t(random.between(0, int64_t(entries.size()) - 1));
  switch (random.between(0, 3)) {
  case 0:
    entries.erase(entries.begin() + int64_t(place));
    break;
  case 1:
    entries.insert(entries.begin() + int64_t(place), entries[place]);
    break;
  default:
    std::swap(entries[place], random.pick(entries));
  }
  return replace(text, range, join(entries));
}

std::string mutateFields(const std::string &text,
                         const std::vector<std::string> &known,
                         Random &random) {
  std::vector<std::string> fields = scheduleFields(text);
  if (fields.empty())
    return text;
  const auto place = size_t(random.between(0, int64_t(fields.size()) - 1));
  if (place > 0 && random.oneIn(3)) {
    fields.erase(fields.begin() + int64_t(place));
    return joinFields(fields);
  }
  if (known.empty())
    return text;
  const std::string &other =
      known[size_t(random.between(0, int64_t(known.size()) - 1))];
  auto nameOf = [](const std::string &field) {
    return trim(field.substr(0, field.find('=')));
  };
  const bool isKind = other.find('=') == std::string::npos && random.oneIn(2);
  auto same = std::ranges::find_if(fields, [&](const std::string &field) {
    return nameOf(field) == nameOf(other);
  });
  if (same != fields.end())
    *same = other;
  else if (isKind)
    fields.front() = other;
  else
    fields.push_back(other);
  return joinFields(fields);
}

} // namespace

std::vector<std::string> fuzz::scheduleFields(const std::string &text) {
  if (text.size() < opening.size() + closing.size() ||
      !text.starts_with(opening))
    return {};
  return splitAtCommas(
      text.substr(opening.size(), text.rfind(closing) - opening.size()));
}

std::string fuzz::joinFields(const std::vector<std::string> &fields) {
  return std::string(opening) + join(fields) + std::string(closing);
}

std::string fuzz::mutateSchedule(const std::string &text,
                                 const std::vector<std::string> &known,
                                 Random &random) {
  switch (random.between(0, 5)) {
  case 0:
  case 1:
    return mutateFields(text, known, random);
  case 2:
    return mutateList(text, random);
  default:
    return mutateNumber(text, random);
  }
}

std::vector<std::string> fuzz::simplerSchedules(const std::string &text) {
  std::vector<std::string> simpler;
  const std::vector<std::string> fields = scheduleFields(text);
  for (size_t i = 1; i < fields.size(); ++i) {
    std::vector<std::string> without = fields;
    without.erase(without.begin() + int64_t(i));
    simpler.push_back(joinFields(without));
  }
  for (Range range : findNumbers(text))
    for (int64_t smaller :
         {numberAt(text, range) / 2, numberAt(text, range) - 1})
      if (smaller >= 0)
        simpler.push_back(replace(text, range, std::to_string(smaller)));
  return simpler;
}
