//===- Plot.h - a run as a picture ------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_PLOT_H
#define PERMC_BENCH_PLOT_H

#include "Report.h"

namespace permc::bench {

/// An SVG with a panel a suite: a row a case, sorted by permc's figure, a dot
/// each for permc, the best peer and the naive loop.
std::string writePlot(const Report &report);

} // namespace permc::bench

#endif // PERMC_BENCH_PLOT_H
