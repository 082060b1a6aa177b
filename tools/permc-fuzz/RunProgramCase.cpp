//===- RunProgramCase.cpp - carry out cases as a C program ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgramCase.h"

#include "Reference.h"
#include "RunProgram.h"
#include "VerifyEmulated.h"

#include <cctype>

using namespace permc;
using namespace permc::fuzz;

namespace {

const ProgramFile ownFiles[] = {
#include "FuzzProgramFiles.inc"
};

std::string nameOf(size_t number) { return "k" + std::to_string(number); }

std::string spellNumbers(const Ints &numbers) {
  return "(const int64_t[]){" +
         (numbers.empty() ? "0" : spellList(numbers, ", ")) + "}";
}

std::string spellPlace(const Place &place) {
  return place.atEnd ? "-1" : std::to_string(place.offset);
}

/// The entries of a case in the program's list.
std::string spellRuns(const Case &one, size_t number) {
  std::string text;
  for (const Run &run : one.runs) {
    const Moves moves = movesOf(one, run);
    text += "    {&" + nameOf(number) + "_info, " + std::to_string(number) +
            ", " + std::to_string(moves.sizes.size()) + ", " +
            std::to_string(moves.element) + ", " + spellNumbers(moves.sizes) +
            ", " + spellNumbers(moves.srcStrides) + ", " +
            spellNumbers(moves.dstStrides) + ", " +
            std::to_string(moves.src.low) + ", " +
            std::to_string(moves.dst.low) + ", " +
            std::to_string(moves.src.bytes()) + ", " +
            std::to_string(moves.dst.bytes()) + ", " + spellNumbers(run.dims) +
            ", " + std::to_string(run.parts) + ", " + spellPlace(run.src) +
            ", " + spellPlace(run.dst) + "},\n";
  }
  return text;
}

/// The case that a program complains about: the first "case N: " it printed.
size_t findCase(const std::string &printed, size_t cases) {
  const std::string_view word = "case ";
  const size_t at = printed.find(word);
  if (at == std::string::npos)
    return 0;
  const size_t number = std::strtoul(&printed[at + word.size()], nullptr, 10);
  return number < cases ? number : 0;
}

} // namespace

std::string fuzz::whyNoPrograms(const Target &target) {
  if (target.route == Target::Route::C) {
    auto compiler = findProgram("cc");
    return compiler ? "" : compiler.error().message;
  }
  if (!canEmulate(target))
    return "there is no emulator for " + target.name;
  Status ok = checkEmulator(target);
  return ok ? "" : ok.error().message;
}

ProgramVerdict fuzz::runPrograms(Compiler &compiler,
                                 const std::vector<Case> &cases) {
  ProgramVerdict result;
  std::vector<ProgramFile> files;
  std::string declared = "#include \"fuzz_program.h\"\n", listed;
  std::optional<Target> target;
  for (size_t i = 0; i < cases.size(); ++i) {
    auto request = CaseRunner::requestFor(cases[i], nameOf(i));
    if (!request)
      return {{Verdict::Wrong, request.error().message}, i};
    target = request->target;
    const bool isC = target->route == Target::Route::C;
    auto made = compiler.compile({*request}, isC ? Emit::C : Emit::Object);
    // Which schedules C can have is found out as it is written.
    const bool mayRefuse = isC && !cases[i].schedule.empty();
    if (!made && (mayRefuse || made.error().cause == Cause::Unsupported)) {
      ++result.refused;
      continue;
    }
    if (!made)
      return {{Verdict::Wrong, "not compiled: " + made.error().message}, i};
    files.push_back({nameOf(i) + (isC ? ".c" : ".o"), made->bytes});
    declared += "extern const permc_kernel " + nameOf(i) + "_info;\n";
    listed += spellRuns(cases[i], i);
  }
  if (listed.empty()) {
    result.verdict.kind = Verdict::Refused;
    return result;
  }
  // The last one is a machine that only C has: others come with their emulator.
  const bool isC = target->route == Target::Route::C;
  files.insert(files.end(), std::begin(ownFiles),
               isC ? std::end(ownFiles) : std::prev(std::end(ownFiles)));
  files.push_back({"runs.c", declared +
                                 "const struct fuzz_run fuzz_runs[] = "
                                 "{\n" +
                                 listed + "    {0}};\n"});
  auto printed = isC ? runSanitized(files) : runEmulated(*target, files);
  if (!printed)
    return {{Verdict::Wrong, printed.error().message},
            findCase(printed.error().message, cases.size())};
  return result;
}
