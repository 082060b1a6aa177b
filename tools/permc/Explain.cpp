//===- Explain.cpp - permc explain ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Measure.h"
#include "ModelOptions.h"
#include "OutputFile.h"
#include "PermuteOptions.h"
#include "ScheduleOrigin.h"
#include "Tune.h"

#include "permc/JIT/Host.h"
#include "permc/Models/ReadModel.h"
#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"
#include "permc/Plan/Split.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

std::string count(int64_t number, StringRef thing) {
  return (llvm::Twine(number) + " " + thing + (number == 1 ? "" : "s")).str();
}

/// "147.0 KiB" after a number of bytes that is hard to read.
std::string spellBytes(int64_t bytes) {
  static constexpr const char *units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::string text = count(bytes, "byte");
  if (bytes < 1024)
    return text;
  double size = double(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit)
    size /= 1024;
  llvm::raw_string_ostream(text)
      << llvm::format(" (%.1f %s)", size, units[unit]);
  return text;
}

/// What one line of the text is about, then the line.
llvm::raw_ostream &line(StringRef about) {
  return llvm::outs() << llvm::format("  %-10s ", about.str().c_str());
}

void printProblem(StringRef name, const Problem &problem) {
  line(name) << spellProblem(problem) << "\n";
}

/// "d1 by 8 (28 steps)": through dim 1, 8 elements at a time.
std::string spellLoop(const Schedule &schedule, unsigned place,
                      const Problem &canonical) {
  const Loop &loop = schedule.loops[place];
  const int64_t size = canonical.loopDims()[loop.dim].size;
  const int64_t steps = (size + loop.step - 1) / loop.step;
  return "d" + std::to_string(loop.dim) + " by " + std::to_string(loop.step) +
         " (" + count(steps, "step") + ")";
}

/// "d0 = 3, d1 = 224", in output order as the schedule has them.
std::string spellDims(const Problem &canonical) {
  const std::vector<LoopDim> dims = canonical.loopDims();
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i == 0 ? "d" : ", d") + std::to_string(i) + " = " +
            std::to_string(dims[i].size);
  return text.empty() ? "none" : text;
}

/// "up to 64, ranges of d0 that meet every 64 of it".
std::string spellSplit(const Split &split) {
  if (split.mostParts == 1)
    return "1, there is no line of the output at which two could meet";
  std::string dims = "d" + std::to_string(split.dim);
  if (split.outer && split.isRagged())
    return "up to " + std::to_string(split.mostParts) + ", ranges of d" +
           std::to_string(*split.outer) + ", with unaligned edges of " + dims;
  if (split.outer)
    dims = "d" + std::to_string(*split.outer) + " and " + dims;
  return "up to " + std::to_string(split.mostParts) + ", ranges of " + dims +
         " that meet every " + std::to_string(split.grain) + " of d" +
         std::to_string(split.dim) +
         (split.isRagged() ? ", with unaligned edges" : "");
}

/// Why the schedule is this one, as far as Plan tells.
void printReasons(const Schedule &schedule, const ScheduleReasons &reasons) {
  StringRef about = "why";
  const std::string kind = kernelName(schedule);
  for (auto [what, why] :
       {std::pair(StringRef(kind), &reasons.kind),
        std::pair(StringRef(schedule.streaming ? "non-temporal stores"
                                               : "ordinary stores"),
                  &reasons.stores),
        std::pair(StringRef("panels"), &reasons.panels)})
    if (!why->empty())
      line(std::exchange(about, "")) << what << ": " << *why << "\n";
}

/// "12.5 us: 8 of work, 3.2 of reading, 2.5 of writing, 1.2 of them at once".
std::string spellCost(const Cost &cost) {
  const double total = cost.total();
  const auto [scale, unit] = total < 1e3   ? std::pair(1.0, "ns")
                             : total < 1e6 ? std::pair(1e-3, "us")
                                           : std::pair(1e-6, "ms");
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.3g %s:", total * scale, unit);
  StringRef comma = "";
  for (auto [part, name] :
       {std::pair(cost.work, "work"), std::pair(cost.read, "reading"),
        std::pair(cost.write, "writing"), std::pair(cost.tlb, "TLB misses"),
        std::pair(cost.overlap, "these at the same time")})
    if (part * scale >= 0.005)
      os << std::exchange(comma, ",") << llvm::format(" %.3g of ", part * scale)
         << name;
  return text;
}

