//===- Table.cpp - the results as text ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "Summary.h"

#include "llvm/Support/Format.h"

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int nameWidth = 30, tensorWidth = 26, orderWidth = 16;

std::string spellRatio(std::optional<double> ratio) {
  if (!ratio)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f", *ratio);
  return text;
}

std::string spellMean(const std::optional<GeometricMean> &mean) {
  if (!mean)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.2f (%.2f)", mean->value, mean->worst);
  return text;
}

} // namespace

void Table::printHeader() {
  os << "\n"
     << llvm::format("%-*s %-*s %-*s %8s %7s", nameWidth, suite.c_str(),
                     tensorWidth, "tensor", orderWidth, "order", "MB",
                     "memcpy");
  for (const std::string &name : competitors)
    os << llvm::format(" %9s", name.c_str());
  os << llvm::format(" %7s %9s %6s %6s\n", "median", "recorded", "ms", "text");
}

void Table::add(const CaseResult &result) {
  if (result.subject.suite != suite) {
    suite = result.subject.suite;
    printHeader();
  }
  const Problem &problem = result.subject.problem;
  const double bytes = double(problem.bytesMoved());
  os << llvm::format("%-*s %-*s %-*s %8.3f %7.1f", nameWidth,
                     result.subject.name.c_str(), tensorWidth,
                     spellTensor(problem).c_str(), orderWidth,
                     spellOrder(problem).c_str(), bytes / 1e6,
                     2 * bytes / result.samples.front().best() / 1e9);
  for (const std::string &name : competitors)
    os << llvm::format(" %9s", spellRatio(result.ratio(name)).c_str());
  const auto &recorded = result.subject.recorded;
  os << llvm::format(
      " %7s %9s %6.1f %6lld\n",
      spellRatio(result.medianRatio(kernelName)).c_str(),
      spellRatio(recorded ? std::optional(recorded->ratio) : std::nullopt)
          .c_str(),
      result.compileMilliseconds, static_cast<long long>(result.textBytes));
  for (const std::string &warning : result.warnings)
    os << "  warning: " << warning << "\n";
  os.flush();
}

void Table::printSummary(const std::vector<CaseResult> &results) {
  os << "\nGeometric means of time(memcpy) / time(competitor), the worst case "
        "in brackets\n"
     << llvm::format("%-14s %5s %6s", "suite", "cases", "target");
  for (const std::string &name : competitors)
    os << llvm::format(" %12s", name.c_str());
  os << llvm::format(" %12s\n", "recorded");
  for (const SuiteSummary &summary : summarize(results, competitors)) {
    os << llvm::format("%-14s %5zu %6s", summary.suite.c_str(), summary.cases,
                       spellRatio(summary.target).c_str());
    for (const auto &mean : summary.means)
      os << llvm::format(" %12s", spellMean(mean).c_str());
    os << llvm::format(" %12s\n", spellMean(summary.recorded).c_str());
  }
}
