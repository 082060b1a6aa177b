//===- ReadModel.cpp - networks from files --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Models/ReadModel.h"

#include "Readers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

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

Result<Model> permc::readModel(const std::string &path) {
  const Format *format = findFormat(path);
  if (!format)
    return Error{Cause::BadFile, "the ending of '" + path +
                                     "' is that of no model; expected " +
                                     spellModelFormats()};
  return format->read(path);
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