/// What the cost model says, and of which other schedule it says the least.
void printCosts(const Decisions &decisions, const TargetFacts &facts) {
  const Problem &problem = decisions.canonical;
  const auto own = cost(problem, decisions.schedule, facts, facts);
  if (!own)
    return;
  line("predicted") << spellCost(*own) << "\n";
  std::vector<Schedule> others = candidates(problem, facts);
  std::erase(others, decisions.schedule);
  others = leastCostFirst(problem, facts, std::move(others));
  if (others.empty())
    return;
  const Schedule &other = others.front();
  if (const auto its = cost(problem, other, facts, facts)) {
    line("another") << spellCost(*its)
                    << (its->total() < own->total()
                            ? "; by this model it would be faster, see --tune"
                            : "")
                    << "\n";
    line("") << spellSchedule(other) << "\n";
  }
}

/// C is cut along its first loop.
void printSchedule(const Decisions &decisions, const TargetFacts &facts,
                   bool makesC) {
  const Schedule &schedule = decisions.schedule;
  const Problem &canonical = decisions.canonical;
  const Schedule *unaligned =
      decisions.unaligned ? &*decisions.unaligned : nullptr;
  const auto &tiles = fieldsOf<micro::TileTranspose>(schedule);
  const auto &streams = fieldsOf<micro::Interleave>(schedule);
  line("kind") << kernelName(schedule) << "\n";
  line("dims") << spellDims(canonical) << "\n";
  line("tile") << spellShape(schedule.tile);
  if (!tiles.lastTile.empty())
    llvm::outs() << ", the last along each dim " << spellShape(tiles.lastTile);
  llvm::outs() << "\n";
  for (size_t i = 0; i < schedule.loops.size(); ++i)
    line(i == 0 ? "loops" : "")
        << spellLoop(schedule, i, canonical)
        << (i < schedule.unitLoops ? ", collapsed into one loop" : "") << "\n";
  line("parts") << spellSplit(makesC
                                  ? splitOutermost(canonical, schedule)
                                  : chooseSplit(canonical, schedule, unaligned))
                << "\n";
  line("moves") << (facts.vectorBytes > 0 ? "vectors of " : "words of up to ")
                << count(schedule.vectorBytes, "byte")
                << (isScalable(schedule) ? " or more" : "");
  if (pairAlignment(schedule) > 0)
    llvm::outs() << " where src and dst are aligned to "
                 << pairAlignment(schedule) << ", of "
                 << wordByWord(schedule).vectorBytes << " elsewhere";
  llvm::outs() << (movesVectorPairs(schedule) ? ", two at a time" : "");
  if (tiles.stepping > 0 && !tiles.vectorPairs)
    llvm::outs() << ", loaded " << tiles.stepping << " at a time";
  if (streams.tables > 0)
    llvm::outs() << ", put in order by tables of " << streams.tables;
  if (streams.vectorsPerLoad > 0)
    llvm::outs() << ", loaded " << streams.vectorsPerLoad << " at a time";
  if (streams.vectorsPerStore > 0)
    llvm::outs() << ", stored " << streams.vectorsPerStore << " at a time";
  llvm::outs() << (schedule.streaming ? ", by non-temporal stores" : "")
               << (schedule.panel && schedule.panel->wholeLines
                       ? " in whole lines"
                       : "");
  if (schedule.prefetch.srcBytes > 0)
    llvm::outs() << ", prefetched " << count(schedule.prefetch.srcBytes, "byte")
                 << " ahead" << (schedule.prefetch.toL2 ? " to L2" : "");
  if (schedule.panel && schedule.panel->prefetchBytes > 0)
    llvm::outs() << ", panels prefetched "
                 << count(schedule.panel->prefetchBytes, "byte") << " ahead";
  if (schedule.prefetch.dstBytes > 0)
    llvm::outs() << ", dst prefetched "
                 << count(schedule.prefetch.dstBytes, "byte") << " ahead";
  llvm::outs() << "\n";
  printReasons(schedule, decisions.reasons);
  line("as text") << spellSchedule(schedule) << "\n";
  if (unaligned)
    line("unaligned") << spellSchedule(*unaligned) << "\n";
  printCosts(decisions, facts);
}

void printProblem(StringRef name, const DynamicProblem &problem) {
  line(name) << llvm::format("%-24s %-20s ",
                             spellShape(problem.shape()).c_str(),
                             spellList(problem.perm()).c_str())
             << "elements of " << count(problem.elementBytes(), "byte") << "\n";
}

/// "?0 >= 16 and ?1 >= 8".
std::string spellGuards(const Variant &variant) {
  std::string text;
  for (const Guard &guard : variant.guards)
    text += (text.empty() ? "" : " and ") + spellGuard(guard);
  if (variant.dstStartsLine)
    text += (text.empty() ? "" : " and ") + std::string("dst starts a line");
  return text.empty() ? "otherwise" : text;
}

