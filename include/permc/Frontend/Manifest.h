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

struct ManifestKernel {
  std::string name;
  PermuteSpec permute;
  std::vector<Dims> specialized; ///< of a tensor with dynamic dims
};

struct Manifest {
  std::string target;     ///< empty: the command line's
  int64_t targetLine = 0; ///< of the file; for messages about the target
  std::vector<ManifestKernel> kernels;
};

/// Reads a manifest from `text`; an error names `path`, the line and what was
/// expected. Every kernel of the result resolves.
Result<Manifest> parseManifest(std::string_view text, const std::string &path);

/// The same from the file `path`.
Result<Manifest> readManifest(const std::string &path);

} // namespace permc

#endif // PERMC_FRONTEND_MANIFEST_H
