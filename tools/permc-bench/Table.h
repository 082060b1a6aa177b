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

/// Prints a line a case, as cases are done.
class Table {
public:
  explicit Table(llvm::raw_ostream &os) : os(os) {}
  void add(const CaseResult &result);

private:
  void printHeader();

  llvm::raw_ostream &os;
  std::string suite; ///< of the last line
};

/// Geometric means per suite with the worst case in brackets.
void printSummary(llvm::raw_ostream &os, const Report &report);

} // namespace permc::bench

#endif // PERMC_BENCH_TABLE_H
