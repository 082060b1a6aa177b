//===- Command.h - one command of the permc tool ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_COMMAND_H
#define PERMC_TOOLS_PERMC_COMMAND_H

#include "permc/Plan/Error.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <vector>

namespace permc {

/// What the tool returns to the shell.
enum ExitCode { ExitSuccess = 0, ExitFailure = 1, ExitBadUsage = 2 };

/// One word after `permc` with its own options, which are members of the
/// command: nothing about a command is global.
class Command {
public:
  Command(llvm::StringRef name, llvm::StringRef summary) : sub(name, summary) {}
  virtual ~Command() = default;

  /// Shown below the options by `permc NAME --help`.
  virtual llvm::StringRef examples() const = 0;
  /// Returns an ExitCode; the options have been read.
  virtual int run() = 0;

  bool isChosen() const { return static_cast<bool>(sub); }
  llvm::cl::SubCommand &subCommand() { return sub; }

protected:
  /// Both print the message after `permc: error: ` and return the exit code.
  int fail(const Error &error) const;
  int failUsage(const llvm::Twine &message) const;

private:
  llvm::cl::SubCommand sub;
};

std::unique_ptr<Command> makeCompileCommand();
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeExplainCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeCalibrateCommand();
std::unique_ptr<Command> makeTargetsCommand();
std::unique_ptr<Command> makeVerifyCommand();

} // namespace permc

#endif // PERMC_TOOLS_PERMC_COMMAND_H
