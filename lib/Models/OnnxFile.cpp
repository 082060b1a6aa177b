//===- OnnxFile.cpp - ONNX models, checked and typed --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxFile.h"

#include "Isolated.h"
#include "OnnxNewer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <onnx/shape_inference/implementation.h>

#include <optional>
#include <set>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Constants that say a shape or an order are never longer. What is longer is
/// a weight, of which nobody here needs more than the shape.
constexpr int64_t maxKeptElements = 1024;

/// What inference may take: for its schemas, and for each byte of the file.
constexpr size_t inferenceBytes = size_t(512) << 20, bytesPerByte = 64;
constexpr unsigned inferenceSeconds = 60;

} // namespace

Result<onnx::ModelProto> OnnxFile::read() {
  onnx::ModelProto proto;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return Error{Cause::BadFile,
                 "cannot read '" + path + "': " + file.getError().message()};
  files = {path};
  const StringRef contents = (*file)->getBuffer();
  bytes = contents.size();
  if (bytes > INT32_MAX)
    return fail(Cause::Unsupported, Twine(bytes) +
                                        " bytes; a protobuf has 2 GiB at most: "
                                        "expected weights in other files");
  if (!proto.ParseFromArray(contents.data(), static_cast<int>(bytes)))
    return fail(Cause::BadFile, "this is no ONNX model, or part of one: the "
                                "protobuf is cut off or damaged");
  if (!proto.has_graph())
    return fail(Cause::BadFile, "there is no graph; expected an ONNX model");
  if (Status ok = prepareGraph(*proto.mutable_graph()); !ok)
    return ok.error();
  for (onnx::FunctionProto &function : *proto.mutable_functions())
    if (Status ok = prepareNodes(*function.mutable_node()); !ok)
      return ok.error();
  return proto;
}

/// Leaves of a graph what matters for shapes. The parser bounds the depth.
Status OnnxFile::prepareGraph(onnx::GraphProto &graph) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (Status ok = prepareTensor(tensor); !ok)
      return ok;
  return prepareNodes(*graph.mutable_node());
}

Status OnnxFile::prepareNodes(OnnxNodes &nodes) {
  for (onnx::NodeProto &node : nodes)
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        if (Status ok = prepareTensor(*attribute.mutable_t()); !ok)
          return ok;
      if (attribute.has_g())
        if (Status ok = prepareGraph(*attribute.mutable_g()); !ok)
          return ok;
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        if (Status ok = prepareGraph(graph); !ok)
          return ok;
    }
  return sortNodes(nodes);
}

/// All names that a node reads, and those that the graphs within it do.
static void collectReads(const onnx::NodeProto &node,
                         std::vector<StringRef> &reads) {
  reads.insert(reads.end(), node.input().begin(), node.input().end());
  auto collectGraph = [&](const onnx::GraphProto &graph) {
    for (const onnx::NodeProto &inner : graph.node())
      collectReads(inner, reads);
    for (const onnx::ValueInfoProto &output : graph.output())
      reads.push_back(output.name());
  };
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectGraph(attribute.g());
    for (const onnx::GraphProto &graph : attribute.graphs())
      collectGraph(graph);
  }
}

/// Nodes should come in the order of data, but some tools write them in
/// another. Those that may come next do so in the order of the file.
Status OnnxFile::sortNodes(OnnxNodes &nodes) const {
  llvm::StringMap<int> maker;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &output : nodes[i].output())
      if (!output.empty() && !maker.try_emplace(output, i).second)
        return fail(Cause::BadFile,
                    "the value '" + output + "' is made by two nodes, '" +
                        nodes[maker[output]].name() + "' (" +
                        nodes[maker[output]].op_type() + ") and '" +
                        nodes[i].name() + "' (" + nodes[i].op_type() + ")");
  std::vector<int> waits(static_cast<size_t>(nodes.size()));
  std::vector<std::vector<int>> readers(waits.size());
  std::set<int> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    std::vector<StringRef> reads;
    collectReads(nodes[i], reads);
    for (StringRef name : reads)
      if (auto made = maker.find(name); made != maker.end()) {
        readers[static_cast<size_t>(made->second)].push_back(i);
        ++waits[static_cast<size_t>(i)];
      }
    if (waits[static_cast<size_t>(i)] == 0)
      ready.insert(i);
  }
  OnnxNodes sorted;
  while (!ready.empty()) {
    const int next = *ready.begin();
    ready.erase(ready.begin());
    for (int reader : readers[static_cast<size_t>(next)])
      if (--waits[static_cast<size_t>(reader)] == 0)
        ready.insert(reader);
    sorted.Add()->Swap(&nodes[next]);
  }
  if (sorted.size() == nodes.size()) {
    nodes.Swap(&sorted);
    return Done{};
  }
  const auto stuck = static_cast<int>(
      llvm::find_if(waits, [](int count) { return count > 0; }) -
      waits.begin());
  return failIn(nodes[stuck].name(), nodes[stuck], Cause::BadFile,
                "it reads what it makes, or is part of a cycle");
}

