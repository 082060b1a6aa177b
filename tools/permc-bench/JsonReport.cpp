//===- JsonReport.cpp - a run as JSON -------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonReport.h"

#include "Summary.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using namespace permc::bench;
using llvm::json::OStream;

namespace {

void writeCompetitors(OStream &json, const CaseResult &result) {
  for (const Samples &samples : result.samples)
    json.attributeObject(samples.name, [&] {
      json.attribute("samples", int64_t(samples.seconds.size()));
      json.attribute("best_seconds", samples.best());
      json.attribute("median_seconds", samples.median());
      json.attribute("ratio", *result.ratio(samples.name));
      json.attribute("median_ratio", *result.medianRatio(samples.name));
    });
}

void writeCase(OStream &json, const CaseResult &result) {
  const Problem &problem = result.subject.problem;
  json.attribute("suite", result.subject.suite);
  json.attribute("case", result.subject.name);
  json.attribute("elem_bytes", problem.elementBytes());
  json.attribute("shape", llvm::json::Array(problem.shape()));
  json.attribute("perm", llvm::json::Array(problem.perm()));
  json.attribute("bytes", problem.bytesMoved());
  json.attribute("compile_ms", result.compileMilliseconds);
  json.attribute("text_bytes", result.textBytes);
  json.attribute("schedule", result.schedule);
  if (const auto &recorded = result.subject.recorded)
    json.attributeObject("recorded", [&] {
      json.attribute("peer", recorded->name);
      json.attribute("ratio", recorded->ratio);
    });
  json.attributeObject("competitors", [&] { writeCompetitors(json, result); });
  json.attribute("warnings", llvm::json::Array(result.warnings));
}

void writeMean(OStream &json, const std::string &name,
               const std::optional<GeometricMean> &mean) {
  if (mean)
    json.attributeObject(name, [&] {
      json.attribute("mean", mean->value);
      json.attribute("worst", mean->worst);
    });
}

void writeSuite(OStream &json, const SuiteSummary &summary,
                const std::vector<std::string> &competitors) {
  json.attribute("suite", summary.suite);
  json.attribute("cases", int64_t(summary.cases));
  if (summary.target)
    json.attribute("target", *summary.target);
  json.attributeObject("means", [&] {
    for (size_t i = 0; i < competitors.size(); ++i)
      writeMean(json, competitors[i], summary.means[i]);
    writeMean(json, "best_peer", summary.bestPeer);
    writeMean(json, "recorded", summary.recorded);
  });
}

void writeMachine(OStream &json, const Machine &machine) {
  json.attribute("cpu", machine.cpu);
  json.attribute("threads", machine.threads);
  json.attribute("caches", machine.caches);
  json.attribute("system", machine.system);
}

} // namespace

std::string bench::writeJson(const Report &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("date", report.machine.date);
    json.attributeObject("machine",
                         [&] { writeMachine(json, report.machine); });
    json.attribute("target", report.target);
    json.attribute("threads", report.threads);
    json.attribute("dst_offset", report.dstOffset);
    json.attribute("seconds_per_case", report.secondsPerCase);
    json.attribute("naive_compiler", report.naiveCompiler);
    json.attributeArray("suites", [&] {
      for (const SuiteSummary &summary : summarize(report))
        json.object([&] { writeSuite(json, summary, report.competitors); });
    });
    json.attributeArray("cases", [&] {
      for (const CaseResult &result : report.results)
        json.object([&] { writeCase(json, result); });
    });
  });
  stream << "\n";
  return text;
}
