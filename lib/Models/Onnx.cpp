//===- Onnx.cpp - ONNX models ---------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few files say the shapes of all values: ONNX's own inference finds the rest.
// It trusts what it reads, so it works in a process of its own on a copy
// without the weights; where it fails, what the file declares is all there is.
//
// Values are known by name, and graphs within a node (branches, bodies of
// loops) see those of the graphs round them. Functions have bodies without
// types; a body gets those of the function's calls, if all agree.
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"
#include "Readers.h"
#include "Views.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <deque>
#include <map>
#include <set>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr StringRef atRunTime = "run-time: permc_rt";

/// Constants that say a shape or an order are never longer. What is longer is
/// a weight, of which nobody here needs more than the shape.
constexpr int64_t maxKeptElements = 1024;

/// What inference may take: for its schemas, and for each byte of the file.
constexpr size_t inferenceBytes = size_t(512) << 20, bytesPerByte = 64;
constexpr unsigned inferenceSeconds = 60;

/// permc's name of an element type; empty for those that are no whole bytes or
/// own memory. libonnx may be older than the type.
StringRef elementName(int type) {
  switch (type) {
  case 1:
    return "f32";
  case 2:
    return "u8";
  case 3:
    return "i8";
  case 4:
    return "u16";
  case 5:
    return "i16";
  case 6:
    return "i32";
  case 7:
    return "i64";
  case 9:
    return "bool";
  case 10:
    return "f16";
  case 11:
    return "f64";
  case 12:
    return "u32";
  case 13:
    return "u64";
  case 14:
    return "c64";
  case 15:
    return "c128";
  case 16:
    return "bf16";
  case 17: // the four kinds of float8
  case 18:
  case 19:
  case 20:
    return "bytes1";
  default:
    return "";
  }
}

/// What is known of a value.
struct Typed {
  ModelShape shape;
  int element = 0;

  bool operator==(const Typed &) const = default;
};

/// The values of a graph; those of the graphs round it are looked up there.
struct Scope {
  const Scope *outer = nullptr;
  std::map<std::string, Typed> types = {};
  std::map<std::string, ValueId> values = {};

  Typed typeOf(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto found = scope->types.find(name); found != scope->types.end())
        return found->second;
    return {};
  }
  std::optional<ValueId> find(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto found = scope->values.find(name); found != scope->values.end())
        return found->second;
    return std::nullopt;
  }
};

/// What the calls of a function agree on.
struct Calls {
  std::vector<Typed> inputs;
  const onnx::NodeProto *node = nullptr;
  unsigned count = 0;
  bool agree = true;
};

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

class OnnxReader {
public:
  explicit OnnxReader(const std::string &path) { model.path = path; }

  Result<Model> read();

private:
  Error fail(Cause cause, const Twine &message) const {
    return {cause, (model.path + ": " + message).str()};
  }
  Error failIn(const std::string &layer, const onnx::NodeProto &node,
               Cause cause, const Twine &message) const {
    return fail(cause,
                "layer '" + layer + "' (" + node.op_type() + "): " + message);
  }

  Status parse();
  Status prepareGraph(onnx::GraphProto &graph);
  Status prepareNodes(Nodes &nodes);
  Status sortNodes(Nodes &nodes) const;
  Status prepareTensor(onnx::TensorProto &tensor);
  Status readExternal(onnx::TensorProto &tensor);
  void inferShapes(onnx::ModelProto &proto) const;

  Status readGraph(const onnx::GraphProto &graph, const Scope *outer,
                   const std::string &prefix);
  Status readNodes(const Nodes &nodes, Scope &scope, const std::string &prefix);
  Status readNode(const onnx::NodeProto &node, Scope &scope,
                  const std::string &name);
  Status readTranspose(const onnx::NodeProto &node, ModelLayer &layer) const;
  Status readBlocked(const onnx::NodeProto &node, ModelLayer &layer) const;
  void noteCall(const onnx::NodeProto &node, const Scope &scope);
  Status readFunctions();
  Status readFunction(const onnx::FunctionProto &function);

