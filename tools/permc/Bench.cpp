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

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

class BenchCommand : public Command {
public:
  BenchCommand()
      : Command("bench", "Time a kernel beside memcpy and the naive loop"),
        permute(subCommand()), code("Code options"),
        target("target", cl::sub(subCommand()), cl::cat(code),
               cl::value_desc("TARGET"), cl::init("native"),
               cl::desc("The machine to compile for; this one must be\n"
                        "able to run it. native by default")) {}

  StringRef examples() const override {
    return R"(
A quick look that takes about a second. 'best' and 'median' are the time of one
call; GB/s counts each byte twice, once read and once written, at the best time.
permc-bench measures whole suites, and other libraries beside the kernel.

Examples:
  permc bench 224x224x3xu8 --perm 2,0,1
  permc bench 4096x4096xf32 --perm 1,0 --target x86-64-v3
)";
  }

  int run() override {
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
    auto timings = measure(problem, *kernel, /*withNaiveLoop=*/true);
    if (!timings)
      return fail(timings.error());
    print(*timings, problem.bytesMoved());
    return ExitSuccess;
  }

private:
  void print(const std::vector<Timing> &timings, int64_t bytes) const {
    llvm::outs() << permute.tensorText() << " by " << permute.orderText()
                 << ", " << bytes << " bytes\n"
                 << "               best us  median us     GB/s  of memcpy\n";
    const double copySeconds = timings[1].best;
    for (const Timing &timing : timings)
      llvm::outs() << llvm::format(
          "%-11s %10.2f %10.2f %8.2f %9.2fx\n", timing.name.c_str(),
          timing.best * 1e6, timing.median * 1e6,
          timing.gigabytesPerSecond(bytes), copySeconds / timing.best);
  }

  PermuteOptions permute;
  cl::OptionCategory code;
  cl::opt<std::string> target;
};

} // namespace

std::unique_ptr<Command> permc::makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}
