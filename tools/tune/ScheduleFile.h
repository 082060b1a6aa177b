//===- ScheduleFile.h - schedules that someone wrote ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_TUNE_SCHEDULEFILE_H
#define PERMC_TOOLS_TUNE_SCHEDULEFILE_H

#include "permc/Plan/Error.h"

#include <string>

namespace permc {

/// Each as `#permc.schedule<...>`, not looked into.
struct ScheduleTexts {
  std::string schedule;
  std::string unaligned; ///< empty if there is none
  std::string file;      ///< all of it (ScheduleOrigin.h)
};

/// Reads the file at `path`, which may be all that 'permc explain' printed.
Result<ScheduleTexts> readScheduleFile(const std::string &path);

} // namespace permc

#endif // PERMC_TOOLS_TUNE_SCHEDULEFILE_H