  ValueId addValue(Scope &scope, const std::string &name) {
    model.uses.push_back(0);
    const auto value = static_cast<ValueId>(model.uses.size() - 1);
    scope.values.emplace(name, value);
    return value;
  }

  Model model;
  size_t fileBytes = 0;
  onnx::ModelProto proto;
  std::map<std::string, Calls> calls;  ///< by function
  std::deque<onnx::ModelProto> bodies; ///< kept: `calls` point into them
};

} // namespace

static const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node,
                                                 StringRef name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

static bool isOnnxDomain(const std::string &domain) {
  return domain.empty() || domain == "ai.onnx";
}

static Typed typeOf(const onnx::TypeProto &type) {
  if (!type.has_tensor_type())
    return {};
  Typed typed{std::nullopt, type.tensor_type().elem_type()};
  if (!type.tensor_type().has_shape())
    return typed;
  Dims dims;
  for (const auto &dim : type.tensor_type().shape().dim())
    dims.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value()
                                                               : dynamicDim);
  if (static_cast<int64_t>(dims.size()) <= maxRank)
    typed.shape = std::move(dims);
  return typed;
}

static Typed typeOf(const onnx::TensorProto &tensor) {
  return {Dims(tensor.dims().begin(), tensor.dims().end()), tensor.data_type()};
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

Status OnnxReader::parse() {
  auto file = llvm::MemoryBuffer::getFile(model.path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return Error{Cause::BadFile, "cannot read '" + model.path +
                                     "': " + file.getError().message()};
  const StringRef bytes = (*file)->getBuffer();
  fileBytes = bytes.size();
  if (bytes.size() > INT32_MAX)
    return fail(Cause::Unsupported, Twine(bytes.size()) +
                                        " bytes; a protobuf has 2 GiB at most: "
                                        "expected weights in other files");
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(Cause::BadFile, "this is no ONNX model, or part of one: the "
                                "protobuf is cut off or damaged");
  if (!proto.has_graph())
    return fail(Cause::BadFile, "there is no graph; expected an ONNX model");
  int64_t opset = 0;
  for (const auto &import : proto.opset_import())
    if (isOnnxDomain(import.domain()))
      opset = std::max(opset, import.version());
  model.format = "ONNX, opset " + std::to_string(opset);
  if (Status ok = prepareGraph(*proto.mutable_graph()); !ok)
    return ok;
  for (onnx::FunctionProto &function : *proto.mutable_functions())
    if (Status ok = prepareNodes(*function.mutable_node()); !ok)
      return ok;
  return Done{};
}

/// Leaves of a graph what matters for shapes. The parser bounds the depth.
Status OnnxReader::prepareGraph(onnx::GraphProto &graph) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (Status ok = prepareTensor(tensor); !ok)
      return ok;
  return prepareNodes(*graph.mutable_node());
}

Status OnnxReader::prepareNodes(Nodes &nodes) {
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
Status OnnxReader::sortNodes(Nodes &nodes) const {
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
  Nodes sorted;
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
Status OnnxReader::prepareTensor(onnx::TensorProto &tensor) {
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
Status OnnxReader::readExternal(onnx::TensorProto &tensor) {
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
  llvm::SmallString<256> folder, path, real;
  if (llvm::sys::fs::real_path(llvm::sys::path::parent_path(model.path).empty()
                                   ? "."
                                   : llvm::sys::path::parent_path(model.path),
                               folder))
    return fail(Cause::BadFile, what + ", whose folder cannot be read");
  path = folder;
  llvm::sys::path::append(path, location);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  auto isWithin = [&](StringRef each) {
    return each.starts_with(folder) &&
           each.drop_front(folder.size()).starts_with("/");
  };
  const bool exists = !llvm::sys::fs::real_path(path, real);
  if (location.empty() || llvm::sys::path::is_absolute(location) ||
      !isWithin(path) || (exists && !isWithin(real)))
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
  return Done{};
}

/// Adds what ONNX finds out; changes nothing if that fails.
void OnnxReader::inferShapes(onnx::ModelProto &given) const {
  auto inferred = runIsolated(
      [&] {
        onnx::ModelProto copy = given;
        const onnx::ShapeInferenceOptions options(/*check_type_val=*/false,
                                                  /*strict_mode_val=*/0,
                                                  /*data_prop_val=*/true);
        onnx::shape_inference::InferShapes(
            copy, onnx::OpSchemaRegistry::Instance(), options);
        return copy.SerializeAsString();
      },
      inferenceBytes + bytesPerByte * fileBytes, inferenceSeconds);
  onnx::ModelProto result;
  if (inferred && result.ParseFromString(*inferred) && result.has_graph())
    given.Swap(&result);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Status OnnxReader::readGraph(const onnx::GraphProto &graph, const Scope *outer,
                             const std::string &prefix) {
  Scope scope{outer};
  for (const auto *infos :
       {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &info : *infos)
      scope.types[info.name()] = typeOf(info.type());
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    scope.types[tensor.name()] = typeOf(tensor);
    addValue(scope, tensor.name());
  }
  for (const auto &sparse : graph.sparse_initializer())
    addValue(scope, sparse.values().name());
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!scope.values.count(input.name()))
      addValue(scope, input.name());
  if (Status ok = readNodes(graph.node(), scope, prefix); !ok)
    return ok;
  for (const onnx::ValueInfoProto &output : graph.output())
    if (auto value = scope.find(output.name()))
      ++model.uses[*value];
  return Done{};
}

Status OnnxReader::readNodes(const Nodes &nodes, Scope &scope,
                             const std::string &prefix) {
  for (const onnx::NodeProto &node : nodes) {
    const std::string name =
        prefix + (!node.name().empty()      ? node.name()
                  : node.output_size() == 0 ? node.op_type()
                                            : node.output(0));
    for (const std::string &input : node.input()) {
      if (input.empty())
        continue;
      const auto value = scope.find(input);
      // A graph may come without all that it reads.
      ++model.uses[value ? *value : addValue(scope, input)];
    }
    for (const std::string &output : node.output())
      if (!output.empty())
        addValue(scope, output);
    if (Status ok = readNode(node, scope, name); !ok)
      return ok;
    noteCall(node, scope);
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      const std::string within = name + "/" + attribute.name() + "/";
      if (attribute.has_g())
        if (Status ok = readGraph(attribute.g(), &scope, within); !ok)
          return ok;
      for (const onnx::GraphProto &graph : attribute.graphs())
        if (Status ok = readGraph(graph, &scope, within); !ok)
          return ok;
    }
  }
  return Done{};
}

Status OnnxReader::readNode(const onnx::NodeProto &node, Scope &scope,
                            const std::string &name) {
  if (!isOnnxDomain(node.domain()))
    return Done{};
  const StringRef op = node.op_type();
  const bool isTranspose = op == "Transpose",
             isBlocked = op == "DepthToSpace" || op == "SpaceToDepth",
             isReshape = op == "Reshape" || op == "Squeeze" ||
                         op == "Unsqueeze" || op == "Flatten" ||
                         op == "Identity";
  if (!isTranspose && !isBlocked && !isReshape)
    return Done{};
  if (node.input_size() < 1 || node.input(0).empty() ||
      node.output_size() < 1 || node.output(0).empty())
    return failIn(name, node, Cause::BadFile,
                  "expected an input and an output");
  const Typed input = scope.typeOf(node.input(0)),
              output = scope.typeOf(node.output(0));
  const ValueId from = *scope.find(node.input(0)),
                to = *scope.find(node.output(0));
  if (isReshape) {
    model.reshapes.push_back({name, input.shape, output.shape, from, to});
    return Done{};
  }
  ModelLayer layer;
  layer.name = name;
  layer.op = op.str();
  const int element = input.element ? input.element : output.element;
  layer.element = elementName(element).str();
  layer.inputShape = layer.view = input.shape;
  layer.outputShape = output.shape;
  layer.input = from;
  layer.output = to;
  if (Status ok =
          isTranspose ? readTranspose(node, layer) : readBlocked(node, layer);
      !ok)
    return ok;
  if (layer.reason.empty() && !layer.inputShape)
    layer.reason = (atRunTime + " (the shape of the input is not known)").str();
  if (layer.reason.empty() && element == 0)
    layer.reason =
        (atRunTime + " (the element type of the input is not known)").str();
  if (layer.reason.empty() && layer.element.empty())
    layer.reason = "elements of ONNX's type " + std::to_string(element) +
                   " cannot be moved as bytes";
  model.layers.push_back(std::move(layer));
  return Done{};
}

Status OnnxReader::readTranspose(const onnx::NodeProto &node,
                                 ModelLayer &layer) const {
  const onnx::AttributeProto *perm = findAttribute(node, "perm");
  if (perm && !perm->ref_attr_name().empty()) {
    layer.reason =
        (atRunTime + " (the order comes with the function's call)").str();
    return Done{};
  }
  if (!perm && !layer.inputShape) {
    layer.reason = (atRunTime + " (all axes are reversed, and the rank is not "
                                "known)")
                       .str();
    return Done{};
  }
  Dims order;
  if (perm && perm->type() != onnx::AttributeProto::INTS)
    return failIn(layer.name, node, Cause::BadSyntax,
                  "its attribute perm is no list of integers");
  if (perm)
    order.assign(perm->ints().begin(), perm->ints().end());
  else
    for (size_t axis = layer.inputShape->size(); axis-- > 0;)
      order.push_back(static_cast<int64_t>(axis));
  const size_t rank =
      layer.inputShape ? layer.inputShape->size() : order.size();
  if (Status ok = checkPermutation(order, static_cast<int64_t>(rank)); !ok)
    return failIn(layer.name, node, ok.error().cause, ok.error().message);
  Dims outputShape;
  for (int64_t axis : order)
    outputShape.push_back(layer.inputShape ? (*layer.inputShape)[axis]
                                           : dynamicDim);
  if (layer.inputShape || !layer.outputShape)
    layer.outputShape = std::move(outputShape);
  layer.order = std::move(order);
  return Done{};
}

Status OnnxReader::readBlocked(const onnx::NodeProto &node,
                               ModelLayer &layer) const {
  if (!layer.inputShape)
    return Done{};
  if (layer.inputShape->size() != 4)
    return failIn(layer.name, node, Cause::BadRank,
                  "the input " + spellModelShape(layer.inputShape) +
                      "; expected batch, channels, height and width");
  const onnx::AttributeProto *block = findAttribute(node, "blocksize"),
                             *mode = findAttribute(node, "mode");
  if (!block || block->type() != onnx::AttributeProto::INT)
    return failIn(layer.name, node, Cause::BadSyntax,
                  "expected an integer attribute blocksize");
  if (mode && mode->s() != "DCR" && mode->s() != "CRD")
    return failIn(layer.name, node, Cause::BadSyntax,
                  "the mode '" + mode->s() + "'; expected DCR or CRD");
  const BlockOrder order = mode && mode->s() == "CRD" ? BlockOrder::DepthFirst
                                                      : BlockOrder::BlocksFirst;
  auto view = node.op_type() == "DepthToSpace"
                  ? depthToSpace(*layer.inputShape, block->i(), order)
                  : spaceToDepth(*layer.inputShape, block->i(),
                                 BlockOrder::BlocksFirst);
  if (!view)
    return failIn(layer.name, node, view.error().cause, view.error().message);
  layer.view = view->view;
  layer.order = view->order;
  layer.outputShape = view->outputShape;
  return Done{};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string keyOf(const std::string &domain, const std::string &name) {
  return domain + "\n" + name;
}

void OnnxReader::noteCall(const onnx::NodeProto &node, const Scope &scope) {
  if (proto.functions_size() == 0)
    return;
  Calls &call = calls[keyOf(node.domain(), node.op_type())];
  std::vector<Typed> inputs;
  for (const std::string &input : node.input())
    inputs.push_back(scope.typeOf(input));
  if (call.count++ == 0) {
    call.inputs = std::move(inputs);
    call.node = &node;
  } else {
    call.agree &= call.inputs == inputs;
  }
}

/// Callers come before what they call, so that all calls are known by then.
Status OnnxReader::readFunctions() {
  std::vector<const onnx::FunctionProto *> waiting;
  for (const onnx::FunctionProto &function : proto.functions())
    waiting.push_back(&function);
  while (!waiting.empty()) {
    std::set<std::string> called;
    for (const onnx::FunctionProto *function : waiting)
      for (const onnx::NodeProto &node : function->node())
        called.insert(keyOf(node.domain(), node.op_type()));
    // Functions that call each other have no such order; any is as good.
    auto next = llvm::find_if(waiting, [&](const onnx::FunctionProto *each) {
      return !called.count(keyOf(each->domain(), each->name()));
    });
    if (next == waiting.end())
      next = waiting.begin();
    const onnx::FunctionProto &function = **next;
    waiting.erase(next);
    if (Status ok = readFunction(function); !ok)
      return ok;
  }
  return Done{};
}

/// The body as a graph of its own, with what its calls agree on.
Status OnnxReader::readFunction(const onnx::FunctionProto &function) {
  onnx::ModelProto body;
  body.set_ir_version(proto.ir_version());
  *body.mutable_opset_import() = function.opset_import();
  *body.mutable_functions() = proto.functions();
  onnx::GraphProto &graph = *body.mutable_graph();
  graph.set_name(function.name());
  *graph.mutable_node() = function.node();
  const Calls &call = calls[keyOf(function.domain(), function.name())];
  for (int i = 0; i < function.input_size(); ++i) {
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name(function.input(i));
    if (!call.agree || static_cast<size_t>(i) >= call.inputs.size())
      continue;
    const Typed &typed = call.inputs[static_cast<size_t>(i)];
    if (typed.element == 0)
      continue;
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(typed.element);
    if (!typed.shape)
      continue;
    type.mutable_shape();
    for (int64_t size : *typed.shape) {
      auto &dim = *type.mutable_shape()->add_dim();
      if (size != dynamicDim)
        dim.set_dim_value(size);
    }
  }
  for (const std::string &output : function.output())
    graph.add_output()->set_name(output);
  // An attribute that comes with the call, where there is one call.
  if (call.count == 1 && call.node)
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (const auto *given =
                attribute.ref_attr_name().empty()
                    ? nullptr
                    : findAttribute(*call.node, attribute.ref_attr_name())) {
          const std::string name = attribute.name();
          attribute = *given;
          attribute.set_name(name);
        }
  inferShapes(body);
  bodies.push_back(std::move(body));
  return readGraph(bodies.back().graph(), nullptr, function.name() + "/");
}

Result<Model> OnnxReader::read() {
  try {
    if (Status ok = parse(); !ok)
      return ok.error();
    inferShapes(proto);
    if (Status ok = readGraph(proto.graph(), nullptr, ""); !ok)
      return ok.error();
    if (Status ok = readFunctions(); !ok)
      return ok.error();
    return std::move(model);
  } catch (const std::exception &error) { // protobuf and libonnx throw
    return fail(Cause::BadFile, error.what());
  }
}

Result<Model> permc::readOnnx(const std::string &path) {
  return OnnxReader(path).read();
}
