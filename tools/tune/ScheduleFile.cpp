//===- ScheduleFile.cpp - schedules that someone wrote --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace permc;
using llvm::StringRef;

static constexpr StringRef opening = "#permc.schedule<";

/// What stands before `at` on its line: what 'permc explain' calls a schedule.
static StringRef labelOf(StringRef text, size_t at) {
  const StringRef before = text.take_front(at);
  return before.substr(before.rfind('\n') + 1).trim();
}

/// Refuses a line that begins as the one for an unaligned dst does but has no
/// schedule: it would be left out without a word.
static Status checkLabels(StringRef text, const std::string &path) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].trim().starts_with_insensitive("unaligned ") &&
        !lines[i].contains(opening))
      return Error{Cause::BadFile,
                   path + ":" + std::to_string(i + 1) +
                       ": an unaligned schedule that is none; expected "
                       "#permc.schedule<...> as 'permc explain' prints it"};
  return Done{};
}

Result<ScheduleTexts> permc::readScheduleFile(const std::string &path) {
  auto contents = llvm::MemoryBuffer::getFile(path);
  if (!contents)
    return Error{Cause::BadFile, "cannot read '" + path +
                                     "': " + contents.getError().message()};
  const StringRef text = (*contents)->getBuffer();
  if (Status ok = checkLabels(text, path); !ok)
    return ok.error();
  ScheduleTexts found;
  for (size_t at = text.find(opening), end; at != StringRef::npos;
       at = text.find(opening, end)) {
    // Another one must not begin before this one ends.
    end = text.find_first_of(">#", at + 1);
    if (end == StringRef::npos || text[end] != '>') {
      const auto line = 1 + text.take_front(at).count('\n');
      return Error{Cause::BadFile,
                   path + ":" + std::to_string(line) +
                       ": the schedule has no '>' at its end; expected "
                       "#permc.schedule<...> as 'permc explain' prints it"};
    }
    std::string &place =
        labelOf(text, at) == "unaligned" ? found.unaligned : found.schedule;
    if (place.empty())
      place = text.slice(at, end + 1).str();
  }
  if (found.schedule.empty())
    return Error{Cause::BadFile,
                 "'" + path +
                     "' has no schedule; expected the text "
                     "#permc.schedule<...> that 'permc explain' prints"};
  found.file = text.str();
  return found;
}
