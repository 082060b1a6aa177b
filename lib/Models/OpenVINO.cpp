//===- OpenVINO.cpp - OpenVINO IR -----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An IR is an .xml file with layers, ports that say their shapes, and edges,
// and a .bin file with the constants beside it. Bodies of loops and branches
// are graphs within a layer, and have the same .bin file.
//
// Files come from anywhere. Nothing in one is believed before it is checked:
// ids, edges, cycles, where constants lie, what orders say. pugixml expands no
// entity that a document defines, so that what a document takes is a multiple
// of its size.
//
//===----------------------------------------------------------------------===//

#include "OpenVINOConstants.h"
#include "Readers.h"
#include "Views.h"

#include "permc/Frontend/Convention.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <pugixml.hpp>

#include <map>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Bodies within bodies; the bound keeps the recursion finite.
constexpr unsigned maxDepth = 32;

/// permc's name of an element type; empty for those that are no whole bytes,
/// that own memory, or that nobody knows.
StringRef elementName(StringRef precision) {
  return llvm::StringSwitch<StringRef>(precision)
      .CasesLower({"fp64", "f64"}, "f64")
      .CasesLower({"fp32", "f32"}, "f32")
      .CasesLower({"fp16", "f16"}, "f16")
      .CaseLower("bf16", "bf16")
      .CaseLower("i64", "i64")
      .CaseLower("i32", "i32")
      .CaseLower("i16", "i16")
      .CaseLower("i8", "i8")
      .CaseLower("u64", "u64")
      .CaseLower("u32", "u32")
      .CaseLower("u16", "u16")
      .CaseLower("u8", "u8")
      .CasesLower({"bool", "boolean"}, "bool")
      .CasesLower({"f8e4m3", "f8e5m2", "f8e8m0"}, "bytes1")
      .Default("");
}

/// One of the dims "3", "-1", "?", "1..8", "16..".
Result<int64_t> parseDim(StringRef text) {
  text = text.trim();
  int64_t size;
  if (!text.getAsInteger(10, size)) {
    if (size >= 0)
      return size;
    if (size == -1)
      return dynamicDim;
  }
  if (text == "?")
    return dynamicDim;
  if (auto [low, high] = text.split("..");
      text.contains("..") && (!low.empty() || !high.empty())) {
    int64_t from = 0, to = INT64_MAX;
    if ((low.empty() || !low.getAsInteger(10, from)) &&
        (high.empty() || !high.getAsInteger(10, to)) && from >= 0 && from <= to)
      return from == to ? from : dynamicDim;
  }
  return Error{Cause::BadSize, ("the dim '" + text +
                                "'; expected a size, -1, ? or a range such as "
                                "1..8")
                                   .str()};
}

/// A layer of the file, with what the edges say of it.
struct Node {
  pugi::xml_node xml;
  StringRef id, name, type;
  /// What each input port is fed by: a node and a port of it.
  struct Source {
    size_t node;
    StringRef port;
  };
  std::map<StringRef, Source> sources = {};
};

struct Graph {
  std::vector<Node> nodes;
  std::string prefix; ///< of the names of its layers
  std::map<std::pair<size_t, StringRef>, ValueId> values = {};
};

struct Port {
  ModelShape shape;
  StringRef precision;
};

class IrReader {
public:
  explicit IrReader(const std::string &path) : constants(path) {
    model.path = path;
  }

  Result<Model> read();

private:
  Error fail(Cause cause, const Twine &message) const {
    return {cause, (model.path + ": " + message).str()};
  }
  /// With the line of a node.
  Error failAt(pugi::xml_node xml, Cause cause, const Twine &message) const;
  Error failIn(const Node &node, Cause cause, const Twine &message) const {
    return failAt(node.xml, cause,
                  "layer '" + node.name + "' (" + node.type + "): " + message);
  }

  Status readGraph(pugi::xml_node net, const std::string &prefix,
                   unsigned depth);
  Result<std::vector<Node>> readNodes(pugi::xml_node net) const;
  Status readEdges(pugi::xml_node net, std::vector<Node> &nodes) const;
  Status checkAcyclic(const std::vector<Node> &nodes) const;
  Status readLayer(Graph &graph, size_t index);
  Status readReshape(Graph &graph, size_t index);
  Status readBodies(const Graph &graph, const Node &node, unsigned depth);

