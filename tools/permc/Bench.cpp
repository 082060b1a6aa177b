//===- Bench.cpp - permc bench --------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Measure.h"
#include "PermuteOptions.h"

#include "permc/JIT/Host.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

class BenchCommand : public Command {
public:
  BenchCommand()
      : Command("bench", "Time a kernel beside memcpy and a loop in C"),
        permute(subCommand()), code("Code options"),
        target("target", cl::sub(subCommand()), cl::cat(code),
               cl::value_desc("TARGET"), cl::init("native"),
               cl::desc("The machine to compile for; this one must be\n"
                        "able to run it. native by default")),
        suite("suite", cl::sub(subCommand()), cl::cat(code),
              cl::value_desc("NAME"),
              cl::desc("Measure a suite of cases, with permc-bench,\n"
                       "in place of one TENSOR")) {}

  StringRef examples() const override {
    return R"(
TENSOR is 224x224x3xu8: sizes, then the type of an element, one of those that
'permc compile --help' lists.
A quick look that takes about a second. 'best' and 'median' are the time of one
call, in ns or us; GB/s counts each byte twice, once read and once written, at
the best time. The C loop is what one would write by hand for this shape,
compiled at -O3 for this CPU.
permc-bench measures whole suites, and other libraries beside the kernel; see
'permc-bench --help'. It needs the cases in permc's sources: it is built with
permc but not installed.

Examples:
  permc bench 224x224x3xu8 --perm 2,0,1
  permc bench 4096x4096xf32 --perm 1,0 --target x86-64-v3
  permc bench --suite vision
)";
  }

  int run() override {
    if (suite.getNumOccurrences() != 0)
      return runSuite();
    if (auto hint = permute.findFileInPlaceOfTensor())
      return failUsage(*hint);
    if (!permute.hasTensor() || !permute.hasOrder())
      return failUsage("bench needs TENSOR and --perm ORDER, such as "
                       "224x224x3xu8 --perm 2,0,1");
    auto prepared = prepare(permute, target);
    if (!prepared)
      return fail(prepared.error());
    if (Status ok = checkRunsHere(prepared->request.target); !ok)
      return fail(ok.error());
    auto jit = Jit::create();
    if (!jit)
      return fail(jit.error());
    auto kernel = (*jit)->compile(prepared->request);
    if (!kernel)
      return fail(kernel.error());
    const Problem &problem = prepared->request.problem;
    auto loops = StaticLoops::compile({problem});
    auto timings = measure(problem, *kernel, loops ? (*loops)[0] : nullptr);
    if (!timings)
      return fail(timings.error());
    print(*timings, problem.bytesMoved());
    if (loops)
      llvm::outs() << "the C loop: all sizes constant, " << loops->compiler()
                   << "\n";
    else
      llvm::errs() << "permc: warning: no loop in C to compare with: "
                   << loops.error().message << "\n";
    return ExitSuccess;
  }

private:
  /// Hands over to permc-bench, which lies beside this tool.
  int runSuite() const {
    if (permute.hasTensor() || permute.firstGiven())
      return failUsage("--suite names the cases; TENSOR and its options "
                       "cannot be given as well");
    if (permute.machine().isGiven())
      return failUsage("--machine is for one TENSOR; --suite measures kernels "
                       "for the machine as it is");
    static int anchor; // any address within this executable
    const std::string folder =
        llvm::sys::path::parent_path(
            llvm::sys::fs::getMainExecutable(nullptr, &anchor))
            .str();
    llvm::SmallString<128> tool(folder);
    llvm::sys::path::append(tool, "permc-bench");
    if (!llvm::sys::fs::exists(tool))
      return fail({Cause::Unsupported,
                   "no permc-bench in '" + folder +
                       "'; it needs the cases in permc's sources and is not "
                       "installed: expected the permc of a build, such as "
                       "build/release/bin/permc"});
    const std::string suiteFlag = "--suite=" + suite,
                      targetFlag = "--target=" + target;
    std::string why;
    const int code = llvm::sys::ExecuteAndWait(
        tool, {tool, suiteFlag, targetFlag}, /*Env=*/std::nullopt,
        /*Redirects=*/{}, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
    if (code < 0)
      return fail({Cause::Unsupported,
                   "cannot run '" + tool.str().str() + "': " + why});
    return code;
  }

  void print(const std::vector<Timing> &timings, int64_t bytes) const {
    const TimeUnit unit = unitFor(timings[0]);
    llvm::outs() << permute.tensorText() << " by " << permute.orderText()
                 << ", " << bytes << " bytes\n"
                 << llvm::format("%20s %s  median %s     GB/s  of memcpy\n",
                                 "best", unit.name, unit.name);
    const double copySeconds = timings[1].best;
    for (const Timing &timing : timings)
      llvm::outs() << llvm::format(
          "%-12s %10.2f %10.2f %8.2f %9.2fx\n", timing.name.c_str(),
          timing.best * unit.perSecond, timing.median * unit.perSecond,
          timing.gigabytesPerSecond(bytes), copySeconds / timing.best);
  }

  PermuteOptions permute;
  cl::OptionCategory code;
  cl::opt<std::string> target, suite;
};

} // namespace

std::unique_ptr<Command> permc::makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}
