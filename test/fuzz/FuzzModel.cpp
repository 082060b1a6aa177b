//===- FuzzModel.cpp - models of any bytes -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for each format: PERMC_FUZZ_ENDING is .xml, .onnx or .mlir. Of
// OpenVINO's two files the second follows the first, after a byte of 0.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Models/PlanModel.h"
#include "permc/Models/ReadModel.h"
#include "permc/Targets/Target.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace permc;

namespace {

/// A folder that goes when the process does.
class Folder {
public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "permc-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string write(const std::string &name, std::string_view bytes) const {
    const std::string file = (path / name).string();
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

private:
  std::filesystem::path path;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static const auto target = findTarget("x86-64-v3");
  require(bool(target));
  const std::string ending = PERMC_FUZZ_ENDING;
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (ending == ".xml") {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    folder.write("model.bin", bytes.substr(std::min(end + 1, bytes.size())));
    bytes = bytes.substr(0, end);
  }
  const auto model = readModel(folder.write("model" + ending, bytes));
  if (!model) {
    require(!model.error().message.empty());
    return 0;
  }
  const auto plan = planModel(*model, *target);
  if (plan)
    require(plan->layers.size() == model->layers.size());
  return 0;
}