void printVariants(const DynamicDecisions &decisions) {
  std::string dims;
  for (const DynamicSize &size : decisions.canonical.outShape())
    dims += (dims.empty()
                 ? "d0 = "
                 : ", d" + std::to_string(llvm::count(dims, '=')) + " = ") +
            spellSize(size);
  line("dims") << (dims.empty() ? "none" : dims) << "\n";
  for (const Variant &variant : decisions.variants) {
    line("if") << spellGuards(variant) << "\n";
    line("as text") << spellSchedule(variant.schedule) << "\n";
  }
}

class ExplainCommand : public Command {
public:
  ExplainCommand()
      : Command("explain", "Show what is decided for a permutation"),
        permute(subCommand()), code("Code options"),
        target("target", cl::sub(subCommand()), cl::cat(code),
               cl::value_desc("TARGET"), cl::init("native"),
               cl::desc("The machine to compile for; native by default")),
        tunes("tune", cl::sub(subCommand()), cl::cat(code), cl::desc(tuneHelp)),
        reports("report", cl::sub(subCommand()), cl::cat(code),
                cl::value_desc("FILE"), cl::desc(reportHelp)),
        name("name", cl::sub(subCommand()), cl::cat(code),
             cl::value_desc("NAME"),
             cl::desc("Of a model: what the names of its kernels begin\n"
                      "with, as for compile")) {}

  StringRef examples() const override {
    return R"(
TENSOR is 224x224x3xu8: sizes, then the type of an element, one of those that
'permc compile --help' lists.
Shows the simpler problems the permutation was reduced to, the schedule (dims in
output order) and why it was chosen, the size of the code, and its speed if this
machine can run it.
The line 'as text' can be changed and handed back with --schedule FILE, as can
what --tune finds.
Of a model, FILE.xml (OpenVINO IR), FILE.onnx or FILE.mlir, it shows the layers
that permute and what they cost.

Examples:
  permc explain 1x224x224x3xu8 --perm 0,3,1,2
  permc explain 4096x4096xf32 --perm 1,0 --target x86-64-v2
  permc explain 301x403x5xf32 --perm 1,0,2 --tune > tuned.schedule
  permc explain model.onnx --report report.html
)";
  }

  int run() override {
    if (permute.hasTensor() && isModelPath(permute.tensorText()))
      return explainModel();
    if (reports.getNumOccurrences() != 0 || name.getNumOccurrences() != 0)
      return failUsage("--" +
                       (reports.empty() ? name.ArgStr : reports.ArgStr).str() +
                       " is for models, such as FILE.xml");
    if (auto hint = permute.findFileInPlaceOfTensor())
      return failUsage(*hint);
    if (!permute.hasTensor() || !permute.hasOrder())
      return failUsage("explain needs TENSOR and --perm ORDER, such as "
                       "224x224x3xu8 --perm 2,0,1");
    if (tunes && permute.hasSchedule())
      return failUsage("--tune and --schedule exclude each other");
    auto prepared = prepareAny(permute, target);
    if (!prepared)
      return fail(prepared.error());
    auto jit = Jit::create();
    if (!jit)
      return fail(jit.error());
    Request &request = prepared->request;
    Compiler compiler;
    std::string tuned;
    if (tunes) {
      auto found = tuneRequest(compiler, request);
      if (!found)
        return fail(found.error());
      tuned = *found;
    }
    if (request.dynamic)
      return explainDynamic(compiler, *prepared);
    auto decisions = compiler.decide(request);
    if (!decisions)
      return fail(decisions.error());
    if (tunes && !request.schedule.empty())
      decisions->reasons.kind = tuned;
    const bool makesC = request.target.route == Target::Route::C;
    auto made = compiler.compile({request}, makesC ? Emit::C : Emit::Object);
    if (!made)
      return fail(made.error());

    printGiven(*prepared);
    printSimplification(request.problem, *decisions);
    llvm::outs() << "schedule for " << spellTarget(request.target) << "\n";
    printMachine();
    printSchedule(*decisions, request.target.facts, makesC);
    llvm::outs() << "code\n";
    if (makesC) {
      line("size") << count(made->bytes.size(), "byte") << " of C\n";
      return ExitSuccess;
    }
    line("size") << count(made->textBytes, "byte")
                 << llvm::format(", compiled in %.1f ms\n", made->milliseconds);
    line("speed") << spellSpeed(**jit, request, made->bytes) << "\n";
    return ExitSuccess;
  }

