//===- Onnx.cpp - ONNX models ---------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are known by name, and graphs within a node (branches, bodies of
// loops) see those of the graphs round them. Functions have bodies without
// types; they are read once for each kind of call, with the types of that.
//
//===----------------------------------------------------------------------===//

#include "OnnxFile.h"
#include "Readers.h"
#include "Views.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
#include <map>
#include <memory>
#include <set>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr StringRef atRunTime = "run-time: permc_rt";

/// The bodies of so many functions get the types of their calls, for so many
/// kinds of calls and of so many bytes in all; each is inferred by itself, and
/// nobody writes more.
constexpr int maxTypedFunctions = 256;
constexpr size_t maxTypedBodies = 256, maxTypedBytes = size_t(64) << 20;

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
  /// Of values whose shape is not known: where that begins. Shared, for names
  /// may be long and values many.
  std::map<std::string, std::shared_ptr<const std::string>> unknown = {};

  Typed typeOf(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto found = scope->types.find(name); found != scope->types.end())
        return found->second;
    return {};
  }
  std::shared_ptr<const std::string> whyUnknown(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto found = scope->unknown.find(name); found != scope->unknown.end())
        return found->second;
    return nullptr;
  }
  std::optional<ValueId> find(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto found = scope->values.find(name); found != scope->values.end())
        return found->second;
    return std::nullopt;
  }
};

/// A call of a function, or several that are alike.
struct Call {
  std::string name; ///< of the first
  std::vector<Typed> inputs;
  const onnx::NodeProto *node = nullptr;

  /// Whether the function does the same for both.
  bool isLike(const Call &other) const;
};

class OnnxReader {
public:
  explicit OnnxReader(const std::string &path) : file(path) {
    model.path = path;
  }

  Result<Model> read();

private:
  Status readGraph(const onnx::GraphProto &graph, const Scope *outer,
                   const std::string &prefix);
  Status readNodes(const OnnxNodes &nodes, Scope &scope,
                   const std::string &prefix);
  Status readNode(const onnx::NodeProto &node, Scope &scope,
                  const std::string &name);
  static void noteUnknown(const onnx::NodeProto &node, Scope &scope,
                          const std::string &name);
  Status readTranspose(const onnx::NodeProto &node, ModelLayer &layer) const;
  Status readBlocked(const onnx::NodeProto &node, ModelLayer &layer) const;
  void noteCall(const onnx::NodeProto &node, const Scope &scope,
                const std::string &name);
  Status readFunctions();
  Status readCalls(const onnx::FunctionProto &function);
  Status readCall(const onnx::FunctionProto &function, const Call &call,
                  const std::string &prefix);

  ValueId addValue(Scope &scope, const std::string &name) {
    model.uses.push_back(0);
    const auto value = static_cast<ValueId>(model.uses.size() - 1);
    scope.values.emplace(name, value);
    return value;
  }

