//===- VerifyHere.cpp - proof of kernels for this machine -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyHere.h"

#include "VerifyEmulated.h"

#include "permc/JIT/Host.h"
#include "permc/JIT/Prove.h"
#include "permc/JIT/Verify.h"

#include "llvm/Support/raw_ostream.h"

using namespace permc;

/// What holds for all sizes is proven; the rest is said, and left to runs.
static Status proveDynamic(const Request &request,
                           const DynamicDecisions &decisions) {
  auto proofs = proveVariants(decisions.canonical, decisions.variants);
  if (!proofs)
    return Error{proofs.error().cause,
                 request.name + ": " + proofs.error().message};
  llvm::errs() << "proven: for all sizes the tiles of " << proofs->proven
               << " of " << decisions.variants.size() << " variants of "
               << request.name
               << " have every element and none outside, and parts are "
                  "disjoint and have everything; assumed: code does what "
                  "schedules say\n";
  for (const std::string &outside : proofs->outside)
    llvm::errs() << "not proven, only run: " << outside << "\n";
  return Done{};
}

/// Runs the kernel for many choices of its dims.
static Status verifyDynamic(const Request &request, const permc_kernel &kernel,
                            const std::string &label) {
  auto decisions = Compiler::decideDynamic(request);
  if (!decisions)
    return decisions.error();
  if (Status ok = proveDynamic(request, *decisions); !ok)
    return ok;
  const std::vector<Dims> choices =
      chooseDims(*request.dynamic, decisions->variants, request.specialized);
  auto report = verifyDynamicKernel(*request.dynamic, kernel, choices);
  if (!report)
    return report.error();
  llvm::errs() << "verified: " << request.name << label
               << " moves all elements right for " << choices.size()
               << " choices of its dims, in " << report->runs << " runs\n";
  return Done{};
}

Status permc::verifyHere(Jit &jit, const std::string &object,
                         const Request &request, const std::string &label) {
  auto kernel = jit.load(object, request.name);
  if (!kernel)
    return kernel.error();
  if (request.dynamic)
    return verifyDynamic(request, kernel->describe(), label);
  auto report = verifyKernel(request.problem, kernel->describe());
  if (!report)
    return report.error();
  llvm::errs() << "verified: " << request.name << label << " moves all "
               << report->elements << " elements right in " << report->runs
               << " runs\n";
  return Done{};
}

Status permc::verifyObject(const std::string &object,
                           const std::vector<Request> &requests) {
  const Target &target = requests.front().target;
  Status runsHere = checkRunsHere(target);
  if (!runsHere && canEmulate(target))
    return verifyEmulated(object, requests, requests.front().target);
  if (!runsHere)
    return Error{runsHere.error().cause,
                 "cannot verify: " + runsHere.error().message};
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  for (const Request &request : requests)
    if (Status ok = verifyHere(**jit, object, request); !ok)
      return ok;
  return Done{};
}
