//===- ModelReport.cpp - what a network's layout changes cost -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report as JSON and as text, and the table in the header. A step that
// moves no bytes costs nothing: whoever runs the network leaves it out.
//
//===----------------------------------------------------------------------===//

#include "ModelReport.h"

#include "Measure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;
namespace json = llvm::json;

std::optional<double>
ModelReport::measuredSeconds(const PlannedMove &move) const {
  if (move.moveClass && move.moveClass != MoveClass::Move)
    return 0;
  return move.kernel && *move.kernel < measured.size() ? measured[*move.kernel]
                                                       : std::nullopt;
}

std::vector<ReportedStep> permc::listSteps(const ModelReport &report) {
  std::vector<bool> isChained(report.model.layers.size());
  std::vector<ReportedStep> steps;
  auto add = [&](const std::string &name, const PlannedMove &move) {
    auto seconds = report.measuredSeconds(move);
    steps.push_back({name, &move, seconds ? seconds : move.predictedSeconds});
  };
  for (const PlannedChain &chain : report.plan.chains) {
    std::string name;
    for (size_t layer : chain.layers) {
      isChained[layer] = true;
      name += (name.empty() ? "" : " + ") + report.model.layers[layer].name;
    }
    add(name, chain.move);
  }
  for (size_t i = 0; i < report.model.layers.size(); ++i)
    if (!isChained[i])
      add(report.model.layers[i].name, report.plan.layers[i]);
  llvm::sort(steps, [](const ReportedStep &a, const ReportedStep &b) {
    return std::pair(-a.seconds.value_or(0), std::string_view(a.name)) <
           std::pair(-b.seconds.value_or(0), std::string_view(b.name));
  });
  return steps;
}

ReportedTotal permc::sumUp(const std::vector<ReportedStep> &steps,
                           const ModelReport &report) {
  ReportedTotal total;
  for (const ReportedStep &step : steps) {
    const PlannedMove &move = *step.move;
    if (move.moveClass && move.moveClass != MoveClass::Move)
      continue;
    // Whether a byte moves is not known without an order.
    total.bytes.add(move.moveClass ? move.bytes : std::nullopt);
    total.predicted.add(move.predictedSeconds);
    total.measured.add(report.measuredSeconds(move));
    total.seconds.add(step.seconds);
  }
  return total;
}

