//===- Manifest.h - many kernels from one YAML file -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_MANIFEST_H
#define PERMC_FRONTEND_MANIFEST_H

#include "permc/Frontend/Convention.h"

#include <string>
#include <string_view>
#include <vector>

namespace permc {

/// In a file; both count from 1.
struct Place {
  unsigned line = 1, column = 1;
};

/// "kernels.yaml:12:5: error: message".
Error errorAt(const std::string &path, Place place, Cause cause,
              const std::string &message);

/// What a manifest says, and where: it is looked into later.
struct Placed {
  std::string text; ///< empty: nothing
  Place place = {};
};

struct ManifestKernel {
  std::string name;
  PermuteSpec permute;
  std::vector<Dims> specialized; ///< of a tensor with dynamic dims
  Placed targets;  ///< "x86-64-v2,x86-64-v4"; empty: the command line's
  Placed schedule; ///< a file, as a path from where permc runs
  Placed tune;     ///< not empty: find the fastest schedule
};

struct Manifest {
  std::vector<ManifestKernel> kernels;
};

/// Reads a manifest from `text`; an error names `path`, the place and what was
/// expected. Every kernel of the result resolves.
Result<Manifest> parseManifest(std::string_view text, const std::string &path);

/// The same from the file `path`.
Result<Manifest> readManifest(const std::string &path);

} // namespace permc

#endif // PERMC_FRONTEND_MANIFEST_H
