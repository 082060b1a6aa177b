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
#include "llvm/Support/Path.h"

using namespace permc;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef topKeys[] = {"target", "targets", "convention",
                                        "defaults", "kernels"};
static constexpr StringRef kernelKeys[] = {
    "name",    "tensor",     "perm",        "convention",
    "inverse", "in-strides", "out-strides", "specialize",
    "target",  "targets",    "schedule",    "tune"};
/// What all kernels may have in common.
static constexpr StringRef defaultKeys[] = {"convention", "inverse", "target",
                                            "targets", "tune"};

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
    defaults = root.find("defaults");
    if (defaults)
      if (Status ok = checkMapping(*defaults, defaultKeys, "'defaults'"); !ok)
        return ok.error();
    // The two keys that were at the top before there were defaults.
    for (StringRef key : {"convention", "target", "targets"})
      if (const YamlNode *node = root.find(key)) {
        if (defaults && defaults->find(key))
          return fail(*node, "'" + key +
                                 "' is among the defaults too; "
                                 "expected it once");
        top.children.push_back(*node);
      }
    Manifest manifest;
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
      Result<ManifestKernel> kernel = readKernel(node);
      if (!kernel)
        return kernel.error();
      manifest.kernels.push_back(std::move(*kernel));
    }
    return manifest;
  }

private:
  Error fail(const YamlNode &node, const Twine &message) const {
    return errorAt(path, node.place, Cause::BadFile, message.str());
  }

  /// The error of a lower layer, where `node` is.
  Error fail(const YamlNode &node, const Error &error) const {
    return errorAt(path, node.place, error.cause, error.message);
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
    Result<Dims> strides = parseStrides(*text, key);
    if (!strides)
      return fail(*node, strides.error());
    return std::optional<Dims>(std::move(*strides));
  }

  /// What the kernel says, or else what all of them do.
  const YamlNode *findFor(const YamlNode &kernel, StringRef key) const {
    if (const YamlNode *own = kernel.find(key))
      return own;
    if (const YamlNode *given = defaults ? defaults->find(key) : nullptr)
      return given;
    return top.find(key);
  }

  Result<bool> readFlag(const YamlNode &kernel, StringRef key) const {
    const YamlNode *node = findFor(kernel, key);
    if (!node)
      return false;
    if (node->kind == YamlNode::Scalar && node->text == "true")
      return true;
    if (node->kind == YamlNode::Scalar && node->text == "false")
      return false;
    return fail(*node,
                "'" + key + "' is " +
                    (node->kind == YamlNode::Scalar ? "'" + node->text + "'"
                                                    : kindName(*node).str()) +
                    "; expected true or false");
  }

  Result<Convention> readConvention(const YamlNode &kernel) const {
    const YamlNode *node = findFor(kernel, "convention");
    if (!node)
      return Convention::Numpy;
    Result<std::string> name = readText(*node);
    if (!name)
      return name.error();
    Result<Convention> convention = parseConvention(*name);
    if (!convention)
      return fail(*node, convention.error());
    return convention;
  }

  /// `target: x86-64-v3`, or several as `targets: [x86-64-v2, x86-64-v4]`. The
  /// nearest of both counts.
  Result<Placed> readTargets(const YamlNode &kernel) const {
    for (const YamlNode *level :
         {&kernel, defaults, static_cast<const YamlNode *>(&top)}) {
      if (!level)
        continue;
      const YamlNode *one = level->find("target");
      const YamlNode *several = level->find("targets");
      if (one && several)
        return fail(*several, "'target' and 'targets'; expected one of them");
      const YamlNode *node = one ? one : several;
      if (!node)
        continue;
      Result<std::string> text = one ? readText(*node) : readList(*node);
      if (!text)
        return text.error();
      if (text->empty())
        return fail(*node, "'" + node->key + "' is empty; expected targets");
      return Placed{*text, node->place};
    }
    return Placed();
  }

  /// A file, beside the manifest unless its path is absolute.
  Result<Placed> readSchedule(const YamlNode &kernel) const {
    const YamlNode *node = kernel.find("schedule");
    if (!node)
      return Placed();
    Result<std::string> file = readText(*node);
    if (!file)
      return file.error();
    if (file->empty())
      return fail(*node, "'schedule' is empty; expected a file");
    llvm::SmallString<128> place(*file);
    if (!llvm::sys::path::is_absolute(place)) {
      place = llvm::sys::path::parent_path(path);
      llvm::sys::path::append(place, *file);
    }
    return Placed{place.str().str(), node->place};
  }

  Result<Placed> readTune(const YamlNode &kernel) const {
    Result<bool> tune = readFlag(kernel, "tune");
    if (!tune)
      return tune.error();
    if (!*tune)
      return Placed();
    const YamlNode &node = *findFor(kernel, "tune");
    if (const YamlNode *schedule = kernel.find("schedule"))
      return fail(*schedule, "'schedule' of a kernel that is tuned; expected "
                             "one of them, or tune: false");
    return Placed{"true", node.place};
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

  Result<ManifestKernel> readKernel(const YamlNode &node) {
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
    Result<Convention> convention = readConvention(node);
    if (!convention)
      return convention.error();
    Result<bool> inverse = readFlag(node, "inverse");
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
      return errorAt(path, node.find("perm")->place, ok.error().cause,
                     "kernel '" + *name + "': " + ok.error().message);
    auto specialized = readSpecialized(node, permute.tensor);
    if (!specialized)
      return specialized.error();
    Result<Placed> targets = readTargets(node);
    if (!targets)
      return targets.error();
    Result<Placed> schedule = readSchedule(node);
    if (!schedule)
      return schedule.error();
    Result<Placed> tune = readTune(node);
    if (!tune)
      return tune.error();
    return ManifestKernel{std::move(*name),        std::move(permute),
                          std::move(*specialized), std::move(*targets),
                          std::move(*schedule),    std::move(*tune)};
  }

  static Status checkResolves(const PermuteSpec &permute) {
    if (permute.isDynamic()) {
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
  const YamlNode *defaults = nullptr;
  YamlNode top; ///< defaults that are written at the top
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
