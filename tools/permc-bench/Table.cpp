//===- Table.cpp - the results as text ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int nameWidth = 36, tensorWidth = 27, orderWidth = 15;

std::string spellRatio(std::optional<double> ratio) {
  if (!ratio)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f", *ratio);
  return text;
}

std::string spellPeer(const std::string &name, double ratio) {
  return spellRatio(ratio) + " " + name;
}

std::string spellMean(const std::optional<GeometricMean> &mean) {
  if (!mean)
    return "-";
  return spellRatio(mean->value) + " (" + spellRatio(mean->worst) + ")";
}

} // namespace

void Table::printHeader() {
  os << "\n"
     << llvm::format(
            "%-*s %-*s %-*s %6s %6s %6s %6s %6s  %-14s %-15s %5s %6s\n",
            nameWidth, suite.c_str(), tensorWidth, "tensor", orderWidth,
            "order", "GB/s", "permc", "median", "stream", "naive", "best peer",
            "recorded", "ms", "code");
}

void Table::add(const CaseResult &result) {
  if (result.subject.suite != suite) {
    suite = result.subject.suite;
    printHeader();
  }
  const Problem &problem = result.subject.problem;
  const double moved = 2 * double(problem.bytesMoved()); // read and written
  const auto best = result.bestPeer();
  const auto &recorded = result.subject.recorded;
  os << llvm::format("%-*s %-*s %-*s %6.1f", nameWidth,
                     result.subject.name.c_str(), tensorWidth,
                     spellTensor(problem).c_str(), orderWidth,
                     spellOrder(problem).c_str(),
                     moved / result.samples.front().best() / 1e9)
     << llvm::format(" %6s %6s %6s %6s",
                     spellRatio(result.ratio(permcName)).c_str(),
                     spellRatio(result.medianRatio(permcName)).c_str(),
                     spellRatio(result.ratio(streamingName)).c_str(),
                     spellRatio(result.ratio(naiveName)).c_str())
     << llvm::format(
            "  %-14s %-15s %5.0f %6lld\n",
            best ? spellPeer(best->name, best->ratio).c_str() : "-",
            recorded ? spellPeer(recorded->name, recorded->ratio).c_str() : "-",
            result.compileMilliseconds,
            static_cast<long long>(result.textBytes));
  for (const std::string &warning : result.warnings)
    os << "  warning: " << warning << "\n";
  os.flush();
}

void bench::printSummary(llvm::raw_ostream &os, const Report &report) {
  os << "\nGeometric means of time(memcpy) / time(competitor), the worst case "
        "in brackets\n"
     << llvm::format("%-13s %5s %6s", "suite", "cases", "target");
  for (const std::string &name : llvm::drop_begin(report.competitors))
    os << llvm::format(" %11s", name.c_str());
  os << llvm::format(" %11s %11s\n", "best peer", "recorded");
  for (const SuiteSummary &summary : summarize(report)) {
    os << llvm::format("%-13s %5zu %6s", summary.suite.c_str(), summary.cases,
                       spellRatio(summary.target).c_str());
    for (const auto &mean : llvm::drop_begin(summary.means))
      os << llvm::format(" %11s", spellMean(mean).c_str());
    os << llvm::format(" %11s %11s\n", spellMean(summary.bestPeer).c_str(),
                       spellMean(summary.recorded).c_str());
  }
}
