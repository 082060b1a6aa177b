//===- Manifest.cpp - many kernels from one YAML file ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the tree of a YAML document into kernels. Whatever is wrong with a
// kernel is found here, orders that do not fit their tensors included, since
// nobody later knows the line. docs/manifest.md describes the format.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Manifest.h"

#include "YamlTree.h"
#include "permc/Frontend/KernelName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace permc;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef topKeys[] = {"target", "convention", "kernels"};
static constexpr StringRef kernelKeys[] = {
    "name",    "tensor",     "perm",        "convention",
    "inverse", "in-strides", "out-strides", "specialize"};

static StringRef kindName(const YamlNode &node) {
  switch (node.kind) {
  case YamlNode::Null:
    return "nothing";
  case YamlNode::Scalar:
    return "text";
  case YamlNode::Sequence:
    return "a list";
  case YamlNode::Mapping:
    return "a mapping";
  }
  return "";
}

namespace {

class ManifestReader {
public:
  explicit ManifestReader(const std::string &path) : path(path) {}

  Result<Manifest> read(const YamlNode &root) {
    if (Status ok = checkMapping(root, topKeys, "the manifest"); !ok)
      return ok.error();
    Manifest manifest;
    if (const YamlNode *target = root.find("target")) {
      Result<std::string> text = readText(*target);
      if (!text)
        return text.error();
      manifest.target = *text;
      manifest.targetLine = target->line;
    }
    Result<Convention> convention = readConvention(root, Convention::Numpy);
    if (!convention)
      return convention.error();
    const YamlNode *kernels = root.find("kernels");
    if (!kernels)
      return fail(root, "the manifest has no 'kernels'; expected a list");
    if (kernels->kind != YamlNode::Sequence || kernels->children.empty())
      return fail(*kernels, "'kernels' is " +
                                (kernels->kind == YamlNode::Sequence
                                     ? StringRef("an empty list")
                                     : kindName(*kernels)) +
                                "; expected a list of at least one kernel");
    for (const YamlNode &node : kernels->children) {
      Result<ManifestKernel> kernel = readKernel(node, *convention);
      if (!kernel)
        return kernel.error();
      manifest.kernels.push_back(std::move(*kernel));
    }
    return manifest;
  }

private:
  Error fail(const YamlNode &node, const Twine &message) const {
    return errorAt(path, node.line, Cause::BadFile, message);
  }

  /// The error of a lower layer, at the line of `node`.
  Error fail(const YamlNode &node, const Error &error) const {
    return errorAt(path, node.line, error.cause, error.message);
  }

  Status checkMapping(const YamlNode &node, ArrayRef<StringRef> keys,
                      StringRef what) const {
    if (node.kind != YamlNode::Mapping)
      return fail(node, what + " is " + kindName(node) +
                            "; expected a mapping with the keys " +
                            llvm::join(keys, ", "));
    for (const YamlNode &child : node.children)
      if (!llvm::is_contained(keys, child.key))
        return fail(child, "unknown key '" + child.key + "' in " + what +
                               "; expected " + llvm::join(keys, ", "));
    return Done{};
  }

  Result<std::string> readText(const YamlNode &node) const {
    if (node.kind == YamlNode::Scalar)
      return node.text;
    return fail(node,
                "'" + node.key + "' is " + kindName(node) + "; expected text");
  }

  Result<std::string> readRequiredText(const YamlNode &kernel,
                                       StringRef key) const {
    if (const YamlNode *node = kernel.find(key))
      return readText(*node);
    return missing(kernel, key);
  }

  Error missing(const YamlNode &kernel, StringRef key) const {
    return fail(kernel, "a kernel has no '" + key +
                            "'; expected name, tensor and perm");
  }

  /// "2,0,1", or [2, 0, 1] made into that.
  Result<std::string> readList(const YamlNode &node) const {
    if (node.kind != YamlNode::Sequence && node.kind != YamlNode::Scalar)
      return fail(node, "'" + node.key + "' is " + kindName(node) +
                            "; expected a list, as in [2, 0, 1] or 2,0,1");
    if (node.kind == YamlNode::Scalar)
      return node.text;
    std::string text;
    for (const YamlNode &item : node.children) {
      if (item.kind != YamlNode::Scalar)
        return fail(item, "an entry of '" + node.key + "' is " +
                              kindName(item) + "; expected a number");
      text += (text.empty() ? "" : ",") + item.text;
    }
    return text;
  }

  Result<std::optional<Dims>> readStrides(const YamlNode &kernel,
                                          StringRef key) const {
    const YamlNode *node = kernel.find(key);
    if (!node)
      return std::optional<Dims>();
    Result<std::string> text = readList(*node);
    if (!text)
      return text.error();
    Result<Dims> strides = parseIntegers(*text, key);
    if (!strides)
      return fail(*node, strides.error());
    return std::optional<Dims>(std::move(*strides));
  }