  ValueId valueOf(Graph &graph, const Node::Source &source);
  /// What feeds the input number `place` of a node.
  Result<Node::Source> sourceOf(const Node &node, unsigned place) const;
  Result<Port> readPort(const Graph &graph, const Node::Source &source) const;
  Result<Port> readOutput(const Node &node) const;
  Result<ModelShape> readDims(const Node &node, pugi::xml_node port) const;

  Status readTranspose(Graph &graph, const Node &node, ModelLayer &layer);
  Status readBlocked(const Node &node, ModelLayer &layer) const;
  Result<FoundOrder> findOrder(const Graph &graph, const Node &node);
  Result<FoundOrder> readOrder(const Node &constant);
  Result<int64_t> readInteger(const Node &node, const char *attribute,
                              std::optional<int64_t> otherwise = {}) const;

  Model model;
  std::string text;
  pugi::xml_document document;
  OpenVINOConstants constants;
};

} // namespace

Error IrReader::failAt(pugi::xml_node xml, Cause cause,
                       const Twine &message) const {
  const ptrdiff_t offset = xml.offset_debug();
  if (offset < 0)
    return fail(cause, message);
  const auto line =
      1 + StringRef(text).take_front(static_cast<size_t>(offset)).count('\n');
  return {cause, (model.path + ":" + Twine(line) + ": " + message).str()};
}

Result<Model> IrReader::read() {
  auto file = llvm::MemoryBuffer::getFile(model.path);
  if (!file)
    return Error{Cause::BadFile, "cannot read '" + model.path +
                                     "': " + file.getError().message()};
  text = (*file)->getBuffer().str();
  const pugi::xml_parse_result parsed = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
  if (!parsed) {
    const StringRef before = StringRef(text).take_front(
        static_cast<size_t>(std::max<ptrdiff_t>(parsed.offset, 0)));
    return Error{Cause::BadFile,
                 (model.path + ":" + Twine(1 + before.count('\n')) + ":" +
                  Twine(before.size() - (before.rfind('\n') + 1) + 1) +
                  ": this is not XML: " + parsed.description())
                     .str()};
  }
  for (pugi::xml_node node : document)
    if (node.type() == pugi::node_doctype)
      return fail(Cause::BadFile,
                  "a document type declaration; expected none in an IR");
  const pugi::xml_node net = document.child("net");
  if (!net)
    return fail(Cause::BadFile, "there is no <net>; expected an OpenVINO IR");
  const StringRef version = net.attribute("version").value();
  if (version != "10" && version != "11")
    return failAt(net, Cause::Unsupported,
                  "an OpenVINO IR of version '" + version +
                      "'; expected 10 or 11");
  model.format = "OpenVINO IR " + version.str();
  if (Status ok = readGraph(net, "", 0); !ok)
    return ok.error();
  model.files = {model.path};
  if (auto constantsRead = constants.fileRead())
    model.files.push_back(*constantsRead);
  return std::move(model);
}

Status IrReader::readGraph(pugi::xml_node net, const std::string &prefix,
                           unsigned depth) {
  if (depth > maxDepth)
    return failAt(net, Cause::BadFile,
                  "bodies within bodies; expected " + Twine(maxDepth) +
                      " at most");
  auto nodes = readNodes(net);
  if (!nodes)
    return nodes.error();
  if (Status ok = readEdges(net, *nodes); !ok)
    return ok;
  if (Status ok = checkAcyclic(*nodes); !ok)
    return ok;
  Graph graph{std::move(*nodes), prefix};
  for (const Node &node : graph.nodes)
    for (const auto &[port, source] : node.sources)
      ++model.uses[valueOf(graph, source)];
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    if (Status ok = readLayer(graph, index); !ok)
      return ok;
    if (Status ok = readReshape(graph, index); !ok)
      return ok;
    if (Status ok = readBodies(graph, graph.nodes[index], depth); !ok)
      return ok;
  }
  return Done{};
}

