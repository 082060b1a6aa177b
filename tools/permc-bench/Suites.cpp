//===- Suites.cpp - the suites, by name -----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "RandomSuite.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace permc;
using namespace permc::bench;
using llvm::StringRef;

namespace {

/// The .csv files of a folder, in the order of their names.
Result<std::vector<std::string>> listCaseFiles(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".csv"))
      files.push_back(it->path());
  if (error)
    return Error{Cause::BadFile,
                 "cannot list '" + folder + "': " + error.message()};
  llvm::sort(files);
  return files;
}

/// The peers' file has a suite of the same name as one of ours.
void renameSmall(std::vector<Case> &cases) {
  for (Case &one : cases)
    if (one.suite == "small")
      one.suite = "shared-small";
}

Result<std::vector<Case>> loadAll(const SuiteSources &sources) {
  auto files = listCaseFiles(sources.caseFolder);
  if (!files)
    return files.error();
  std::vector<Case> all;
  for (const std::string &file : *files) {
    auto cases = readCases(file);
    if (!cases)
      return cases;
    llvm::append_range(all, *cases);
  }
  llvm::append_range(all, randomSuite(sources.seed));
  if (llvm::sys::fs::exists(sources.peersFile)) {
    auto cases = readCases(sources.peersFile);
    if (!cases)
      return cases;
    renameSmall(*cases);
    llvm::append_range(all, *cases);
  }
  return all;
}

} // namespace

Result<std::vector<Case>>
bench::loadSuites(const std::vector<std::string> &names,
                  const SuiteSources &sources) {
  auto all = loadAll(sources);
  if (!all || names.empty())
    return all;
  for (const std::string &name : names)
    if (llvm::none_of(*all,
                      [&](const Case &one) { return one.suite == name; })) {
      std::vector<std::string> known;
      for (const Case &one : *all)
        if (!llvm::is_contained(known, one.suite))
          known.push_back(one.suite);
      return Error{Cause::BadFile, "no suite '" + name + "'; there are " +
                                       llvm::join(known, ", ")};
    }
  llvm::erase_if(*all, [&](const Case &one) {
    return !llvm::is_contained(names, one.suite);
  });
  return all;
}
