//===- OnnxNewer.cpp - operators that libonnx is too old for --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxNewer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace permc;
using llvm::StringRef;

namespace {

/// libonnx has no operators of this domain, and so infers nothing.
constexpr const char *nobodysDomain = "permc.not-inferred";

/// How an operator is said in older words.
enum class Words {
  Same,
  LikeInput,  ///< the result has shape and type of the first input
  Broadcast,  ///< of all inputs together
  Reduction,  ///< the axes are the second input
  Quantized,  ///< the type is that of the zero point, or an attribute's
  Dequantized ///< the type is that of the scales
};

/// From the opset on that the second number says.
struct Newer {
  Words words;
  int64_t since;
};

Newer findNewer(StringRef op) {
  return llvm::StringSwitch<Newer>(op)
      .Cases({"Mish", "GroupNormalization"}, {Words::LikeInput, 18})
      .Case("Gelu", {Words::LikeInput, 20})
      .Cases({"RMSNormalization", "RotaryEmbedding"}, {Words::LikeInput, 23})
      .Case("Swish", {Words::LikeInput, 24})
      .Case("BitwiseNot", {Words::LikeInput, 18})
      .Cases({"BitwiseAnd", "BitwiseOr", "BitwiseXor"}, {Words::Broadcast, 18})
      .Cases({"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"},
             {Words::Reduction, 18})
      .Cases({"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
              "ReduceSumSquare"},
             {Words::Reduction, 18})
      .Case("QuantizeLinear", {Words::Quantized, 19})
      .Case("DequantizeLinear", {Words::Dequantized, 19})
      .Default({Words::Same, 0});
}

const onnx::AttributeProto *find(const onnx::NodeProto &node, StringRef name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool hasInput(const onnx::NodeProto &node, int place) {
  return place < node.input_size() && !node.input(place).empty();
}

bool isAllOnes(const onnx::AttributeProto *attribute) {
  return !attribute || llvm::all_of(attribute->ints(),
                                    [](int64_t each) { return each == 1; });
}

/// Whether a later definition has more to say, in this node, than the one that
/// libonnx has, so that it would infer something else.
bool saysMore(const onnx::NodeProto &node, int64_t opset) {
  const StringRef op = node.op_type();
  if (op == "Pad") // its axes
    return opset >= 18 && hasInput(node, 3);
  if (op == "Resize") {
    const onnx::AttributeProto *policy = find(node, "keep_aspect_ratio_policy");
    return opset >= 18 &&
           (find(node, "axes") || (policy && policy->s() != "stretch"));
  }
  if (op == "AveragePool")
    return opset >= 19 && !isAllOnes(find(node, "dilations"));
  if (op == "LpPool")
    return opset >= 18 &&
           (!isAllOnes(find(node, "dilations")) || find(node, "ceil_mode"));
  if (op == "DFT") // its axis has become an input
    return opset >= 20;
  return false;
}

void replace(onnx::NodeProto &node, const char *op, int inputs) {
  node.set_op_type(op);
  node.clear_attribute();
  while (node.input_size() > inputs)
    node.mutable_input()->RemoveLast();
  while (node.output_size() > 1)
    node.mutable_output()->RemoveLast();
}

void spellNode(onnx::NodeProto &node, int64_t opset) {
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    return;
  if (saysMore(node, opset)) {
    node.set_domain(nobodysDomain);
    return;
  }
  const Newer newer = findNewer(node.op_type());
  if (opset < newer.since || node.output_size() == 0 || !hasInput(node, 0))
    return;
  switch (newer.words) {
  case Words::Same:
    return;
  case Words::LikeInput:
    return replace(node, "Identity", 1);
  case Words::Broadcast:
    return replace(node, "Add", 2);
  case Words::Reduction: // ReduceSum takes the axes so since opset 13
    node.set_op_type("ReduceSum");
    return;
  case Words::Dequantized:
    return hasInput(node, 1) ? replace(node, "CastLike", 2)
                             : node.set_domain(nobodysDomain);
  case Words::Quantized:
    break;
  }
  const onnx::AttributeProto *given = find(node, "output_dtype");
  const int64_t type = given ? given->i() : 0;
  if (hasInput(node, 2)) {
    node.mutable_input()->SwapElements(1, 2);
    return replace(node, "CastLike", 2);
  }
  replace(node, "Cast", 1);
  onnx::AttributeProto &to = *node.add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(type != 0 ? type : onnx::TensorProto::UINT8);
}

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

void spellNodes(Nodes &nodes, int64_t opset) {
  for (onnx::NodeProto &node : nodes) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        spellNodes(*attribute.mutable_g()->mutable_node(), opset);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        spellNodes(*graph.mutable_node(), opset);
    }
    spellNode(node, opset);
  }
}

void restore(Nodes &spelled, const Nodes &original);

void restore(onnx::GraphProto &spelled, const onnx::GraphProto &original) {
  restore(*spelled.mutable_node(), original.node());
}

/// Inference neither adds nor drops nodes, nor graphs within them.
void restore(Nodes &spelled, const Nodes &original) {
  for (int i = 0; i < std::min(spelled.size(), original.size()); ++i) {
    onnx::NodeProto &node = spelled[i];
    if (node.op_type() != original[i].op_type() ||
        node.domain() != original[i].domain()) {
      node = original[i];
      continue;
    }
    for (int k = 0;
         k < std::min(node.attribute_size(), original[i].attribute_size());
         ++k) {
      onnx::AttributeProto &attribute = *node.mutable_attribute(k);
      const onnx::AttributeProto &given = original[i].attribute(k);
      if (attribute.has_g() && given.has_g())
        restore(*attribute.mutable_g(), given.g());
      for (int j = 0;
           j < std::min(attribute.graphs_size(), given.graphs_size()); ++j)
        restore(*attribute.mutable_graphs(j), given.graphs(j));
    }
  }
}

template <typename Imports> int64_t opsetOf(const Imports &imports) {
  int64_t opset = 0;
  for (const auto &import : imports)
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = std::max(opset, import.version());
  return opset;
}

/// `graph` has nodes and imports: a model, or a function.
template <typename Graph> void spell(Nodes &nodes, Graph &graph) {
  spellNodes(nodes, opsetOf(graph.opset_import()));
  auto &import = *graph.add_opset_import();
  import.set_domain(nobodysDomain);
  import.set_version(1);
}

} // namespace

void permc::useOlderWords(onnx::ModelProto &model) {
  spell(*model.mutable_graph()->mutable_node(), model);
  for (onnx::FunctionProto &function : *model.mutable_functions())
    spell(*function.mutable_node(), function);
}

void permc::restoreNodes(onnx::ModelProto &spelled,
                         const onnx::ModelProto &original) {
  restore(*spelled.mutable_graph(), original.graph());
  *spelled.mutable_functions() = original.functions();
  *spelled.mutable_opset_import() = original.opset_import();
}
