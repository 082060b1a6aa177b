//===- ReadModel.cpp - networks from files --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Models/ReadModel.h"

#include "Readers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace permc;
using llvm::StringRef;

namespace {

struct Format {
  StringRef ending;
  Result<Model> (*read)(const std::string &path);
};

constexpr Format formats[] = {
    {".xml", readOpenVINO},
    {".onnx", readOnnx},
    {".mlir", readMlir},
    {".mlirbc", readMlir},
};

} // namespace

static const Format *findFormat(StringRef path) {
  const Format *found = llvm::find_if(formats, [&](const Format &format) {
    return path.ends_with_insensitive(format.ending);
  });
  return found == std::end(formats) ? nullptr : found;
}

bool permc::isModelPath(std::string_view path) {
  return findFormat(path) != nullptr;
}

std::string permc::spellModelFormats() {
  const std::string missing = howToReadOnnx();
  return "FILE.xml (OpenVINO IR), FILE.onnx, FILE.mlir or FILE.mlirbc" +
         (missing.empty() ? "" : " (" + missing + ")");
}

/// A table from names to kernels needs names that differ: "t", "t#1", "t#2".
static void numberNames(std::vector<ModelLayer> &layers) {
  llvm::StringSet<> taken;
  for (const ModelLayer &layer : layers)
    taken.insert(layer.name);
  llvm::StringMap<unsigned> seen;
  for (ModelLayer &layer : layers) {
    unsigned &count = seen[layer.name];
    if (count++ == 0)
      continue;
    std::string numbered = layer.name + "#" + std::to_string(count - 1);
    while (!taken.insert(numbered).second)
      numbered = layer.name + "#" + std::to_string(count++);
    layer.name = std::move(numbered);
  }
}

Result<Model> permc::readModel(const std::string &path) {
  const Format *format = findFormat(path);
  if (!format)
    return Error{Cause::BadFile, "the ending of '" + path +
                                     "' is that of no model; expected " +
                                     spellModelFormats()};
  auto model = format->read(path);
  if (model)
    numberNames(model->layers);
  return model;
}

std::string permc::spellModelShape(const ModelShape &shape) {
  if (!shape)
    return "unknown";
  std::string text = "[";
  for (int64_t size : *shape)
    text += (text.size() == 1 ? "" : ", ") +
            (size == dynamicDim ? "?" : std::to_string(size));
  return text + "]";
}
