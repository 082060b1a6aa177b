//===- Report.cpp - what was measured -------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/ADT/STLExtras.h"

using namespace permc;
using namespace permc::bench;

const Samples *CaseResult::find(const std::string &competitor) const {
  const auto found = llvm::find_if(
      samples, [&](const Samples &one) { return one.name == competitor; });
  return found == samples.end() ? nullptr : &*found;
}

std::optional<double> CaseResult::ratio(const std::string &competitor) const {
  const Samples *other = find(competitor);
  if (!other)
    return std::nullopt;
  return samples.front().best() / other->best();
}

std::optional<double>
CaseResult::medianRatio(const std::string &competitor) const {
  const Samples *other = find(competitor);
  if (!other)
    return std::nullopt;
  return other->medianRatio();
}

std::optional<Figure> CaseResult::bestPeer() const {
  std::optional<Figure> best;
  for (const Samples &one : samples) {
    if (one.name == memcpyName || one.name == permcName ||
        one.name == streamingName)
      continue;
    const double figure = *ratio(one.name);
    if (!best || figure > best->ratio)
      best = Figure{one.name, figure};
  }
  return best;
}
