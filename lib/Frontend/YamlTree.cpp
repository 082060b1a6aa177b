//===- YamlTree.cpp - a YAML document with its lines ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "YamlTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <optional>

using namespace permc;
using llvm::dyn_cast;
using llvm::StringRef;
using llvm::Twine;
namespace yaml = llvm::yaml;

const YamlNode *YamlNode::find(StringRef wanted) const {
  auto child = llvm::find_if(
      children, [&](const YamlNode &node) { return node.key == wanted; });
  return child == children.end() ? nullptr : &*child;
}

Error permc::errorAt(const std::string &path, Place place, Cause cause,
                     const std::string &message) {
  return {cause,
          path + ":" + std::to_string(place.line) + ":" +
              std::to_string(place.column) + ": error: " + message,
          /*located=*/true};
}

namespace {

/// Nothing permc reads is nested deeper; the bound keeps the recursion finite.
constexpr unsigned maxDepth = 16;

class TreeBuilder {
public:
  TreeBuilder(StringRef text, const std::string &path)
      : text(text), path(path), stream(text, sourceMgr) {
    sourceMgr.setDiagHandler(rememberFirst, this);
  }

  Result<YamlNode> build() {
    yaml::document_iterator document = stream.begin();
    YamlNode root;
    if (document != stream.end())
      root = convert(document->getRoot(), Place(), /*depth=*/0);
    // Nodes are parsed as they are walked: what is wrong further on shows only
    // when the walk goes on.
    if (!error && !stream.failed() && document != stream.end() &&
        document->skip())
      fail(root.place, "a second document follows the first; expected one");
    if (error)
      return *error;
    if (stream.failed())
      return errorAt(path, Place(), Cause::BadFile, "this is not YAML");
    return root;
  }

private:
  static void rememberFirst(const llvm::SMDiagnostic &diagnostic, void *self) {
    auto *builder = static_cast<TreeBuilder *>(self);
    // Lines count from 1 there, columns from 0.
    builder->fail({unsigned(std::max(diagnostic.getLineNo(), 1)),
                   unsigned(std::max(diagnostic.getColumnNo(), 0)) + 1},
                  "this is not YAML: " + diagnostic.getMessage());
  }

  void fail(Place place, const Twine &message) {
    if (!error)
      error = errorAt(path, place, Cause::BadFile, message.str());
  }

  /// LLVM knows no place of a null and a wrong one of an alias: these are where
  /// their parent is.
  Place placeOf(const yaml::Node &node, Place parent) {
    if (llvm::isa<yaml::NullNode, yaml::AliasNode>(node))
      return parent;
    llvm::SMLoc start = node.getSourceRange().Start;
    if (!start.isValid() || start.getPointer() < text.begin() ||
        start.getPointer() > text.end())
      return parent;
    auto [line, column] =
        sourceMgr.getLineAndColumn(start, sourceMgr.getMainFileID());
    return {line, column};
  }

  /// Stops at the first error: to step past a node LLVM recurses through all
  /// that is below it.
  YamlNode convert(yaml::Node *node, Place parent, unsigned depth) {
    YamlNode result;
    result.place = parent;
    if (!node || error || stream.failed())
      return result;
    result.place = placeOf(*node, parent);
    if (depth > maxDepth) {
      fail(result.place, "nested too deep");
    } else if (auto *scalar = dyn_cast<yaml::ScalarNode>(node)) {
      llvm::SmallString<32> storage;
      result.kind = YamlNode::Scalar;
      result.text = scalar->getValue(storage).str();
    } else if (auto *block = dyn_cast<yaml::BlockScalarNode>(node)) {
      result.kind = YamlNode::Scalar;
      result.text = block->getValue().str();
    } else if (auto *sequence = dyn_cast<yaml::SequenceNode>(node)) {
      result.kind = YamlNode::Sequence;
      for (yaml::Node &item : *sequence) {
        result.children.push_back(convert(&item, result.place, depth + 1));
        if (error)
          break;
      }
    } else if (auto *mapping = dyn_cast<yaml::MappingNode>(node)) {
      result.kind = YamlNode::Mapping;
      for (yaml::KeyValueNode &entry : *mapping) {
        addEntry(entry, result, depth + 1);
        if (error)
          break;
      }
    } else if (llvm::isa<yaml::AliasNode>(node)) {
      fail(result.place, "an alias; expected the value itself");
    }
    return result;
  }

  void addEntry(yaml::KeyValueNode &entry, YamlNode &mapping, unsigned depth) {
    YamlNode key = convert(entry.getKey(), mapping.place, depth);
    if (error || stream.failed())
      return;
    if (key.kind != YamlNode::Scalar)
      return fail(key.place, "a key that is not plain text");
    if (const YamlNode *first = mapping.find(key.text))
      return fail(key.place, "a second '" + key.text +
                                 "'; the first is on line " +
                                 Twine(first->place.line));
    YamlNode value = convert(entry.getValue(), key.place, depth);
    value.key = key.text;
    value.place = key.place;
    mapping.children.push_back(std::move(value));
  }

  StringRef text;
  const std::string &path;
  llvm::SourceMgr sourceMgr;
  yaml::Stream stream;
  std::optional<Error> error;
};

} // namespace

Result<YamlNode> permc::parseYaml(StringRef text, const std::string &path) {
  return TreeBuilder(text, path).build();
}
