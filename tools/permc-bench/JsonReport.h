//===- JsonReport.h - a run as JSON -----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_JSONREPORT_H
#define PERMC_BENCH_JSONREPORT_H

#include "Report.h"

namespace permc::bench {

std::string writeJson(const Report &report);

} // namespace permc::bench

#endif // PERMC_BENCH_JSONREPORT_H
