//===- RightGroups.h - what need not be tried again -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small world takes longer than a machine may be free. So a file keeps the
// groups that were right, and the next run goes on behind them. A line is of no
// worth to a build other than the one that wrote it.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_RIGHTGROUPS_H
#define PERMC_TOOLS_PERMC_FUZZ_RIGHTGROUPS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace permc::fuzz {

class RightGroups {
public:
  struct Counts {
    uint64_t cases = 0, runs = 0;
    bool operator==(const Counts &) const = default;
  };

  /// Those that `build` wrote to the file; none if there is no such file yet.
  RightGroups(std::string path, std::string build);

  std::optional<Counts> find(const std::string &group) const;
  /// False if it cannot be written.
  bool add(const std::string &group, const Counts &counts);

private:
  const std::string path, build;
  std::map<std::string, Counts> known;
};

/// What differs between builds: a hash of some files, such as a program and its
/// libraries. Empty if one cannot be read.
std::string hashOfFiles(const std::initializer_list<std::string> &paths);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_RIGHTGROUPS_H
