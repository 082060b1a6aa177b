//===- Verify.h - proof that a kernel moves every element -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's moves do not depend on the data. So running it on labels (each
// element's own index, as many bytes of it a run as the element has) checks the
// destination of every element for that shape.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_VERIFY_H
#define PERMC_JIT_VERIFY_H

#include "permc-c/kernel.h"
#include "permc/Plan/Variants.h"

namespace permc {

struct VerifyReport {
  int64_t elements = 0; ///< checked in each run
  int64_t runs = 0;     ///< label rounds x alignments x part counts
};

/// Whether this machine has room to verify a kernel, here or emulated.
Status checkVerifyMemory(const Problem &problem);

/// Runs `kernel` (callable in this process) between guard pages, at every
/// alignment class and for several part counts, and checks each element, the
/// padding of dst, and that parts are complete and write neither the same bytes
/// nor, where dst starts with a cache line, the same lines.
Result<VerifyReport> verifyKernel(const Problem &problem,
                                  const permc_kernel &kernel);

/// Dims to verify a kernel of these variants with: none and few elements, odd
/// ones, those at the edge of each variant, and the specialised ones and their
/// neighbours.
std::vector<Dims> chooseDims(const DynamicProblem &problem,
                             const std::vector<Variant> &variants,
                             const std::vector<Dims> &specialized);

/// verifyKernel for each of `choices`. The dims, too, lie before a guard page.
Result<VerifyReport> verifyDynamicKernel(const DynamicProblem &problem,
                                         const permc_kernel &kernel,
                                         const std::vector<Dims> &choices);

} // namespace permc

#endif // PERMC_JIT_VERIFY_H
