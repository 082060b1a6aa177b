//===- Status.cpp - versions and errors of the shim -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "permc-rt/permc_rt.h"

static_assert(PERMC_RT_VERSION == PERMC_PROJECT_VERSION_NUMBER,
              "the header's version is not the project's");

uint32_t permc_rt_version(void) { return PERMC_PROJECT_VERSION_NUMBER; }
const char *permc_rt_version_string(void) { return PERMC_PROJECT_VERSION; }

const char *permc_rt_status_name(permc_status status) {
  return permc::statusName(status);
}
const char *permc_rt_last_error(void) { return permc::lastError(); }