/// Checks where a tensor's data are, and drops them if they are a weight's.
Status OnnxFile::prepareTensor(onnx::TensorProto &tensor) {
  int64_t elements = 1;
  for (int64_t size : tensor.dims())
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
      return fail(Cause::SizeOverflow,
                  "the tensor '" + tensor.name() +
                      "' has dims that are negative or whose product does not "
                      "fit 63 bits");
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    if (Status ok = readExternal(tensor); !ok)
      return ok;
  if (elements <= maxKeptElements)
    return Done{};
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_string_data();
  return Done{};
}

/// Data in another file, which must be in the folder of the model or below it,
/// also behind links. Only integers are read: they may say a shape.
Status OnnxFile::readExternal(onnx::TensorProto &tensor) {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
  for (const auto &entry : tensor.external_data()) {
    int64_t value = 0;
    const bool isNumber = !StringRef(entry.value()).getAsInteger(10, value);
    if (entry.key() == "location")
      location = entry.value();
    else if ((entry.key() == "offset" || entry.key() == "length") &&
             (!isNumber || value < 0))
      return fail(Cause::BadFile, "the tensor '" + tensor.name() +
                                      "' has external data of the " +
                                      entry.key() + " '" + entry.value() + "'");
    else if (entry.key() == "offset")
      offset = value;
    else if (entry.key() == "length")
      length = value;
  }
  const std::string what =
      "the tensor '" + tensor.name() + "' has its data in '" + location + "'";
  const StringRef parent = llvm::sys::path::parent_path(path);
  llvm::SmallString<256> folder, wanted, real, given(parent), within(location);
  if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, folder))
    return fail(Cause::BadFile, what + ", whose folder cannot be read");
  llvm::sys::path::remove_dots(within, /*remove_dot_dot=*/true);
  wanted = folder;
  llvm::sys::path::append(wanted, location);
  llvm::sys::path::remove_dots(wanted, /*remove_dot_dot=*/true);
  llvm::sys::path::append(given, within);
  auto isWithin = [&](StringRef each) {
    return each.starts_with(folder) &&
           each.drop_front(folder.size()).starts_with("/");
  };
  const bool exists = !llvm::sys::fs::real_path(wanted, real);
  if (location.empty() || llvm::sys::path::is_absolute(location) ||
      !isWithin(wanted) || (exists && !isWithin(real)))
    return fail(Cause::BadFile,
                what + ", outside the folder of the model; expected a file in "
                       "that folder");
  const bool isInteger = tensor.data_type() == 6 || tensor.data_type() == 7;
  const int64_t bytes = tensor.data_type() == 6 ? 4 : 8;
  int64_t elements = 1;
  for (int64_t size : tensor.dims())
    elements *= size;
  if (!isInteger || elements > maxKeptElements || !exists)
    return Done{};
  auto file = llvm::MemoryBuffer::getFile(real, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(Cause::BadFile,
                what + ", which cannot be read: " + file.getError().message());
  const auto available = static_cast<int64_t>((*file)->getBufferSize());
  if ((length && *length != elements * bytes) || offset > available ||
      elements * bytes > available - offset)
    return fail(Cause::BadFile, what + ", " + Twine(elements * bytes) +
                                    " bytes at offset " + Twine(offset) +
                                    " of a file that has " + Twine(available));
  tensor.set_raw_data((*file)->getBufferStart() + offset,
                      static_cast<size_t>(elements * bytes));
  tensor.set_data_location(onnx::TensorProto::DEFAULT);
  tensor.clear_external_data();
  if (!llvm::is_contained(files, given.str()))
    files.push_back(given.str().str());
  return Done{};
}

void OnnxFile::inferShapes(onnx::ModelProto &given) {
  if (hasFailed)
    return;
  auto inferred = runIsolated(
      [&] {
        onnx::ModelProto copy = given;
        useOlderWords(copy);
        const onnx::ShapeInferenceOptions options(/*check_type_val=*/false,
                                                  /*strict_mode_val=*/0,
                                                  /*data_prop_val=*/true);
        onnx::shape_inference::InferShapes(
            copy, onnx::OpSchemaRegistry::Instance(), options);
        return copy.SerializeAsString();
      },
      inferenceBytes + bytesPerByte * bytes, inferenceSeconds);
  hasFailed = !inferred;
  onnx::ModelProto result;
  if (!inferred || !result.ParseFromString(*inferred) || !result.has_graph())
    return;
  restoreNodes(result, given);
  given.Swap(&result);
}