  Result<bool> readInverse(const YamlNode &kernel) const {
    const YamlNode *node = kernel.find("inverse");
    if (!node)
      return false;
    if (node->kind == YamlNode::Scalar && node->text == "true")
      return true;
    if (node->kind == YamlNode::Scalar && node->text == "false")
      return false;
    return fail(*node,
                "'inverse' is " +
                    (node->kind == YamlNode::Scalar ? "'" + node->text + "'"
                                                    : kindName(*node).str()) +
                    "; expected true or false");
  }

  Result<Convention> readConvention(const YamlNode &mapping,
                                    Convention otherwise) const {
    const YamlNode *node = mapping.find("convention");
    if (!node)
      return otherwise;
    Result<std::string> name = readText(*node);
    if (!name)
      return name.error();
    Result<Convention> convention = parseConvention(*name);
    if (!convention)
      return fail(*node, convention.error());
    return convention;
  }

  Result<std::string> readName(const YamlNode &kernel) {
    Result<std::string> name = readRequiredText(kernel, "name");
    if (!name)
      return name;
    const YamlNode &node = *kernel.find("name");
    if (Status ok = checkKernelName(*name); !ok)
      return fail(node, ok.error());
    if (Status ok = names.add(*name); !ok)
      return fail(node, ok.error());
    return name;
  }

  Result<TensorSpec> readTensor(const YamlNode &kernel) const {
    Result<std::string> text = readRequiredText(kernel, "tensor");
    if (!text)
      return text.error();
    Result<TensorSpec> tensor = parseTensor(*text);
    if (!tensor)
      return fail(*kernel.find("tensor"), tensor.error());
    return tensor;
  }

  Result<std::string> readOrder(const YamlNode &kernel) const {
    if (const YamlNode *node = kernel.find("perm"))
      return readList(*node);
    return missing(kernel, "perm");
  }

  Result<ManifestKernel> readKernel(const YamlNode &node,
                                    Convention defaultConvention) {
    if (Status ok = checkMapping(node, kernelKeys, "a kernel"); !ok)
      return ok.error();
    Result<std::string> name = readName(node);
    if (!name)
      return name.error();
    Result<TensorSpec> tensor = readTensor(node);
    if (!tensor)
      return tensor.error();
    Result<std::string> order = readOrder(node);
    if (!order)
      return order.error();
    Result<Convention> convention = readConvention(node, defaultConvention);
    if (!convention)
      return convention.error();
    Result<bool> inverse = readInverse(node);
    if (!inverse)
      return inverse.error();
    auto inStrides = readStrides(node, "in-strides");
    if (!inStrides)
      return inStrides.error();
    auto outStrides = readStrides(node, "out-strides");
    if (!outStrides)
      return outStrides.error();
    PermuteSpec permute{std::move(*tensor),    std::move(*order),
                        *convention,           *inverse,
                        std::move(*inStrides), std::move(*outStrides)};
    if (Status ok = checkResolves(permute); !ok)
      return errorAt(path, node.find("perm")->line, ok.error().cause,
                     "kernel '" + *name + "': " + ok.error().message);
    auto specialized = readSpecialized(node, permute.tensor);
    if (!specialized)
      return specialized.error();
    return ManifestKernel{std::move(*name), std::move(permute),
                          std::move(*specialized)};
  }

  static Status checkResolves(const PermuteSpec &permute) {
    if (permute.tensor.isDynamic()) {
      auto resolved = resolveDynamic(permute);
      return resolved ? Status(Done{}) : resolved.error();
    }
    auto resolved = resolve(permute);
    return resolved ? Status(Done{}) : resolved.error();
  }

  Result<std::vector<Dims>> readSpecialized(const YamlNode &kernel,
                                            const TensorSpec &tensor) const {
    const YamlNode *node = kernel.find("specialize");
    if (!node)
      return std::vector<Dims>();
    Result<std::string> text = readList(*node);
    if (!text)
      return text.error();
    auto specialized = parseSpecializations(*text, tensor);
    if (!specialized)
      return fail(*node, specialized.error());
    return specialized;
  }

  const std::string &path;
  KernelNames names;
};

} // namespace

Result<Manifest> permc::parseManifest(std::string_view text,
                                      const std::string &path) {
  Result<YamlNode> root = parseYaml(text, path);
  if (!root)
    return root.error();
  return ManifestReader(path).read(*root);
}

Result<Manifest> permc::readManifest(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return Error{Cause::BadFile, "cannot read the manifest '" + path +
                                     "': " + file.getError().message()};
  return parseManifest((*file)->getBuffer(), path);
}
