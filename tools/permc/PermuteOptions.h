//===- PermuteOptions.h - the permutation, as options -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_PERMUTEOPTIONS_H
#define PERMC_TOOLS_PERMC_PERMUTEOPTIONS_H

#include "MachineOption.h"
#include "ScheduleFile.h"

#include "permc/Compiler/Compiler.h"
#include "permc/Frontend/Convention.h"
#include "permc/Frontend/KernelName.h"

#include "llvm/Support/CommandLine.h"

namespace permc {

/// TENSOR and the options that say how to permute it, for every command that
/// takes a permutation.
class PermuteOptions {
public:
  explicit PermuteOptions(llvm::cl::SubCommand &sub);

  bool hasTensor() const { return tensor.getNumOccurrences() != 0; }
  bool hasOrder() const { return perm.getNumOccurrences() != 0; }
  /// What to say if a file was given in place of TENSOR that no command, or not
  /// this one, takes; nothing if TENSOR may be one.
  std::optional<std::string> findFileInPlaceOfTensor() const;
  bool hasSchedule() const { return schedule.getNumOccurrences() != 0; }
  /// The first option given that means nothing without a TENSOR, or nothing.
  std::optional<std::string> firstGiven() const;

  const std::string &tensorText() const { return tensor; }
  const std::string &orderText() const { return perm; }

  Result<PermuteSpec> spec() const;
  /// The same for a tensor that is known from elsewhere.
  Result<PermuteSpec> specFor(const TensorSpec &tensor) const;
  const std::string &scheduleFile() const { return schedule; }
  const MachineOption &machine() const { return machineOption; }

private:
  llvm::cl::OptionCategory category;
  llvm::cl::opt<std::string> tensor, perm, convention;
  llvm::cl::opt<bool> inverse;
  llvm::cl::opt<std::string> inStrides, outStrides, schedule;
  MachineOption machineOption;
};

/// A permutation ready to be compiled.
struct PreparedPermute {
  PermuteSpec spec;
  Dims outShape; ///< in the user's convention
  Request request;
};
/// The permutation without a schedule, its kernel with a name derived from it.
Result<PreparedPermute> prepareSpec(const PermuteSpec &spec,
                                    const Target &target, bool allowDynamic);

/// Adds the schedules of a file to a request.
Status addScheduleFile(const std::string &path, Request &request);

/// Without a `name` the kernel gets one derived from the problem. A tensor with
/// dynamic dims is an error.
Result<PreparedPermute> prepare(const PermuteOptions &options,
                                const std::string &targetName,
                                const std::optional<std::string> &name = {});

/// The same for commands that can do with dynamic dims as well.
Result<PreparedPermute> prepareAny(const PermuteOptions &options,
                                   const std::string &targetName,
                                   const std::optional<std::string> &name = {});

/// The whole of a file; the error names it.
Result<std::string> readFile(const std::string &path);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_PERMUTEOPTIONS_H
