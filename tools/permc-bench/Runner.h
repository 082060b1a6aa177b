//===- Runner.h - one case: compile, verify, time ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_RUNNER_H
#define PERMC_BENCH_RUNNER_H

#include "Peers.h"
#include "Report.h"
#include "StaticLoops.h"
#include "ThreadTeam.h"
#include "Workspace.h"

#include "permc/JIT/Jit.h"

namespace permc::bench {

struct RunOptions {
  Target target;
  /// Instead of the chosen ones, if not empty.
  std::string schedule = {}, unaligned = {};
  bool tune = false; ///< measure others than the chosen schedule first
  double secondsPerCase = 0.3;
  unsigned threads = 1;
  unsigned dstOffset = 0; ///< how far behind a line dst begins
};

/// A peer that takes part.
struct Entrant {
  std::string name;
  std::unique_ptr<Peer> peer;
};

class Runner {
public:
  static Result<Runner> create(const std::vector<Case> &cases,
                               RunOptions options, std::vector<Entrant> peers);

  /// `staticLoop` may be null: the loop for any shape is taken then.
  Result<CaseResult> run(const Case &one, StaticLoops::Function staticLoop);

private:
  Runner(RunOptions options, Workspace workspace, std::unique_ptr<Jit> jit,
         std::vector<Entrant> peers);
  Status warmUpCompiler();
  Result<Kernel> compile(const Case &one, CaseResult &result);
  Result<std::string> tuneCase(const Request &request);
  std::vector<Competitor> makeCompetitors(const Case &one,
                                          const Kernel &kernel);
  void addPeers(std::vector<Competitor> &competitors, CaseResult &result);
  void addWarnings(CaseResult &result) const;

  RunOptions options;
  Workspace workspace;
  std::unique_ptr<Jit> jit;
  Compiler compiler;
  std::unique_ptr<ThreadTeam> team;
  std::vector<Entrant> peers;
};

} // namespace permc::bench

#endif // PERMC_BENCH_RUNNER_H
