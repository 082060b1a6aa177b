//===- Table.h - the results as text ----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_TABLE_H
#define PERMC_BENCH_TABLE_H

#include "Report.h"

#include "llvm/Support/raw_ostream.h"

namespace permc::bench {

/// Prints a line a case as cases are done, and at the end what they come to.
class Table {
public:
  /// `competitors` are the columns after memcpy.
  Table(llvm::raw_ostream &os, std::vector<std::string> competitors)
      : os(os), competitors(std::move(competitors)) {}

  void add(const CaseResult &result);
  /// Geometric means per suite with the worst case in brackets.
  void printSummary(const std::vector<CaseResult> &results);

private:
  void printHeader();

  llvm::raw_ostream &os;
  std::vector<std::string> competitors;
  std::string suite; ///< of the last line
};

} // namespace permc::bench

#endif // PERMC_BENCH_TABLE_H
