//===- OnnxNewer.h - operators that libonnx is too old for ------ -*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libonnx takes the newest definition of an operator that it has, whatever the
// model's opset. Where a later one means something else it would infer wrong
// shapes, and of operators that came later it infers nothing. Both are said in
// older words for the inference, as far as shapes and types go, and said back.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_ONNXNEWER_H
#define PERMC_LIB_MODELS_ONNXNEWER_H

#include <onnx/onnx_pb.h>

namespace permc {

/// Puts nodes of the same shapes and types, in words of opset 17, in the place
/// of newer ones, and nodes that nobody knows in the place of those for which
/// there are no such words.
void useOlderWords(onnx::ModelProto &model);

/// Puts the nodes of `original` back, from which `spelled` was made; what was
/// found out about values stays.
void restoreNodes(onnx::ModelProto &spelled, const onnx::ModelProto &original);

} // namespace permc

#endif // PERMC_LIB_MODELS_ONNXNEWER_H
