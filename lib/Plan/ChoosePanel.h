//===- ChoosePanel.h - the panel of a streamed schedule ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_CHOOSEPANEL_H
#define PERMC_LIB_PLAN_CHOOSEPANEL_H

#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <optional>

namespace permc {

/// A block of a tensor that is moved through a buffer.
struct Panel {
  Dims extent;
  /// The dims along which what is contiguous in src, and in dst, goes on in the
  /// next panel, if it does.
  std::optional<size_t> srcNext, dstNext;
};

/// The panel that grows from `tile`, or none if its rows in dst would be too
/// short to stream.
std::optional<Panel> choosePanel(const Problem &problem, const Dims &tile,
                                 const TargetFacts &facts);

} // namespace permc

#endif // PERMC_LIB_PLAN_CHOOSEPANEL_H