  OnnxFile file;
  Model model;
  onnx::ModelProto proto;
  std::map<std::string, std::vector<Call>> calls; ///< by function
  std::set<std::string> functions;                ///< keys of all there are
  size_t typedBytes = 0;                          ///< of functions, all kinds
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

static int64_t opsetOf(const onnx::ModelProto &model) {
  int64_t opset = 0;
  for (const auto &import : model.opset_import())
    if (isOnnxDomain(import.domain()))
      opset = std::max(opset, import.version());
  return opset;
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
    if (!scope.values.count(input.name())) {
      addValue(scope, input.name());
      if (!scope.typeOf(input.name()).shape)
        scope.unknown[input.name()] = std::make_shared<std::string>(
            "the input '" + input.name() + "' of the graph declares none");
    }
  if (Status ok = readNodes(graph.node(), scope, prefix); !ok)
    return ok;
  for (const onnx::ValueInfoProto &output : graph.output())
    if (auto value = scope.find(output.name()))
      ++model.uses[*value];
  return Done{};
}

Status OnnxReader::readNodes(const OnnxNodes &nodes, Scope &scope,
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
    noteUnknown(node, scope, name);
    if (Status ok = readNode(node, scope, name); !ok)
      return ok;
    noteCall(node, scope, name);
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

/// The first node on the way that no shape comes out of is the one to name.
void OnnxReader::noteUnknown(const onnx::NodeProto &node, Scope &scope,
                             const std::string &name) {
  std::shared_ptr<const std::string> why;
  for (const std::string &input : node.input())
    if (!why && !scope.typeOf(input).shape)
      why = scope.whyUnknown(input);
  if (!why)
    why = std::make_shared<std::string>(
        "nothing is known of what '" + name + "' (" +
        (isOnnxDomain(node.domain()) ? "" : node.domain() + ".") +
        node.op_type() + ") makes");
  for (const std::string &output : node.output())
    if (!scope.typeOf(output).shape)
      scope.unknown[output] = why;
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
    return file.failIn(name, node, Cause::BadFile,
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
  const auto why = scope.whyUnknown(node.input(0));
  if (layer.reason.empty() && !layer.inputShape)
    layer.reason = (atRunTime + " (the shape of the input is not known" +
                    (why ? ": " + *why : "") + ")")
                       .str();
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
    return file.failIn(layer.name, node, Cause::BadSyntax,
                       "its attribute perm is no list of integers");
  if (perm)
    order.assign(perm->ints().begin(), perm->ints().end());
  else
    for (size_t axis = layer.inputShape->size(); axis-- > 0;)
      order.push_back(static_cast<int64_t>(axis));
  const size_t rank =
      layer.inputShape ? layer.inputShape->size() : order.size();
  if (Status ok = checkPermutation(order, static_cast<int64_t>(rank)); !ok)
    return file.failIn(layer.name, node, ok.error().cause, ok.error().message);
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
    return file.failIn(layer.name, node, Cause::BadRank,
                       "the input " + spellModelShape(layer.inputShape) +
                           "; expected batch, channels, height and width");
  const onnx::AttributeProto *block = findAttribute(node, "blocksize"),
                             *mode = findAttribute(node, "mode");
  for (const onnx::AttributeProto *each : {block, mode})
    if (each && !each->ref_attr_name().empty()) {
      layer.reason =
          (atRunTime + " (" + each->name() + " comes with the function's call)")
              .str();
      return Done{};
    }
  if (!block || block->type() != onnx::AttributeProto::INT)
    return file.failIn(layer.name, node, Cause::BadSyntax,
                       "expected an integer attribute blocksize");
  if (mode && mode->s() != "DCR" && mode->s() != "CRD")
    return file.failIn(layer.name, node, Cause::BadSyntax,
                       "the mode '" + mode->s() + "'; expected DCR or CRD");
  const BlockOrder order = mode && mode->s() == "CRD" ? BlockOrder::DepthFirst
                                                      : BlockOrder::BlocksFirst;
  auto view = node.op_type() == "DepthToSpace"
                  ? depthToSpace(*layer.inputShape, block->i(), order)
                  : spaceToDepth(*layer.inputShape, block->i(),
                                 BlockOrder::BlocksFirst);
  if (!view)
    return file.failIn(layer.name, node, view.error().cause,
                       view.error().message);
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

bool Call::isLike(const Call &other) const {
  auto isSame = [](const onnx::AttributeProto &a,
                   const onnx::AttributeProto &b) {
    return a.SerializeAsString() == b.SerializeAsString();
  };
  return inputs == other.inputs &&
         llvm::equal(node->attribute(), other.node->attribute(), isSame);
}

/// Calls that are alike are one.
void OnnxReader::noteCall(const onnx::NodeProto &node, const Scope &scope,
                          const std::string &name) {
  const std::string key = keyOf(node.domain(), node.op_type());
  if (!functions.count(key))
    return;
  Call call{name, {}, &node};
  for (const std::string &input : node.input())
    call.inputs.push_back(scope.typeOf(input));
  std::vector<Call> &known = calls[key];
  if (known.size() > maxTypedBodies) // too many to have types
    return;
  if (llvm::none_of(known, [&](const Call &each) { return each.isLike(call); }))
    known.push_back(std::move(call));
}

/// Adds the keys of all that the nodes, and the graphs within them, call.
static void addCalled(const OnnxNodes &nodes, std::set<std::string> &called) {
  for (const onnx::NodeProto &node : nodes) {
    called.insert(keyOf(node.domain(), node.op_type()));
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      addCalled(attribute.g().node(), called);
      for (const onnx::GraphProto &graph : attribute.graphs())
        addCalled(graph.node(), called);
    }
  }
}

/// Callers come before what they call, so that all calls are known by then.
Status OnnxReader::readFunctions() {
  std::vector<const onnx::FunctionProto *> waiting;
  for (const onnx::FunctionProto &function : proto.functions())
    waiting.push_back(&function);
  if (proto.functions_size() > maxTypedFunctions) {
    for (const onnx::FunctionProto *function : waiting)
      if (Status ok = readCall(*function, {}, function->name() + "/"); !ok)
        return ok;
    return Done{};
  }
  while (!waiting.empty()) {
    std::set<std::string> called;
    for (const onnx::FunctionProto *function : waiting)
      addCalled(function->node(), called);
    // Functions that call each other have no such order; any is as good.
    auto next = llvm::find_if(waiting, [&](const onnx::FunctionProto *each) {
      return !called.count(keyOf(each->domain(), each->name()));
    });
    if (next == waiting.end())
      next = waiting.begin();
    const onnx::FunctionProto &function = **next;
    waiting.erase(next);
    if (Status ok = readCalls(function); !ok)
      return ok;
  }
  return Done{};
}

/// The function once if its calls are alike, else once for each kind of them,
/// under the name of the first: the same layer has other shapes there.
/// Functions that call each other may multiply, so there is a limit.
Status OnnxReader::readCalls(const onnx::FunctionProto &function) {
  const auto found = calls.find(keyOf(function.domain(), function.name()));
  const size_t count = found == calls.end() ? 0 : found->second.size();
  const size_t bytes = function.ByteSizeLong();
  if (count == 0 || bodies.size() + count > maxTypedBodies ||
      typedBytes + count * bytes > maxTypedBytes)
    return readCall(function, {}, function.name() + "/");
  typedBytes += count * bytes;
  // Reading a body may find calls of this very function.
  const std::vector<Call> known = found->second;
  for (const Call &call : known)
    if (Status ok = readCall(function, call,
                             (count == 1 ? "" : call.name + "/") +
                                 function.name() + "/");
        !ok)
      return ok;
  return Done{};
}

/// The attributes of a function by name: as the call gives them, or by default.
using Attributes = std::map<std::string, onnx::AttributeProto>;

/// Defaults are newer than some libonnx, to which they are unknown bytes.
static std::vector<onnx::AttributeProto>
defaultsOf(const onnx::FunctionProto &function) {
  constexpr int attributeProto = 11; // the field's number in ONNX's schema
  std::vector<onnx::AttributeProto> defaults;
  const auto &fields = function.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    onnx::AttributeProto attribute;
    if (field.number() == attributeProto &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        attribute.ParseFromString(field.length_delimited()))
      defaults.push_back(std::move(attribute));
  }
  const auto *known =
      onnx::FunctionProto::descriptor()->FindFieldByNumber(attributeProto);
  const auto *reflection = onnx::FunctionProto::GetReflection();
  for (int i = 0; known && i < reflection->FieldSize(function, known); ++i) {
    onnx::AttributeProto &attribute = defaults.emplace_back();
    attribute.CopyFrom(reflection->GetRepeatedMessage(function, known, i));
  }
  return defaults;
}

static Attributes attributesOf(const onnx::FunctionProto &function,
                               const onnx::NodeProto &call) {
  Attributes attributes;
  for (const onnx::AttributeProto &given : call.attribute())
    attributes.emplace(given.name(), given);
  for (onnx::AttributeProto &each : defaultsOf(function))
    if (!each.has_g() && each.graphs_size() == 0) // they were not looked at
      attributes.emplace(each.name(), std::move(each));
  return attributes;
}

/// Puts the function's attributes where its nodes, and those of the graphs
/// within them, refer to them. What was not given is not there.
static void setAttributes(OnnxNodes &nodes, const Attributes &attributes) {
  for (onnx::NodeProto &node : nodes) {
    auto &list = *node.mutable_attribute();
    for (int i = list.size(); i-- > 0;) {
      onnx::AttributeProto &attribute = list[i];
      if (attribute.has_g())
        setAttributes(*attribute.mutable_g()->mutable_node(), attributes);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        setAttributes(*graph.mutable_node(), attributes);
      if (attribute.ref_attr_name().empty())
        continue;
      const auto given = attributes.find(attribute.ref_attr_name());
      if (given == attributes.end()) {
        list.DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = given->second;
      attribute.set_name(name);
    }
  }
}

/// The body as a graph of its own, with what the call says.
Status OnnxReader::readCall(const onnx::FunctionProto &function,
                            const Call &call, const std::string &prefix) {
  onnx::ModelProto body;
  body.set_ir_version(proto.ir_version());
  *body.mutable_opset_import() = function.opset_import();
  onnx::GraphProto &graph = *body.mutable_graph();
  graph.set_name(function.name());
  *graph.mutable_node() = function.node();
  for (int i = 0; i < function.input_size(); ++i) {
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name(function.input(i));
    if (static_cast<size_t>(i) >= call.inputs.size())
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
  if (call.node)
    setAttributes(*graph.mutable_node(), attributesOf(function, *call.node));
  if (proto.functions_size() <= maxTypedFunctions) {
    *body.mutable_functions() = proto.functions();
    file.inferShapes(body);
    body.clear_functions();
  }
  bodies.push_back(std::move(body));
  return readGraph(bodies.back().graph(), nullptr, prefix);
}

Result<Model> OnnxReader::read() {
  try {
    auto parsed = file.read();
    if (!parsed)
      return parsed.error();
    proto.Swap(&*parsed);
    model.format = "ONNX, opset " + std::to_string(opsetOf(proto));
    for (const onnx::FunctionProto &function : proto.functions())
      functions.insert(keyOf(function.domain(), function.name()));
    file.inferShapes(proto);
    if (Status ok = readGraph(proto.graph(), nullptr, ""); !ok)
      return ok.error();
    if (Status ok = readFunctions(); !ok)
      return ok.error();
    model.files = file.filesRead();
    return std::move(model);
  } catch (const std::exception &error) { // protobuf and libonnx throw
    return file.fail(Cause::BadFile, error.what());
  }
}

std::string permc::howToReadOnnx() { return ""; }

Result<Model> permc::readOnnx(const std::string &path) {
  return OnnxReader(path).read();
}