Result<std::vector<Node>> IrReader::readNodes(pugi::xml_node net) const {
  std::vector<Node> nodes;
  llvm::StringMap<pugi::xml_node> byId;
  for (pugi::xml_node xml : net.child("layers").children("layer")) {
    Node node{xml, xml.attribute("id").value(), xml.attribute("name").value(),
              xml.attribute("type").value()};
    if (node.id.empty() || node.type.empty())
      return failIn(node, Cause::BadFile, "expected an id and a type");
    if (!byId.try_emplace(node.id, xml).second)
      return failIn(node, Cause::BadFile,
                    "the id " + node.id + " is that of another layer, '" +
                        byId[node.id].attribute("name").value() + "'");
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Status IrReader::readEdges(pugi::xml_node net, std::vector<Node> &nodes) const {
  llvm::StringMap<size_t> byId;
  for (size_t i = 0; i < nodes.size(); ++i)
    byId[nodes[i].id] = i;
  for (pugi::xml_node edge : net.child("edges").children("edge")) {
    const StringRef from = edge.attribute("from-layer").value(),
                    to = edge.attribute("to-layer").value(),
                    toPort = edge.attribute("to-port").value();
    auto source = byId.find(from), target = byId.find(to);
    if (source == byId.end() || target == byId.end())
      return failAt(edge, Cause::BadFile,
                    "an edge from layer '" + from + "' to layer '" + to +
                        "', of which one does not exist");
    const Node::Source fed{source->second, edge.attribute("from-port").value()};
    if (!nodes[target->second].sources.try_emplace(toPort, fed).second)
      return failIn(nodes[target->second], Cause::BadFile,
                    "two edges lead to its port " + toPort);
  }
  return Done{};
}

/// Takes away layers that wait for nothing until none is left.
Status IrReader::checkAcyclic(const std::vector<Node> &nodes) const {
  std::vector<size_t> waiting(nodes.size()), ready;
  std::vector<std::vector<size_t>> readers(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    waiting[i] = nodes[i].sources.size();
    if (waiting[i] == 0)
      ready.push_back(i);
    for (const auto &[port, source] : nodes[i].sources)
      readers[source.node].push_back(i);
  }
  size_t done = 0;
  for (; !ready.empty(); ++done) {
    const size_t node = ready.back();
    ready.pop_back();
    for (size_t reader : readers[node])
      if (--waiting[reader] == 0)
        ready.push_back(reader);
  }
  if (done == nodes.size())
    return Done{};
  const auto left = llvm::find_if(waiting, [](size_t n) { return n != 0; });
  return failIn(nodes[static_cast<size_t>(left - waiting.begin())],
                Cause::BadFile, "it is fed by a cycle of edges");
}

ValueId IrReader::valueOf(Graph &graph, const Node::Source &source) {
  auto [found, isNew] = graph.values.try_emplace(
      {source.node, source.port}, static_cast<ValueId>(model.uses.size()));
  if (isNew)
    model.uses.push_back(0);
  return found->second;
}

Status IrReader::readBodies(const Graph &graph, const Node &node,
                            unsigned depth) {
  for (const char *body : {"body", "then_body", "else_body"})
    if (pugi::xml_node net = node.xml.child(body)) {
      const bool isBranch = StringRef(body) != "body";
      const std::string prefix = graph.prefix + node.name.str() + "/" +
                                 (isBranch ? std::string(body) + "/" : "");
      if (Status ok = readGraph(net, prefix, depth + 1); !ok)
        return ok;
    }
  return Done{};
}

Result<Node::Source> IrReader::sourceOf(const Node &node,
                                        unsigned place) const {
  unsigned at = 0;
  for (pugi::xml_node port : node.xml.child("input").children("port")) {
    if (at++ != place)
      continue;
    auto source = node.sources.find(port.attribute("id").value());
    if (source != node.sources.end())
      return source->second;
    break;
  }
  return failIn(node, Cause::BadFile,
                "no edge leads to its input " + Twine(place));
}

Result<ModelShape> IrReader::readDims(const Node &node,
                                      pugi::xml_node port) const {
  Dims dims;
  for (pugi::xml_node dim : port.children("dim")) {
    Result<int64_t> size = parseDim(dim.child_value());
    if (!size)
      return failIn(node, size.error().cause,
                    "port " + Twine(port.attribute("id").value()) + " has " +
                        size.error().message);
    dims.push_back(*size);
    if (static_cast<int64_t>(dims.size()) > maxRank)
      return failIn(node, Cause::BadRank,
                    "port " + Twine(port.attribute("id").value()) +
                        " has more than " + Twine(maxRank) + " dims");
  }
  return ModelShape(std::move(dims));
}

/// A port without dims is that of a scalar, or of a tensor of unknown rank:
/// what makes the tensor may say which.
Result<Port> IrReader::readPort(const Graph &graph,
                                const Node::Source &source) const {
  const Node &node = graph.nodes[source.node];
  const auto ports = node.xml.child("output").children("port");
  auto xml = llvm::find_if(ports, [&](pugi::xml_node port) {
    return port.attribute("id").value() == source.port;
  });
  if (xml == ports.end())
    return failIn(node, Cause::BadFile,
                  "an edge leaves from its port " + source.port +
                      ", which does not exist");
  auto shape = readDims(node, *xml);
  if (!shape)
    return shape.error();
  if ((*shape)->empty()) {
    const pugi::xml_attribute declared =
        node.xml.child("data").attribute("shape");
    if (!declared || StringRef(declared.value()).trim() == "...")
      *shape = std::nullopt;
  }
  StringRef precision = xml->attribute("precision").value();
  if (precision.empty())
    precision = node.xml.child("data").attribute("element_type").value();
  return Port{std::move(*shape), precision};
}

/// The only output of a node, as the file declares it.
Result<Port> IrReader::readOutput(const Node &node) const {
  const pugi::xml_node xml = node.xml.child("output").child("port");
  auto shape = readDims(node, xml);
  if (!shape)
    return shape.error();
  if ((*shape)->empty())
    *shape = std::nullopt;
  return Port{std::move(*shape), xml.attribute("precision").value()};
}

Result<int64_t> IrReader::readInteger(const Node &node, const char *attribute,
                                      std::optional<int64_t> otherwise) const {
  const pugi::xml_attribute xml = node.xml.child("data").attribute(attribute);
  if (!xml && otherwise)
    return *otherwise;
  int64_t value;
  if (StringRef(xml.value()).trim().getAsInteger(10, value))
    return failIn(node, Cause::BadSyntax,
                  "its attribute " + Twine(attribute) + " is '" + xml.value() +
                      "'; expected an integer");
  return value;
}

Status IrReader::readLayer(Graph &graph, size_t index) {
  const Node &node = graph.nodes[index];
  const bool isTranspose = node.type == "Transpose";
  if (!isTranspose && node.type != "DepthToSpace" &&
      node.type != "SpaceToDepth" && node.type != "ShuffleChannels")
    return Done{};
  auto source = sourceOf(node, 0);
  if (!source)
    return source.error();
  auto input = readPort(graph, *source);
  if (!input)
    return input.error();
  auto output = readOutput(node);
  if (!output)
    return output.error();

  ModelLayer layer;
  layer.name = graph.prefix + node.name.str();
  layer.op = node.type.str();
  layer.element = elementName(input->precision).str();
  if (layer.element.empty())
    layer.reason = "elements of the type " + input->precision.lower() +
                   " cannot be moved as bytes";
  layer.inputShape = input->shape;
  layer.outputShape = output->shape;
  layer.input = valueOf(graph, *source);
  layer.output = valueOf(
      graph,
      {index, node.xml.child("output").child("port").attribute("id").value()});
  if (Status ok = isTranspose ? readTranspose(graph, node, layer)
                              : readBlocked(node, layer);
      !ok)
    return ok;
  if (layer.order && layer.view && layer.outputShape && output->shape &&
      !llvm::equal(*layer.outputShape, *output->shape,
                   [](int64_t a, int64_t b) {
                     return a == b || a == dynamicDim || b == dynamicDim;
                   }))
    return failIn(node, Cause::BadSize,
                  "its output port says " + spellModelShape(output->shape) +
                      ", its input and order give " +
                      spellModelShape(layer.outputShape));
  model.layers.push_back(std::move(layer));
  return Done{};
}

Status IrReader::readTranspose(Graph &graph, const Node &node,
                               ModelLayer &layer) {
  auto found = findOrder(graph, node);
  if (!found)
    return found.error();
  layer.view = layer.inputShape;
  if (!found->axes) {
    layer.reason = found->reason;
    // Whatever the order is, the rank stays.
    if (!layer.outputShape && layer.inputShape)
      layer.outputShape = Dims(layer.inputShape->size(), dynamicDim);
    return Done{};
  }
  if (!layer.inputShape) {
    layer.reason = (atRunTime + " (the rank of the input is dynamic)").str();
    if (found->axes->empty()) // reverses as many as there will be
      return Done{};
    if (Status ok = checkPermutation(*found->axes,
                                     static_cast<int64_t>(found->axes->size()));
        !ok)
      return failIn(node, ok.error().cause, ok.error().message);
    layer.order = *found->axes;
    if (!layer.outputShape)
      layer.outputShape = Dims(found->axes->size(), dynamicDim);
    return Done{};
  }
  // The convention's rules are the Frontend's.
  PermuteSpec spec;
  spec.tensor = {*layer.inputShape, {"u8", 1}};
  spec.convention = Convention::OpenVINO;
  spec.order = llvm::join(
      llvm::map_range(*found->axes,
                      [](int64_t axis) { return std::to_string(axis); }),
      ",");
  auto resolved = resolveDynamic(spec);
  if (!resolved)
    return failIn(node, resolved.error().cause, resolved.error().message);
  layer.order = resolved->problem.perm();
  layer.outputShape = resolved->outShape;
  return Done{};
}

Status IrReader::readBlocked(const Node &node, ModelLayer &layer) const {
  if (!layer.inputShape) {
    layer.reason = (atRunTime + " (the rank of the input is dynamic)").str();
    return Done{};
  }
  Result<PermutedView> view = [&]() -> Result<PermutedView> {
    if (node.type == "ShuffleChannels") {
      auto axis = readInteger(node, "axis", 1);
      auto groups = readInteger(node, "group", 1);
      if (!axis)
        return axis.error();
      if (!groups)
        return groups.error();
      return shuffleChannels(*layer.inputShape, *axis, *groups);
    }
    auto block = readInteger(node, "block_size", 1);
    if (!block)
      return block.error();
    const StringRef mode = node.xml.child("data").attribute("mode").value();
    if (mode != "blocks_first" && mode != "depth_first")
      return Error{Cause::BadSyntax,
                   "the mode '" + mode.str() +
                       "'; expected blocks_first or depth_first"};
    const BlockOrder order = mode == "depth_first" ? BlockOrder::DepthFirst
                                                   : BlockOrder::BlocksFirst;
    return node.type == "DepthToSpace"
               ? depthToSpace(*layer.inputShape, *block, order)
               : spaceToDepth(*layer.inputShape, *block, order);
  }();
  if (!view)
    return StringRef(view.error().message).starts_with(model.path)
               ? view.error()
               : failIn(node, view.error().cause, view.error().message);
  layer.view = view->view;
  layer.order = view->order;
  layer.outputShape = view->outputShape;
  return Done{};
}

/// Layers that keep every byte where it is.
Status IrReader::readReshape(Graph &graph, size_t index) {
  const Node &node = graph.nodes[index];
  if (node.type != "Reshape" && node.type != "Squeeze" &&
      node.type != "Unsqueeze")
    return Done{};
  auto source = sourceOf(node, 0);
  if (!source)
    return source.error();
  auto input = readPort(graph, *source);
  if (!input)
    return input.error();
  auto output = readOutput(node);
  if (!output)
    return output.error();
  const StringRef port =
      node.xml.child("output").child("port").attribute("id").value();
  model.reshapes.push_back({graph.prefix + node.name.str(), input->shape,
                            output->shape, valueOf(graph, *source),
                            valueOf(graph, {index, port})});
  return Done{};
}

Result<FoundOrder> IrReader::findOrder(const Graph &graph, const Node &node) {
  auto source = sourceOf(node, 1);
  if (!source)
    return source.error();
  const Node *producer = &graph.nodes[source->node];
  // Without cycles this ends.
  while (producer->type == "Convert") {
    source = sourceOf(*producer, 0);
    if (!source)
      return source.error();
    producer = &graph.nodes[source->node];
  }
  if (producer->type == "Const")
    return readOrder(*producer);
  return FoundOrder{std::nullopt,
                    (atRunTime + " (the order comes from '" + producer->name +
                     "', a " + producer->type + ", and is no constant)")
                        .str()};
}

Result<FoundOrder> IrReader::readOrder(const Node &constant) {
  const pugi::xml_node data = constant.xml.child("data");
  auto offset = readInteger(constant, "offset"),
       size = readInteger(constant, "size");
  if (!offset)
    return offset.error();
  if (!size)
    return size.error();
  auto order =
      constants.readOrder(data.attribute("element_type").value(),
                          data.attribute("shape").value(), *offset, *size);
  if (!order)
    return failIn(constant, order.error().cause, order.error().message);
  return order;
}

Result<Model> permc::readOpenVINO(const std::string &path) {
  return IrReader(path).read();
}
