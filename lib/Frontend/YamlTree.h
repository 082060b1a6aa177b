//===- YamlTree.h - a YAML document with its lines ------------ -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's YAML nodes can be walked once, in the order of the file, and LLVM's
// YAML traits keep no line for what they have read. A manifest's defaults may
// follow their uses, and its errors name lines found wrong only later: so the
// document is read into a tree first.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_YAMLTREE_H
#define PERMC_LIB_FRONTEND_YAMLTREE_H

#include "permc/Frontend/Manifest.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace permc {

struct YamlNode {
  enum Kind { Null, Scalar, Sequence, Mapping };
  Kind kind = Null;
  Place place;      ///< of the key in a mapping, of the value elsewhere
  std::string key;  ///< in a mapping
  std::string text; ///< of a scalar
  std::vector<YamlNode> children;

  /// The value of `wanted` in a mapping, or null.
  const YamlNode *find(llvm::StringRef wanted) const;
};

/// The one document in `text`. Keys are scalars and unique in their mapping.
/// `path` is for messages.
Result<YamlNode> parseYaml(llvm::StringRef text, const std::string &path);

} // namespace permc

#endif // PERMC_LIB_FRONTEND_YAMLTREE_H
