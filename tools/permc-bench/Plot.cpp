//===- Plot.cpp - a run as a picture --------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases are rows, so that their names can be read; panels stand in columns. The
// scale is linear: half of memcpy's speed is half the way. Figures past its end
// are drawn at the end.
//
//===----------------------------------------------------------------------===//

#include "Plot.h"

#include "Summary.h"
#include "SvgWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace permc;
using namespace permc::bench;

namespace {

constexpr double labelWidth = 236, plotWidth = 250, columnGap = 36;
constexpr double columnWidth = labelWidth + plotWidth;
constexpr double margin = 28, titleHeight = 92;
constexpr double rowHeight = 15, panelHead = 50, panelFoot = 34;
constexpr double scaleEnd = 2.0; ///< times memcpy's speed
constexpr size_t maxColumns = 3;

constexpr const char *ink = "#202733", *faint = "#8a93a0", *grid = "#e4e8ee";
constexpr const char *permcColor = "#1261c9", *peerColor = "#e0731d",
                     *naiveColor = "#a3abb6", *recordedColor = "#2f9e6e";

std::string spell(double value, int digits = 2) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

/// The cases of a suite, best first.
struct Panel {
  SuiteSummary summary;
  std::vector<const CaseResult *> rows;

  double height() const {
    return panelHead + rowHeight * double(rows.size()) + panelFoot;
  }
};

std::vector<Panel> makePanels(const Report &report) {
  std::vector<Panel> panels;
  for (SuiteSummary &summary : summarize(report)) {
    Panel panel{std::move(summary), {}};
    for (const CaseResult &result : report.results)
      if (result.subject.suite == panel.summary.suite)
        panel.rows.push_back(&result);
    llvm::sort(panel.rows, [](const auto *a, const auto *b) {
      return *a->ratio(permcName) > *b->ratio(permcName);
    });
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// Where along the scale a figure lies.
double place(double ratio) {
  return labelWidth + plotWidth * std::min(ratio, scaleEnd) / scaleEnd;
}

class Plot {
public:
  explicit Plot(const Report &report) : report(report) {}
  std::string write();

private:
  void drawTitle();
  void drawLegend(double x, double y);
  void drawPanel(const Panel &panel, double x, double y);
  void drawScale(const Panel &panel, double x, double top, double bottom);
  void drawRow(const CaseResult &result, double x, double y);

  const Report &report;
  SvgWriter svg;
};

std::string Plot::write() {
  const std::vector<Panel> panels = makePanels(report);
  const size_t columns = std::clamp<size_t>(panels.size(), 1, maxColumns);
  // Each panel goes to the column that is shortest so far.
  std::array<double, maxColumns> bottoms;
  bottoms.fill(titleHeight);
  for (const Panel &panel : panels) {
    const auto shortest =
        std::min_element(bottoms.begin(), bottoms.begin() + columns);
    const auto column = double(shortest - bottoms.begin());
    drawPanel(panel, margin + column * (columnWidth + columnGap), *shortest);
    *shortest += panel.height();
  }
  drawTitle();
  return svg.finish(2 * margin + double(columns) * (columnWidth + columnGap) -
                        columnGap,
                    *std::max_element(bottoms.begin(), bottoms.end()) + 8);
}

void Plot::drawTitle() {
  svg.text(margin, 34, "Tensor permutations beside memcpy",
           {.size = 20, .color = ink, .bold = true});
  const Machine &machine = report.machine;
  const std::string threads = std::to_string(report.threads) +
                              (report.threads == 1 ? " thread" : " threads");
  svg.text(margin, 53,
           machine.cpu + ", " + threads + ", " + machine.date.substr(0, 10),
           {.size = 11, .color = faint});
  drawLegend(margin, 76);
}

void Plot::drawLegend(double x, double y) {
  auto entry = [&](auto draw, const std::string &name) {
    draw(x + 5, y - 4);
    svg.text(x + 15, y, name, {.size = 11, .color = ink});
    x += 38 + 5.6 * double(name.size()); // about as wide as the font
  };
  entry([&](double cx, double cy) { svg.dot(cx, cy, 4.5, permcColor); },
        "permc");
  entry([&](double cx, double cy) { svg.ring(cx, cy, 3.6, peerColor); },
        "best peer in this run");
  entry([&](double cx, double cy) { svg.dot(cx, cy, 2.4, naiveColor); },
        "naive loop");
  if (llvm::any_of(report.results, [](const CaseResult &one) {
        return one.subject.recorded.has_value();
      }))
    entry([&](double cx, double cy) { svg.tick(cx, cy, 4.5, recordedColor); },
          "best peer on record");
  entry(
      [&](double cx, double cy) {
        svg.line(cx, cy - 6, cx, cy + 6, permcColor, 1, "2 3");
      },
      "target for the mean");
}

void Plot::drawPanel(const Panel &panel, double x, double y) {
  const SuiteSummary &summary = panel.summary;
  svg.text(x, y + 22, summary.suite, {.size = 14, .color = ink, .bold = true});
  std::string means;
  const auto own = llvm::find(report.competitors, permcName);
  means = "mean " +
          spell(summary.means[size_t(own - report.competitors.begin())]->value);
  if (summary.bestPeer)
    means += ", best peer " + spell(summary.bestPeer->value);
  if (summary.recorded)
    means += ", on record " + spell(summary.recorded->value);
  svg.text(x + columnWidth, y + 22, means,
           {.size = 11, .color = ink, .anchor = "end"});
  const double top = y + panelHead;
  const double bottom = top + rowHeight * double(panel.rows.size());
  drawScale(panel, x, top, bottom);
  for (size_t i = 0; i < panel.rows.size(); ++i)
    drawRow(*panel.rows[i], x, top + rowHeight * (double(i) + 0.5));
}

void Plot::drawScale(const Panel &panel, double x, double top, double bottom) {
  for (double ratio : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    const double at = x + place(ratio);
    const bool isMemcpy = ratio == 1.0;
    svg.line(at, top - 4, at, bottom + 4, isMemcpy ? faint : grid,
             isMemcpy ? 1.4 : 1);
    svg.text(at, top - 9, isMemcpy ? "memcpy" : spell(ratio, 1),
             {.size = 10, .color = faint, .anchor = "middle"});
  }
  svg.text(x + labelWidth - 12, top - 9, "speed, as a multiple of memcpy's",
           {.size = 10, .color = faint, .anchor = "end"});
  if (panel.summary.target) {
    const double at = x + place(*panel.summary.target);
    svg.line(at, top - 4, at, bottom + 4, permcColor, 1, "2 3");
  }
}

void Plot::drawRow(const CaseResult &result, double x, double y) {
  const double own = *result.ratio(permcName);
  svg.text(x + labelWidth - 12, y + 3.5, result.subject.name,
           {.size = 10, .color = ink, .anchor = "end"});
  const auto best = result.bestPeer();
  if (best)
    svg.line(x + place(best->ratio), y, x + place(own), y,
             own >= best->ratio ? "#b9d2f3" : "#f3cfb1", 3);
  svg.dot(x + place(*result.ratio(naiveName)), y, 2.4, naiveColor);
  if (result.subject.recorded)
    svg.tick(x + place(result.subject.recorded->ratio), y, 4.5, recordedColor);
  if (best && best->name != naiveName)
    svg.ring(x + place(best->ratio), y, 3.6, peerColor);
  svg.dot(x + place(own), y, 4.5, permcColor);
}

} // namespace

std::string bench::writePlot(const Report &report) {
  return Plot(report).write();
}
