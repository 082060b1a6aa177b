//===- ModelHtml.cpp - the report on a network as a page ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file without scripts or anything to fetch: a summary, a bar for each
// layer, the longest first, and what can be left out. Names come from the
// model and are escaped.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "ModelReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;

static constexpr StringRef style = R"css(
:root { color-scheme: light dark; --ink: #1c2126; --soft: #5d6873;
  --paper: #fbfbf9; --line: #dfe3e6; --bar: #2f6f9f; --wait: #c98a2b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaec; --soft: #9aa5ae;
  --paper: #16191c; --line: #30363b; --bar: #5fa8dc; --wait: #e0ab57; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 64rem; margin: 2.5rem auto;
  padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { color: var(--soft); margin: .25rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.5rem 0; }
.facts div { color: var(--soft); }
.facts b { display: block; font-size: 1.35rem; color: var(--ink);
  font-variant-numeric: tabular-nums; }
.layer { border-top: 1px solid var(--line); padding: .6rem 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.what { color: var(--soft); font-size: .9em; overflow-wrap: anywhere; }
.row { display: flex; align-items: center; gap: .75rem; margin: .3rem 0; }
.track { flex: 1; height: .8rem; background: var(--line); border-radius: 3px;
  overflow: hidden; }
.bar { height: 100%; background: var(--bar); }
.time { width: 11rem; text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.tag { font-size: .8em; border: 1px solid currentColor; border-radius: 1em;
  padding: 0 .6em; margin-left: .5em; color: var(--soft); font-weight: 400; }
.tag.move { color: var(--bar); } .tag.unknown { color: var(--wait); }
)css";

static std::string escape(StringRef text) {
  // A page is UTF-8, whatever the model is.
  const std::string valid =
      llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printHTMLEscaped(valid, os);
  return escaped;
}

static std::string spellTime(double seconds) {
  const TimeUnit unit = unitFor(seconds);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f %s", seconds * unit.perSecond, unit.name);
  return text;
}

static std::string tagOf(const PlannedMove &move) {
  const StringRef name =
      move.moveClass ? StringRef(moveClassName(*move.moveClass)) : "unknown";
  return ("<span class=\"tag " + name + "\">" + name + "</span>").str();
}

/// The bar is as long as the layer's share of the longest.
static void printBar(llvm::raw_ostream &os, const ModelReport &report,
                     const PlannedMove &move, double longest) {
  const auto measured = report.measuredSeconds(move);
  const auto seconds = measured ? measured : move.predictedSeconds;
  const double share = seconds && longest > 0 ? 100 * *seconds / longest : 0;
  os << "<div class=\"row\"><div class=\"track\"><div class=\"bar\" style=\""
     << llvm::format("width:%.2f%%", share) << "\"></div></div>"
     << "<div class=\"time\">";
  if (!seconds)
    os << (move.moveClass && !move.bytes ? "depends on the call" : "not known");
  else if (*seconds == 0)
    os << "nothing to do";
  else
    os << spellTime(*seconds) << (measured ? "" : " predicted");
  os << "</div></div>";
}

static void printLayer(llvm::raw_ostream &os, const ModelReport &report,
                       size_t index, double longest) {
  const ModelLayer &layer = report.model.layers[index];
  const PlannedMove &move = report.plan.layers[index];
  os << "<div class=\"layer\"><div class=\"name\">" << escape(layer.name)
     << tagOf(move) << "</div>";
  printBar(os, report, move, longest);
  os << "<div class=\"what\">" << escape(layer.op) << " &middot; "
     << spellModelShape(layer.inputShape) << " " << layer.element << " by "
     << (layer.order ? spellList(*layer.order) : "an unknown order")
     << " &rarr; " << spellModelShape(layer.outputShape);
  if (move.bytes)
    os << " &middot; " << *move.bytes << " bytes";
  if (move.kernel)
    os << " &middot; kernel " << report.plan.kernels[*move.kernel].name;
  if (move.predictedSeconds && *move.predictedSeconds > 0)
    os << " &middot; predicted " << spellTime(*move.predictedSeconds);
  if (!layer.reason.empty())
    os << " &middot; " << escape(layer.reason);
  os << "</div></div>\n";
}

/// ": 7.1 us in place of 14.2 us", as far as these are known.
static std::string spellGain(const ModelReport &report,
                             const PlannedChain &chain) {
  auto secondsOf = [&](const PlannedMove &move) {
    auto measured = report.measuredSeconds(move);
    return measured ? measured : move.predictedSeconds;
  };
  PartialSum<double> apart;
  for (size_t layer : chain.layers)
    apart.add(secondsOf(report.plan.layers[layer]));
  const auto together = secondsOf(chain.move);
  if (!together || !apart.sum() || *apart.sum() == 0)
    return "";
  return " &middot; " + (*together == 0 ? "nothing" : spellTime(*together)) +
         " in place of " + spellTime(*apart.sum());
}

static void printChains(llvm::raw_ostream &os, const ModelReport &report) {
  if (report.plan.chains.empty())
    return;
  os << "<h2>In a row</h2><p>One kernel, or none, can replace these; the sums "
        "above "
        "count them so.</p>\n";
  for (const PlannedChain &chain : report.plan.chains) {
    os << "<div class=\"layer\"><div class=\"name\">";
    for (size_t layer : chain.layers)
      os << (layer == chain.layers.front() ? "" : " + ")
         << escape(report.model.layers[layer].name);
    os << tagOf(chain.move) << "</div><div class=\"what\">";
    if (chain.isRemovable())
      os << "removable: they undo each other";
    else
      os << spellModelShape(chain.view) << " by " << spellList(chain.order);
    if (chain.move.kernel && !chain.isRemovable())
      os << " &middot; kernel " << report.plan.kernels[*chain.move.kernel].name;
    os << spellGain(report, chain) << "</div></div>\n";
  }
}

/// "at least 3.2 us" where a step is not known, "unknown" where none is.
template <typename T, typename Spell>
static std::string spellSum(const PartialSum<T> &sum, Spell spell) {
  if (!sum.atLeast())
    return "unknown";
  return (sum.unknownTerms > 0 ? "at least " : "") + spell(sum.known);
}

static void printFacts(llvm::raw_ostream &os, const ModelReport &report) {
  const std::vector<ReportedStep> steps = listSteps(report);
  const ReportedTotal total = sumUp(steps, report);
  auto fact = [&](const std::string &value, const std::string &what) {
    os << "<div><b>" << value << "</b>" << what << "</div>";
  };
  os << "<div class=\"facts\">";
  fact(spellSum(total.seconds, spellTime),
       "a run, one thread" +
           (total.seconds.known > 0 ? ", " + spellOrigin(total) : ""));
  fact(spellSum(total.bytes, [](int64_t n) { return std::to_string(n); }),
       "bytes moved");
  fact(std::to_string(report.plan.layers.size()), "layers that permute");
  fact(std::to_string(llvm::count_if(report.plan.layers,
                                     [](const PlannedMove &move) {
                                       return move.moveClass == MoveClass::Move;
                                     })),
       "of them move bytes");
  fact(std::to_string(report.plan.kernels.size()), "kernels");
  os << "</div>\n";
  if (total.seconds.unknownTerms > 0)
    os << "<p>The time of " << total.seconds.unknownTerms << " of "
       << steps.size() << " steps is not known.</p>\n";
}

std::string permc::spellHtml(const ModelReport &report) {
  std::vector<size_t> order;
  double longest = 0;
  auto secondsOf = [&](size_t layer) {
    const PlannedMove &move = report.plan.layers[layer];
    auto measured = report.measuredSeconds(move);
    return measured ? *measured : move.predictedSeconds.value_or(0);
  };
  for (size_t i = 0; i < report.model.layers.size(); ++i) {
    order.push_back(i);
    longest = std::max(longest, secondsOf(i));
  }
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-secondsOf(a), a) < std::pair(-secondsOf(b), b);
  });

  const std::string title =
      escape(llvm::sys::path::filename(report.model.path));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << title << ": layout changes</title>\n<style>" << style
     << "</style></head><body>\n<h1>" << title << "</h1>\n<p>"
     << escape(report.model.format) << ", for " << escape(report.target)
     << ". What its layout changes cost, by permc.</p>\n";
  printFacts(os, report);
  os << "<h2>Layers, the longest first</h2>\n";
  for (size_t layer : order)
    printLayer(os, report, layer, longest);
  printChains(os, report);
  os << "</body></html>\n";
  return text;
}
