//===- Calibrate.cpp - permc calibrate ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Command.h"
#include "Host.h"
#include "OutputFile.h"

#include "permc/Frontend/MachineFile.h"
#include "permc/Targets/Target.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

constexpr int mostRounds = 99;
constexpr StringRef standardOutput = "-";

/// "+- 3 %", or where the value is from.
std::string spellOrigin(const Origin &origin) {
  switch (origin.kind) {
  case Origin::Known:
    return "known";
  case Origin::System:
    return "system";
  case Origin::Measured:
    break;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("+- %.0f %%", 100 * origin.spread);
  return text;
}

Origin originOf(const Calibration &found, const MachineKey &key) {
  auto origin = found.origins.find(key.name);
  return origin == found.origins.end() ? Origin() : origin->second;
}

void printTable(const Calibration &found, llvm::raw_ostream &os) {
  os << llvm::format("%-18s %9s %-8s %-9s\n", "quantity", "value", "unit",
                     "spread");
  visitMachine(found.machine, [&](const MachineKey &key, const auto &value) {
    os << llvm::format("%-18s %9s %-8s %-9s %s\n", key.name,
                       spellQuantity(static_cast<double>(value)).c_str(),
                       key.unit, spellOrigin(originOf(found, key)).c_str(),
                       key.description);
  });
}

std::string spellFile(const Calibration &found) {
  const std::string brand = hostBrand();
  return spellMachine(
      found.machine,
      "Measured by permc calibrate " PERMC_VERSION " on " +
          (brand.empty() ? std::string("a machine without a name") : brand) +
          " (" + llvm::sys::getHostCPUName().str() + ")",
      [&](const MachineKey &key) { return spellOrigin(originOf(found, key)); });
}

class CalibrateCommand : public Command {
public:
  CalibrateCommand()
      : Command("calibrate", "Measure this machine's caches and memory"),
        category("Calibration options"),
        output("o", cl::sub(subCommand()), cl::cat(category),
               cl::value_desc("FILE"),
               cl::desc("Write a file for --machine as well (- for the\n"
                        "standard output, and the table elsewhere)")),
        rounds("rounds", cl::sub(subCommand()), cl::cat(category),
               cl::value_desc("N"), cl::init("15"),
               cl::desc("How often to measure each; 15 by default")) {}

  StringRef examples() const override {
    return R"(
Takes less than a minute, on one core; let it be a quiet one. Prints what this
machine takes for each of the things that predictions are made of: the median of
all rounds, and how far half of them are from it ('known': as for any machine of
its kind; 'system': as the operating system tells).

Examples:
  permc calibrate -o machine.yaml
  permc explain 4096x4096xf32 --perm 1,0 --machine machine.yaml
)";
  }

  int run() override {
    CalibrateOptions options;
    if (StringRef(rounds).getAsInteger(10, options.rounds) ||
        options.rounds < 1 || options.rounds > mostRounds)
      return failUsage("--rounds '" + rounds + "'; expected 1 to " +
                       llvm::Twine(mostRounds));
    const bool writes = output.getNumOccurrences() != 0;
    if (writes)
      if (Status ok = checkWritable(); !ok)
        return fail(ok.error());
    options.progress = [&](int round) {
      llvm::errs() << "calibrating: round " << round << " of " << options.rounds
                   << "\n";
    };
    auto native = findTarget("native");
    if (!native)
      return fail(native.error());
    auto found = calibrate(native->facts, options);
    if (!found)
      return fail(found.error());
    if (found->rounds < options.rounds)
      llvm::errs() << "permc: warning: time for " << found->rounds
                   << " rounds only: the machine is busy\n";
    printTable(*found, output == standardOutput ? llvm::errs() : llvm::outs());
    if (!writes)
      return ExitSuccess;
    auto file = OutputFile::create(output, spellFile(*found));
    if (!file)
      return fail(file.error());
    if (Status ok = file->commit(); !ok)
      return fail(ok.error());
    return ExitSuccess;
  }

private:
  /// Nobody wants to hear it after half a minute.
  Status checkWritable() const {
    auto file = OutputFile::create(output, size_t(0));
    if (!file)
      return file.error();
    return Done{};
  }

  cl::OptionCategory category;
  cl::opt<std::string> output, rounds;
};

} // namespace

std::unique_ptr<Command> permc::makeCalibrateCommand() {
  return std::make_unique<CalibrateCommand>();
}
