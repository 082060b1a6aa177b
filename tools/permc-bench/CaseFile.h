//===- CaseFile.h - benchmark cases, read from CSV --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case file is a table with a header line. These columns must be there:
//
//   suite,case,elem_bytes,shape,perm
//   vision,hwc_to_chw_224,1,224x224x3,2 0 1
//
// best_peer and best_ratio may be there: another's figure to compare with.
// Other columns are left alone, and so are empty lines and those that begin
// with #.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_CASEFILE_H
#define PERMC_BENCH_CASEFILE_H

#include "permc/Plan/Problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace permc::bench {

/// The best peer's figure from another run.
struct RecordedPeer {
  std::string name;
  double ratio; ///< time(memcpy) / time(peer)
};

struct Case {
  std::string suite, name;
  Problem problem;
  std::optional<RecordedPeer> recorded = {};

  /// "suite/name", what --filter sees.
  std::string fullName() const { return suite + "/" + name; }
};

/// Reads cases from `text`; errors begin with `path:line`.
Result<std::vector<Case>> parseCases(std::string_view text,
                                     const std::string &path);

/// The same from the file `path`.
Result<std::vector<Case>> readCases(const std::string &path);

/// How tables show an element of so many bytes: moves do not depend on more.
std::string elementName(int64_t bytes);
/// "224x224x3xu8".
std::string spellTensor(const Problem &problem);
/// "2 0 1", as in a case file.
std::string spellOrder(const Problem &problem);

} // namespace permc::bench

#endif // PERMC_BENCH_CASEFILE_H
