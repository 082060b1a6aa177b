//===- OnnxFile.h - ONNX models, checked and typed ---------- -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be done to a model before anybody asks what its layers mean: parse
// it, check it, drop its weights, put its nodes in the order of data, and find
// out the shapes that it does not declare.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_ONNXFILE_H
#define PERMC_LIB_MODELS_ONNXFILE_H

#include "permc/Plan/Error.h"

#include "llvm/ADT/Twine.h"

#include <onnx/onnx_pb.h>

namespace permc {

using OnnxNodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

class OnnxFile {
public:
  explicit OnnxFile(std::string path) : path(std::move(path)) {}

  /// The model without its weights, all of whose nodes come after what they
  /// read.
  Result<onnx::ModelProto> read();

  /// Adds what ONNX's own inference finds out; changes nothing if that fails.
  /// It trusts what it reads, so it works in a process of its own. A file that
  /// it failed for once, after a minute maybe, is not tried again.
  void inferShapes(onnx::ModelProto &model);

  /// All that read() has read, the model's own file first.
  const std::vector<std::string> &filesRead() const { return files; }

  Error fail(Cause cause, const llvm::Twine &message) const {
    return {cause, (path + ": " + message).str()};
  }
  Error failIn(const std::string &layer, const onnx::NodeProto &node,
               Cause cause, const llvm::Twine &message) const {
    return fail(cause,
                "layer '" + layer + "' (" + node.op_type() + "): " + message);
  }

private:
  Status prepareGraph(onnx::GraphProto &graph);
  Status prepareNodes(OnnxNodes &nodes);
  Status sortNodes(OnnxNodes &nodes) const;
  Status prepareTensor(onnx::TensorProto &tensor);
  Status readExternal(onnx::TensorProto &tensor);

  std::string path;
  std::vector<std::string> files;
  size_t bytes = 0;
  bool hasFailed = false; ///< ONNX's inference
};

} // namespace permc

#endif // PERMC_LIB_MODELS_ONNXFILE_H
