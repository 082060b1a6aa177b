//===- RightGroups.cpp - what need not be tried again ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RightGroups.h"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace permc;
using namespace permc::fuzz;

RightGroups::RightGroups(std::string path, std::string build)
    : path(std::move(path)), build(std::move(build)) {
  std::ifstream file(this->path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string writer, group;
    Counts counts;
    // A line that was cut off lacks its group.
    if (words >> writer >> counts.cases >> counts.runs &&
        std::getline(words >> std::ws, group) && writer == this->build)
      known[group] = counts;
  }
}

std::optional<RightGroups::Counts>
RightGroups::find(const std::string &group) const {
  const auto found = known.find(group);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool RightGroups::add(const std::string &group, const Counts &counts) {
  known[group] = counts;
  std::ofstream file(path, std::ios::app);
  file << build << " " << counts.cases << " " << counts.runs << " " << group
       << std::endl;
  return file.good();
}

std::string fuzz::hashOfFiles(const std::initializer_list<std::string> &paths) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const std::string &path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      return "";
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
      hash = (hash ^ uint8_t(*at)) * 0x100000001b3;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  return text;
}
