//===- OnnxMissing.cpp - without libonnx ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

using namespace permc;

std::string permc::howToReadOnnx() {
  return "this permc was built without ONNX; install Debian's libonnx-dev and "
         "libprotobuf-dev, configure and build permc again";
}

Result<Model> permc::readOnnx(const std::string &path) {
  return Error{Cause::Unsupported, path + ": " + howToReadOnnx()};
}