private:
  int explainModel() {
    if (auto option = permute.firstGiven())
      return failUsage(*option + " has no meaning with a model, which says "
                                 "what is permuted and how");
    if (tunes)
      return failUsage("--tune has no meaning with a model: it is for one "
                       "kernel, which is explained by itself");
    std::vector<NamedFile> named;
    for (const std::string &report : reports)
      named.emplace_back("--report", report);
    for (const Status &ok : {checkReports(reports), checkFilesDiffer(named)})
      if (!ok)
        return failUsage(ok.error().message);
    auto targets = permute.machine().findTargets(target);
    if (!targets)
      return fail(targets.error());
    auto compiled =
        readPlannedModel(permute.tensorText(), *targets,
                         name.getNumOccurrences() != 0
                             ? std::optional<std::string>(name.getValue())
                             : std::nullopt);
    if (!compiled)
      return fail(compiled.error());
    if (Status ok = compileKernels(*compiled); !ok)
      return fail(ok.error());
    const ModelReport made = reportOn(*compiled);
    if (reports.empty()) {
      llvm::outs() << spellText(made);
      return ExitSuccess;
    }
    std::vector<OutputFile> files;
    for (const auto &[path, text] : spellReports(reports, made)) {
      auto file = OutputFile::create(path, text);
      if (!file)
        return fail(file.error());
      files.push_back(std::move(*file));
    }
    for (OutputFile &file : files)
      if (Status ok = file.commit(); !ok)
        return fail(ok.error());
    return ExitSuccess;
  }

  int explainDynamic(Compiler &compiler, const PreparedPermute &prepared) {
    const Request &request = prepared.request;
    auto made = compiler.compile({request}, Emit::Object);
    if (!made)
      return fail(made.error());
    auto decisions = Compiler::decideDynamic(request);
    if (!decisions)
      return fail(decisions.error());
    printTensors(prepared);
    line("moves") << spellSize(request.dynamic->bytesMoved()) << " bytes\n";
    line("class") << moveClassName(classify(*request.dynamic)) << "\n";
    llvm::outs() << "simplification\n";
    printProblem("row-major", *request.dynamic);
    for (const DynamicStep &step : decisions->steps)
      printProblem(step.name, step.after);
    llvm::outs() << "schedules for " << spellTarget(request.target) << "\n";
    printMachine();
    printVariants(*decisions);
    llvm::outs() << "code\n";
    line("size") << count(made->textBytes, "byte")
                 << llvm::format(", compiled in %.1f ms\n", made->milliseconds);
    return ExitSuccess;
  }

  void printTensors(const PreparedPermute &prepared) const {
    llvm::outs() << "permutation\n";
    line("given") << permute.tensorText() << " by " << permute.orderText()
                  << "\n";
    line("result") << spellTensor(
                          {prepared.outShape, prepared.spec.tensor.element})
                   << "\n";
  }

  void printMachine() const {
    if (permute.machine().isGiven())
      line("machine") << permute.machine().path() << "\n";
  }

  void printGiven(const PreparedPermute &prepared) const {
    const Problem &problem = prepared.request.problem;
    printTensors(prepared);
    line("moves") << spellBytes(problem.bytesMoved()) << "\n";
    line("class") << moveClassName(classify(problem)) << "\n";
  }

  void printSimplification(const Problem &problem,
                           const Decisions &decisions) const {
    llvm::outs() << "simplification\n";
    printProblem("row-major", problem);
    if (!problem.isDense())
      line("strides") << spellStrides(problem) << "\n";
    for (const SimplifyStep &step : decisions.steps)
      printProblem(step.name, step.after);
  }

  /// The measured speed, or why there is none.
  std::string spellSpeed(Jit &jit, const Request &request,
                         const std::string &object) const {
    if (Status ok = checkRunsHere(request.target); !ok)
      return "not measured: " + ok.error().message;
    auto kernel = jit.load(object, request.name);
    if (!kernel)
      return "not measured: " + kernel.error().message;
    auto timings = measure(request.problem, *kernel);
    if (!timings)
      return timings.error().message;
    const int64_t bytes = request.problem.bytesMoved();
    const Timing &own = (*timings)[0], &copy = (*timings)[1];
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(
        "%.2f %s, %.1f GB/s, %.2f times that of memcpy (%.1f GB/s)",
        own.best * unitFor(own).perSecond, unitFor(own).name,
        own.gigabytesPerSecond(bytes), copy.best / own.best,
        copy.gigabytesPerSecond(bytes));
    return text;
  }

  PermuteOptions permute;
  cl::OptionCategory code;
  cl::opt<std::string> target;
  cl::opt<bool> tunes;
  cl::list<std::string> reports;
  cl::opt<std::string> name;
};

} // namespace

std::unique_ptr<Command> permc::makeExplainCommand() {
  return std::make_unique<ExplainCommand>();
}