std::string permc::spellOrigin(const ReportedTotal &total) {
  const size_t known = total.seconds.terms - total.seconds.unknownTerms,
               measured = total.measured.terms - total.measured.unknownTerms;
  return measured == 0       ? "predicted"
         : measured == known ? "measured"
                             : "predicted in part";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Names are any bytes in some formats.
static json::Value jsonText(StringRef text) {
  return json::isUTF8(text) ? json::Value(text.str())
                            : json::Value(json::fixUTF8(text));
}

static json::Value jsonShape(const ModelShape &shape) {
  if (!shape)
    return nullptr;
  json::Array list;
  for (int64_t size : *shape)
    list.push_back(size == dynamicDim ? json::Value(nullptr)
                                      : json::Value(size));
  return list;
}

static json::Value jsonNanoseconds(std::optional<double> seconds) {
  if (!seconds)
    return nullptr;
  return json::Value(*seconds * 1e9);
}

/// What layers and chains have in common.
static void addMove(json::Object &object, const PlannedMove &move,
                    const ModelReport &report) {
  object["class"] = move.moveClass ? json::Value(moveClassName(*move.moveClass))
                                   : json::Value(nullptr);
  object["kernel"] = move.kernel
                         ? json::Value(report.plan.kernels[*move.kernel].name)
                         : json::Value(nullptr);
  object["bytes"] = move.bytes ? json::Value(*move.bytes) : nullptr;
  object["predicted_ns"] = jsonNanoseconds(move.predictedSeconds);
  object["measured_ns"] = jsonNanoseconds(report.measuredSeconds(move));
}

static json::Value jsonLayer(size_t index, const ModelReport &report) {
  const ModelLayer &layer = report.model.layers[index];
  json::Object object;
  object["name"] = jsonText(layer.name);
  object["op"] = jsonText(layer.op);
  object["element"] =
      layer.element.empty() ? json::Value(nullptr) : json::Value(layer.element);
  object["input_shape"] = jsonShape(layer.inputShape);
  object["output_shape"] = jsonShape(layer.outputShape);
  object["order"] = jsonShape(layer.order);
  if (layer.view && layer.view != layer.inputShape)
    object["view_shape"] = jsonShape(layer.view);
  for (auto [key, strides] : {std::pair("input_strides", &layer.inStrides),
                              std::pair("output_strides", &layer.outStrides)})
    if (*strides)
      object[key] = jsonShape(*strides);
  if (!layer.reason.empty())
    object["reason"] = jsonText(layer.reason);
  if (const auto &reshaped = report.plan.reshaped[index])
    object["reshaped"] =
        json::Object{{"pattern", "Reshape-" + layer.op + "-Reshape"},
                     {"before", jsonText(reshaped->before)},
                     {"after", jsonText(reshaped->after)},
                     {"input_shape", jsonShape(reshaped->inputShape)},
                     {"output_shape", jsonShape(reshaped->outputShape)}};
  addMove(object, report.plan.layers[index], report);
  return object;
}

static json::Value jsonChain(const PlannedChain &chain,
                             const ModelReport &report) {
  json::Object object;
  json::Array names;
  for (size_t layer : chain.layers)
    names.push_back(jsonText(report.model.layers[layer].name));
  object["layers"] = std::move(names);
  object["input_shape"] =
      jsonShape(report.model.layers[chain.layers.front()].inputShape);
  object["output_shape"] =
      jsonShape(report.model.layers[chain.layers.back()].outputShape);
  object["view_shape"] = jsonShape(chain.view);
  object["order"] = jsonShape(chain.order);
  object["removable"] = chain.isRemovable();
  addMove(object, chain.move, report);
  return object;
}

/// A total, or null.
template <typename T> static json::Value jsonOrNull(std::optional<T> value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

/// The few steps that most of the known time goes to.
static json::Array jsonDominant(const std::vector<ReportedStep> &steps,
                                double all) {
  constexpr double most = 0.8;
  double sum = 0;
  json::Array dominant;
  for (const ReportedStep &step : steps) {
    if (!step.seconds || *step.seconds <= 0 || sum >= most * all)
      break;
    sum += *step.seconds;
    dominant.push_back(jsonText(step.name));
  }
  return dominant;
}

/// What all steps cost, null where one of them is not known, and what those
/// that are known cost.
static json::Value jsonTotal(const ModelReport &report) {
  const std::vector<ReportedStep> steps = listSteps(report);
  const ReportedTotal total = sumUp(steps, report);
  return json::Object{
      {"bytes", jsonOrNull(total.bytes.sum())},
      {"predicted_ns", jsonNanoseconds(total.predicted.sum())},
      {"measured_ns", jsonNanoseconds(total.measured.sum())},
      {"at_least",
       json::Object{
           {"bytes", jsonOrNull(total.bytes.atLeast())},
           {"predicted_ns", jsonNanoseconds(total.predicted.atLeast())},
           {"measured_ns", jsonNanoseconds(total.measured.atLeast())}}},
      {"steps_of_unknown_time",
       static_cast<int64_t>(total.seconds.unknownTerms)},
      {"dominant", jsonDominant(steps, total.seconds.known)}};
}

std::string permc::spellJson(const ModelReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Layer by layer: there may be a hundred thousand.
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("model",
                  jsonText(llvm::sys::path::filename(report.model.path)));
    out.attribute("format", report.model.format);
    out.attribute("target", report.target);
    out.attributeArray("layers", [&] {
      for (size_t i = 0; i < report.model.layers.size(); ++i)
        out.value(jsonLayer(i, report));
    });
    out.attributeArray("chains", [&] {
      for (const PlannedChain &chain : report.plan.chains)
        out.value(jsonChain(chain, report));
    });
    out.attributeArray("kernels", [&] {
      for (const Request &kernel : report.plan.kernels)
        out.value(kernel.name);
    });
    out.attribute("total", jsonTotal(report));
  });
  os << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string spellSeconds(double seconds) {
  if (seconds == 0)
    return "0";
  const TimeUnit unit = unitFor(seconds);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f %s", seconds * unit.perSecond, unit.name);
  return text;
}

/// ", predicted 1.5 us, measured 1.2 us".
static std::string spellTimes(const ModelReport &report,
                              const PlannedMove &move) {
  if (move.moveClass != MoveClass::Move)
    return "";
  std::string text;
  if (move.bytes)
    text += ", " + std::to_string(*move.bytes) + " bytes";
  if (move.predictedSeconds)
    text += ", predicted " + spellSeconds(*move.predictedSeconds);
  if (auto seconds = report.measuredSeconds(move))
    text += ", measured " + spellSeconds(*seconds);
  return text;
}

static std::string spellClass(const PlannedMove &move) {
  if (!move.moveClass)
    return "class not known";
  switch (*move.moveClass) {
  case MoveClass::Noop:
    return "noop: nothing to do";
  case MoveClass::Reshape:
    return "reshape: no byte moves";
  case MoveClass::Move:
    return "move";
  }
  return "move";
}

static void printLayer(llvm::raw_ostream &os, const ModelReport &report,
                       size_t index) {
  const ModelLayer &layer = report.model.layers[index];
  const PlannedMove &move = report.plan.layers[index];
  os << "  " << layer.name << "  (" << layer.op << ")\n    "
     << spellModelShape(layer.inputShape)
     << (layer.element.empty() ? "" : " " + layer.element) << " by "
     << (layer.order ? spellList(*layer.order) : "an unknown order");
  if (layer.view && layer.view != layer.inputShape)
    os << " of " << spellModelShape(layer.view);
  os << " gives " << spellModelShape(layer.outputShape) << "\n    ";
  if (const auto &reshaped = report.plan.reshaped[index])
    os << "between reshapes, from " << spellModelShape(reshaped->inputShape)
       << " to " << spellModelShape(reshaped->outputShape) << "\n    ";
  os << spellClass(move);
  if (move.kernel && move.moveClass == MoveClass::Move)
    os << ", kernel " << report.plan.kernels[*move.kernel].name;
  os << spellTimes(report, move)
     << (layer.reason.empty() ? "" : "\n    " + layer.reason) << "\n";
}

static void printChain(llvm::raw_ostream &os, const ModelReport &report,
                       const PlannedChain &chain) {
  os << "  ";
  for (size_t layer : chain.layers)
    os << (layer == chain.layers.front() ? "" : " + ")
       << report.model.layers[layer].name;
  os << "\n    ";
  if (chain.isRemovable()) {
    os << "removable: they undo each other\n";
    return;
  }
  os << "one permutation of " << spellModelShape(chain.view) << " by "
     << spellList(chain.order) << ": " << spellClass(chain.move);
  if (chain.move.kernel && chain.move.moveClass == MoveClass::Move)
    os << ", kernel " << report.plan.kernels[*chain.move.kernel].name;
  os << spellTimes(report, chain.move) << "\n";
}

/// What a run takes, or at least takes, and where most of it goes.
static void printTotal(llvm::raw_ostream &os, const ModelReport &report) {
  const std::vector<ReportedStep> steps = listSteps(report);
  const ReportedTotal total = sumUp(steps, report);
  const PartialSum<double> &seconds = total.seconds;
  os << "in all\n  ";
  if (seconds.terms == 0)
    os << "nothing: no byte moves";
  else if (!seconds.atLeast())
    os << "unknown";
  else
    os << (seconds.unknownTerms > 0 ? "at least " : "")
       << spellSeconds(seconds.known) << " a run, of one thread, "
       << spellOrigin(total);
  if (seconds.unknownTerms > 0)
    os << ": the time of " << seconds.unknownTerms << " of " << steps.size()
       << " steps is not known";
  os << "\n";
  if (!report.plan.chains.empty())
    os << "  layers in a row count as the one kernel, or none, that replaces "
          "them\n";
  constexpr size_t shown = 5;
  for (const ReportedStep &step : llvm::ArrayRef(steps).take_front(shown)) {
    if (!step.seconds || *step.seconds <= 0)
      continue;
    // There are shares of what is known only.
    if (seconds.unknownTerms == 0)
      os << llvm::format("  %5.1f %%  ", 100 * *step.seconds / seconds.known);
    else
      os << "  " << spellSeconds(*step.seconds) << "  ";
    os << step.name << "\n";
  }
}

std::string permc::spellText(const ModelReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "model\n  " << report.model.path << ", " << report.model.format
     << ", for " << report.target << "\n  " << report.model.layers.size()
     << " layers that permute, " << report.plan.kernels.size() << " kernels\n";
  if (!report.model.layers.empty())
    os << "layers\n";
  for (size_t i = 0; i < report.model.layers.size(); ++i)
    printLayer(os, report, i);
  if (!report.plan.chains.empty())
    os << "in a row\n";
  for (const PlannedChain &chain : report.plan.chains)
    printChain(os, report, chain);

  printTotal(os, report);
  return text;
}

//===----------------------------------------------------------------------===//
// The table in the header
//===----------------------------------------------------------------------===//

/// A C string of any bytes.
static std::string quoteForC(StringRef text) {
  std::string quoted = "\"";
  for (unsigned char c : text)
    if (c == '"' || c == '\\' || c == '?') // ?: no trigraphs
      quoted += std::string("\\") + static_cast<char>(c);
    else if (llvm::isPrint(static_cast<char>(c)))
      quoted += static_cast<char>(c);
    else
      llvm::raw_string_ostream(quoted) << llvm::format("\\%03o", unsigned(c));
  return quoted + "\"";
}

static std::string tableEntry(const ModelPlan &plan, const PlannedMove &move) {
  return (move.kernel ? "&" + plan.kernels[*move.kernel].name + "_info"
                      : std::string("0")) +
         (move.moveClass && *move.moveClass != MoveClass::Move ? ", 0}"
                                                               : ", 1}");
}

std::string permc::spellLayerTable(const Model &model, const ModelPlan &plan,
                                   const std::string &stem) {
  const std::string name = identifierFor(stem);
  std::string text =
      "#ifndef PERMC_MODEL_LAYER\n#define PERMC_MODEL_LAYER\n"
      "/* Layers of a model, from `first` to `last` in a row, and the kernel "
      "that does\n * what they do together. kernel is 0: use the run-time "
      "library. moves is 0: no\n * byte moves, the call can be left out (the "
      "kernel would copy). */\n"
      "typedef struct permc_model_layer {\n  const char *first, *last;\n"
      "  const permc_kernel *kernel;\n  int moves;\n} permc_model_layer;\n"
      "#endif\n\n"
      "/* Every layer of the model that permutes. */\n"
      "static inline const permc_model_layer *" +
      name +
      "_layers(uint32_t *count) {\n"
      "  static const permc_model_layer layers[] = {\n";
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const std::string layer = quoteForC(model.layers[i].name);
    text += "    {" + layer + ", " + layer + ", " +
            tableEntry(plan, plan.layers[i]) + ",\n";
  }
  text += "    {0, 0, 0, 0}\n  };\n  *count = " +
          std::to_string(model.layers.size()) + ";\n  return layers;\n}\n\n";
  text += "/* Rows of layers that one kernel can replace. */\n"
          "static inline const permc_model_layer *" +
          name +
          "_chains(uint32_t *count) {\n"
          "  static const permc_model_layer chains[] = {\n";
  for (const PlannedChain &chain : plan.chains)
    text += "    {" + quoteForC(model.layers[chain.layers.front()].name) +
            ", " + quoteForC(model.layers[chain.layers.back()].name) + ", " +
            tableEntry(plan, chain.move) + ",\n";
  return text + "    {0, 0, 0, 0}\n  };\n  *count = " +
         std::to_string(plan.chains.size()) + ";\n  return chains;\n}\n\n";
}
