//===- CaseFile.cpp - benchmark cases, read from CSV ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace permc;
using namespace permc::bench;
using llvm::StringRef;

namespace {

class CaseReader {
public:
  CaseReader(StringRef text, const std::string &path)
      : text(text), path(path) {}

  Result<std::vector<Case>> read();

private:
  using Fields = llvm::SmallVector<StringRef>;

  Status readHeader(const Fields &fields);
  Result<Case> readCase(const Fields &fields) const;
  Result<Dims> readNumbers(StringRef column, StringRef field,
                           char separator) const;
  Result<std::optional<RecordedPeer>> readPeer(const Fields &fields) const;

  Error fail(const std::string &message) const {
    return {Cause::BadFile,
            path + ":" + std::to_string(lineNumber) + ": " + message};
  }
  static Fields split(StringRef line) {
    Fields fields;
    line.split(fields, ',');
    for (StringRef &field : fields)
      field = field.trim();
    return fields;
  }
  /// The column's field, empty where there is no such column.
  StringRef get(const Fields &fields, StringRef column) const {
    const auto *found = llvm::find(header, column);
    return found == header.end() ? StringRef()
                                 : fields[size_t(found - header.begin())];
  }

  StringRef text;
  const std::string &path;
  size_t lineNumber = 0;
  Fields header;
};

constexpr StringRef requiredColumns[] = {"suite", "case", "elem_bytes", "shape",
                                         "perm"};

Status CaseReader::readHeader(const Fields &fields) {
  header = fields;
  for (StringRef column : requiredColumns)
    if (!llvm::is_contained(header, column))
      return fail("the header has no column '" + column.str() +
                  "'; expected suite,case,elem_bytes,shape,perm");
  return Done{};
}

Result<Dims> CaseReader::readNumbers(StringRef column, StringRef field,
                                     char separator) const {
  Dims numbers;
  llvm::SmallVector<StringRef> parts;
  field.split(parts, separator, /*MaxSplit=*/-1,
              /*KeepEmpty=*/separator != ' ');
  for (StringRef part : parts) {
    int64_t number = 0;
    if (part.getAsInteger(10, number))
      return fail("the " + column.str() + " '" + field.str() +
                  "' has a part '" + part.str() + "'; expected " +
                  (separator == 'x' ? "sizes such as 224x224x3"
                                    : "axes such as 2 0 1"));
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::optional<RecordedPeer>>
CaseReader::readPeer(const Fields &fields) const {
  const StringRef ratio = get(fields, "best_ratio");
  if (ratio.empty())
    return std::optional<RecordedPeer>();
  RecordedPeer peer{get(fields, "best_peer").str(), 0};
  if (ratio.getAsDouble(peer.ratio) || !(peer.ratio > 0))
    return fail("best_ratio is '" + ratio.str() +
                "'; expected a number above 0");
  return std::optional(peer);
}

Result<Case> CaseReader::readCase(const Fields &fields) const {
  if (fields.size() != header.size())
    return fail(std::to_string(fields.size()) + " fields; expected " +
                std::to_string(header.size()) + ", as in the header");
  for (StringRef column : {"suite", "case"})
    if (get(fields, column).empty())
      return fail("the " + column.str() + " has no name");
  int64_t elementBytes = 0;
  if (get(fields, "elem_bytes").getAsInteger(10, elementBytes))
    return fail("elem_bytes is '" + get(fields, "elem_bytes").str() +
                "'; expected a number of bytes");
  auto shape = readNumbers("shape", get(fields, "shape"), 'x');
  if (!shape)
    return shape.error();
  auto perm = readNumbers("perm", get(fields, "perm"), ' ');
  if (!perm)
    return perm.error();
  auto problem = Problem::make(elementBytes, *shape, *perm);
  if (!problem)
    return fail(problem.error().message);
  if (problem->isEmpty())
    return fail("the tensor " + get(fields, "shape").str() +
                " is empty; there is nothing to measure");
  auto peer = readPeer(fields);
  if (!peer)
    return peer.error();
  return Case{get(fields, "suite").str(), get(fields, "case").str(), *problem,
              *peer};
}

Result<std::vector<Case>> CaseReader::read() {
  std::vector<Case> cases;
  llvm::StringSet<> names;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++lineNumber;
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    if (header.empty()) {
      if (Status ok = readHeader(split(line)); !ok)
        return ok.error();
      continue;
    }
    auto one = readCase(split(line));
    if (!one)
      return one.error();
    if (!names.insert(one->fullName()).second)
      return fail("there is a case '" + one->fullName() + "' already");
    cases.push_back(*one);
  }
  if (header.empty())
    return fail("no header; expected suite,case,elem_bytes,shape,perm");
  return cases;
}

std::string join(const Dims &list, StringRef separator) {
  return llvm::join(
      llvm::map_range(list, [](int64_t n) { return std::to_string(n); }),
      separator);
}

} // namespace

Result<std::vector<Case>> bench::parseCases(std::string_view text,
                                            const std::string &path) {
  return CaseReader(text, path).read();
}

Result<std::vector<Case>> bench::readCases(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Error{Cause::BadFile,
                 "cannot read '" + path + "': " + buffer.getError().message()};
  return parseCases((*buffer)->getBuffer(), path);
}

std::string bench::elementName(int64_t bytes) {
  switch (bytes) {
  case 1:
    return "u8";
  case 2:
    return "u16";
  case 4:
    return "f32";
  case 8:
    return "f64";
  case 16:
    return "c128";
  default:
    return "bytes" + std::to_string(bytes);
  }
}

std::string bench::spellTensor(const Problem &problem) {
  return (problem.rank() == 0 ? "" : join(problem.shape(), "x") + "x") +
         elementName(problem.elementBytes());
}

std::string bench::spellOrder(const Problem &problem) {
  return join(problem.perm(), " ");
}
