//===- Compiler.cpp - from a request to an artifact -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/Compiler.h"

#include "Codegen.h"
#include "DiagnosticText.h"
#include "Pipeline.h"
#include "Seal.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/Legality.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Targets/TargetFamily.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

#include <optional>
#include <set>
#include <time.h>

using namespace permc;

namespace {

/// A context never forgets an attribute or a type, and every problem brings
/// some of its own (10 KiB or so). So it is replaced now and then.
constexpr unsigned compilesPerContext = 512;

/// The time that this thread has had a CPU. Compiling waits for nothing.
double threadMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

/// What takes the place of the chosen schedules.
struct WrittenSchedules {
  ScheduleAttr schedule;
  ScheduleAttr unaligned = {}; ///< null if that is left to Plan
};

} // namespace

struct Compiler::State {
  explicit State(Codegen codegen = {})
      : context(mlir::MLIRContext::Threading::DISABLED),
        codegen(std::move(codegen)) {
    mlir::DialectRegistry registry;
    registry.insert<PermcDialect, mlir::arith::ArithDialect,
                    mlir::cf::ControlFlowDialect, mlir::emitc::EmitCDialect,
                    mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                    mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> buildModule(const std::vector<Request> &);
  void buildDynamic(mlir::ImplicitLocOpBuilder &b, const Request &request);
  Result<ScheduleAttr> parseSchedule(const std::string &text,
                                     const std::string &what);
  Result<WrittenSchedules> readWritten(const Request &request,
                                       const Problem &problem);
  Status attachSchedules(mlir::ModuleOp module,
                         const std::vector<Request> &requests);
  Status runPasses(mlir::ModuleOp module, const std::vector<Request> &requests,
                   const std::string &stopAfter);
  Result<std::unique_ptr<llvm::Module>>
  translate(const std::vector<Request> &requests,
            llvm::LLVMContext &llvmContext);
  Result<std::unique_ptr<llvm::Module>>
  translateLevels(const std::vector<Request> &requests,
                  llvm::LLVMContext &llvmContext);
  Result<std::unique_ptr<llvm::Module>>
  toLLVM(const std::vector<Request> &requests, llvm::LLVMContext &llvmContext);
  Result<std::string> emitMLIR(const std::vector<Request> &requests,
                               const std::string &stopAfter);
  Result<std::string> emitMachineCode(const std::vector<Request> &requests,
                                      bool assembly);
  Result<std::string> emitLLVMIR(const std::vector<Request> &requests);
  Result<std::string> emitLibrary(const std::vector<Request> &requests,
                                  int64_t &text);

  Pipeline &pipelineFor(const Target &target);

  mlir::MLIRContext context;
  Codegen codegen;
  std::optional<Pipeline> pipeline; ///< of the target that was used last
  unsigned compiles = 0;
};

Compiler::Compiler() : state(std::make_unique<State>()) {}
Compiler::~Compiler() = default;
Compiler::Compiler(Compiler &&) noexcept = default;

/// One function for each request: its two buffers and what to do with them. The
/// module names the target, as permc-opt needs to go on with it.
mlir::OwningOpRef<mlir::ModuleOp>
Compiler::State::buildModule(const std::vector<Request> &requests) {
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(loc));
  PermcDialect::TargetAttrHelper(&context).setAttr(
      *module, mlir::StringAttr::get(&context, requests.front().target.name));
  mlir::ImplicitLocOpBuilder b(loc, &context);
  for (const Request &request : requests) {
    b.setInsertionPointToEnd(module->getBody());
    if (request.dynamic) {
      buildDynamic(b, request);
      continue;
    }
    auto buffer = [&](int64_t bytes) {
      return mlir::MemRefType::get({bytes}, b.getI8Type());
    };
    auto function = mlir::func::FuncOp::create(
        b, request.name,
        b.getFunctionType({buffer(request.problem.srcSpan()),
                           buffer(request.problem.dstSpan())},
                          {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    PermuteOp::create(b, function.getArgument(0), function.getArgument(1),
                      ProblemAttr::get(&context, request.problem));
    mlir::func::ReturnOp::create(b);
  }
  return module;
}

/// A function of two buffers and the dims. Those it calls for single shapes are
/// its own, under names that no C program can have.
void Compiler::State::buildDynamic(mlir::ImplicitLocOpBuilder &b,
                                   const Request &request) {
  auto anyBytes =
      mlir::MemRefType::get({mlir::ShapedType::kDynamic}, b.getI8Type());
  auto dims =
      mlir::MemRefType::get({mlir::ShapedType::kDynamic}, b.getI64Type());
  llvm::SmallVector<mlir::NamedAttribute> specialized;
  for (const Dims &sizes : request.specialized) {
    std::string name = request.name + "." + spellShape(sizes);
    specialized.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(sizes)));
    auto function = mlir::func::FuncOp::create(
        b, name, b.getFunctionType({anyBytes, anyBytes}, {}));
    function.setPrivate();
    PermcDialect::KernelAttrHelper(&context).setAttr(function, b.getUnitAttr());
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(function.addEntryBlock());
    PermuteOp::create(b, function.getArgument(0), function.getArgument(1),
                      ProblemAttr::get(&context, *request.dynamic->at(sizes)));
    mlir::func::ReturnOp::create(b);
  }
  auto function = mlir::func::FuncOp::create(
      b, request.name, b.getFunctionType({anyBytes, anyBytes, dims}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  auto permute = DynamicPermuteOp::create(
      b, function.getArgument(0), function.getArgument(1),
      function.getArgument(2),
      DynamicProblemAttr::get(&context, *request.dynamic));
  if (!specialized.empty())
    permute.setSpecializedAttr(b.getDictionaryAttr(specialized));
  mlir::func::ReturnOp::create(b);
}

/// `what` names the schedule in messages.
Result<ScheduleAttr> Compiler::State::parseSchedule(const std::string &text,
                                                    const std::string &what) {
  DiagnosticText diagnostics(context);
  auto schedule = llvm::dyn_cast_if_present<ScheduleAttr>(
      mlir::parseAttribute(text, &context));
  if (!schedule)
    return Error{Cause::BadSchedule, what + " could not be read: " +
                                         (diagnostics.str().empty()
                                              ? "expected #permc.schedule<...>"
                                              : diagnostics.str())};
  return schedule;
}

Request permc::makeRequest(std::string name, DynamicProblem problem,
                           std::string element, Target target,
                           std::vector<Dims> specialized) {
  Problem ones = problem.withOnes();
  return {std::move(name),
          std::move(ones),
          std::move(element),
          std::move(target),
          "",
          std::move(problem),
          std::move(specialized)};
}

std::vector<Request> Request::levels() const {
  Request level = *this;
  level.better.clear();
  std::vector<Request> list = {level};
  for (const Target &target : better) {
    level.target = target;
    list.push_back(level);
  }
  return list;
}

std::string Request::targetNames() const {
  std::string names = target.resolvedName();
  for (const Target &level : better)
    names += "," + level.name;
  return names;
}

Result<DynamicDecisions> Compiler::decideDynamic(const Request &request) {
  std::vector<DynamicStep> steps;
  DynamicProblem canonical =
      canonicalize(*request.dynamic, request.target.facts.foldLimit, &steps);
  DynamicProblem scheduled = unfold(canonical, maxElementBytes);
  if (!(scheduled == canonical))
    steps.push_back({"unfold", scheduled});
  auto variants = chooseVariants(scheduled, request.target.facts);
  if (!variants)
    return variants.error();
  return DynamicDecisions{std::move(steps), scheduled, std::move(*variants)};
}

/// Reads what someone wrote for the request, which is `problem` when schedules
/// are chosen, and checks that the target can carry it out.
Result<WrittenSchedules> Compiler::State::readWritten(const Request &request,
                                                      const Problem &problem) {
  auto read = [&](const std::string &text,
                  const std::string &what) -> Result<ScheduleAttr> {
    Result<ScheduleAttr> schedule = parseSchedule(text, what);
    if (!schedule)
      return schedule;
    Status ok =
        checkSchedule(problem, schedule->getValue(), request.target.facts,
                      "the target '" + request.target.name + "'");
    if (!ok)
      return Error{ok.error().cause,
                   what + " does not fit it: " + ok.error().message};
    return schedule;
  };
  auto schedule = read(request.schedule, "the schedule of " + request.name);
  if (!schedule)
    return schedule.error();
  if (request.unaligned.empty())
    return WrittenSchedules{*schedule};
  const std::string what = "the unaligned schedule of " + request.name;
  auto unaligned = read(request.unaligned, what);
  if (!unaligned)
    return unaligned.error();
  if (!streamsTiles(problem, schedule->getValue()))
    return Error{Cause::BadSchedule,
                 what + " would not be used: the schedule before it, which "
                        "does not stream tiles of whole lines, is the same "
                        "wherever dst begins; expected that one only"};
  if (Status ok = checkUnaligned(problem, unaligned->getValue()); !ok)
    return Error{ok.error().cause,
                 what + " does not fit it: " + ok.error().message};
  return WrittenSchedules{*schedule, *unaligned};
}

Result<Decisions> Compiler::decide(const Request &request) {
  if (request.dynamic)
    return Error{Cause::Unsupported, request.name + " has dynamic dims, " +
                                         spellShape(request.dynamic->shape()) +
                                         "; expected a static shape here"};
  std::vector<SimplifyStep> steps;
  Problem canonical =
      canonicalize(request.problem, request.target.facts.foldLimit, &steps);
  Problem scheduled = unfold(canonical, maxElementBytes);
  if (!(scheduled == canonical))
    steps.push_back({"unfold", scheduled});
  auto decideOn = [&](Schedule schedule) {
    auto unaligned = chooseUnaligned(scheduled, schedule, request.target.facts);
    return Decisions{std::move(steps), scheduled, std::move(schedule),
                     std::move(unaligned)};
  };
  if (request.schedule.empty()) {
    ExplainedSchedule chosen = explainSchedule(scheduled, request.target.facts);
    Decisions decisions = decideOn(std::move(chosen.schedule));
    decisions.reasons = std::move(chosen.reasons);
    return decisions;
  }
  auto written = state->readWritten(request, scheduled);
  if (!written)
    return written.error();
  Decisions decisions = decideOn(written->schedule.getValue());
  if (written->unaligned)
    decisions.unaligned = written->unaligned.getValue();
  return decisions;
}

/// A schedule is for the problem as it stands when schedules are chosen.
Status Compiler::State::attachSchedules(mlir::ModuleOp module,
                                        const std::vector<Request> &requests) {
  for (const Request &request : requests) {
    if (request.schedule.empty())
      continue;
    auto function = module.lookupSymbol<mlir::func::FuncOp>(request.name);
    auto op = *function.getOps<PermuteOp>().begin();
    auto written = readWritten(request, op.getProblem().getValue());
    if (!written)
      return written.error();
    op.setScheduleAttr(written->schedule);
    if (written->unaligned)
      op.setUnalignedAttr(written->unaligned);
  }
  return Done{};
}

Pipeline &Compiler::State::pipelineFor(const Target &target) {
  if (!pipeline || !pipeline->isFor(target))
    pipeline.emplace(context, target);
  return *pipeline;
}

Status Compiler::State::runPasses(mlir::ModuleOp module,
                                  const std::vector<Request> &requests,
                                  const std::string &stopAfter) {
  return pipelineFor(requests.front().target).run(module, stopAfter, [&] {
    return attachSchedules(module, requests);
  });
}

/// Whether all are for the same CPU, one.
static bool shareTarget(const std::vector<Request> &requests) {
  return llvm::all_of(requests, [&](const Request &request) {
    return request.better.empty() &&
           request.target.name == requests.front().target.name;
  });
}

/// Requests for one target, which is the first one's.
Result<std::unique_ptr<llvm::Module>>
Compiler::State::translate(const std::vector<Request> &requests,
                           llvm::LLVMContext &llvmContext) {
  const Target &target = requests.front().target;
  if (target.route != Target::Route::Object)
    return Error{Cause::Unsupported,
                 "the target " + target.name + " has no machine code route"};
  Result<Backend *> backend = codegen.backendFor(target);
  if (!backend)
    return backend.error();
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(requests);
  if (auto ok = runPasses(*module, requests, ""); !ok)
    return ok.error();
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(
      *module, llvmContext, requests.front().name,
      /*disableVerification=*/!PERMC_VERIFY_PASSES);
  if (!translated)
    return Error{Cause::Internal, "the kernel did not translate to LLVM IR"};
  (*backend)->prepare(*translated);
  return translated;
}

/// Each level of each request is made by itself, with the rules of its target,
/// and says in its functions which CPU they are for.
Result<std::unique_ptr<llvm::Module>>
Compiler::State::translateLevels(const std::vector<Request> &requests,
                                 llvm::LLVMContext &llvmContext) {
  std::unique_ptr<llvm::Module> whole;
  for (const Request &request : requests) {
    for (const Request &level : request.levels()) {
      auto module = translate({level}, llvmContext);
      if (!module)
        return module;
      fixTarget(**module, level.target);
      if (!request.better.empty())
        markLevel(**module, level);
      if (!whole)
        whole = std::move(*module);
      else if (llvm::Linker::linkModules(*whole, std::move(*module)))
        return Error{Cause::Internal, request.name + " for " +
                                          level.target.name +
                                          " could not be joined with the rest"};
    }
    if (!request.better.empty())
      if (auto ok = addDispatch(*whole, request); !ok)
        return ok.error();
  }
  return whole;
}

Result<std::unique_ptr<llvm::Module>>
Compiler::State::toLLVM(const std::vector<Request> &requests,
                        llvm::LLVMContext &llvmContext) {
  auto module = shareTarget(requests) ? translate(requests, llvmContext)
                                      : translateLevels(requests, llvmContext);
  if (module)
    for (const Request &request : requests)
      addKernelInfo(**module, request);
  return module;
}

Result<std::string>
Compiler::State::emitMLIR(const std::vector<Request> &requests,
                          const std::string &stopAfter) {
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(requests);
  if (auto ok = runPasses(*module, requests, stopAfter); !ok)
    return ok.error();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

Result<std::string>
Compiler::State::emitMachineCode(const std::vector<Request> &requests,
                                 bool assembly) {
  llvm::LLVMContext llvmContext;
  auto module = toLLVM(requests, llvmContext);
  if (!module)
    return module.error();
  Backend &backend = **codegen.backendFor(requests.front().target);
  if (assembly)
    return backend.emitAssembly(**module);
  addSeal(**module);
  Result<std::string> object = backend.emitObject(**module);
  if (object)
    if (Status ok = sealObject(*object); !ok)
      return ok.error();
  return object;
}

Result<std::string>
Compiler::State::emitLLVMIR(const std::vector<Request> &requests) {
  llvm::LLVMContext llvmContext;
  auto module = toLLVM(requests, llvmContext);
  if (!module)
    return module.error();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return text;
}

/// C's arithmetic here is of 32 bits.
static Status checkFitsC(const Request &request) {
  const Target &target = request.target;
  if (target.route != Target::Route::C)
    return Error{Cause::Unsupported,
                 "C needs a target that makes C source; the target '" +
                     target.name + "' makes objects"};
  int64_t span = std::max(request.problem.srcSpan(), request.problem.dstSpan());
  if (span > INT32_MAX)
    return Error{Cause::Unsupported,
                 request.name + " spans " + std::to_string(span) +
                     " bytes; the target '" + target.name + "' takes at most " +
                     std::to_string(INT32_MAX)};
  return Done{};
}

Result<std::string> Compiler::emitSource(const std::vector<Request> &requests,
                                         SourceForm form) {
  for (const Request &request : requests)
    if (auto ok = checkFitsC(request); !ok)
      return ok.error();
  mlir::OwningOpRef<mlir::ModuleOp> module = state->buildModule(requests);
  if (auto ok = state->runPasses(*module, requests, ""); !ok)
    return ok.error();
  std::vector<SourceKernel> kernels;
  for (const Request &request : requests) {
    Result<Decisions> decisions = decide(request);
    if (!decisions)
      return decisions.error();
    kernels.push_back({request.name, request.element, request.target,
                       request.problem, decisions->canonical,
                       decisions->schedule,
                       spellSchedule(decisions->schedule)});
  }
  return requests.front().target.code->writeSource(*module, kernels, form);
}

/// One member a kernel, so that a program links only what it calls.
Result<std::string>
Compiler::State::emitLibrary(const std::vector<Request> &requests,
                             int64_t &text) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const Request &request : requests) {
    Result<std::string> object = emitMachineCode({request}, false);
    if (!object)
      return object.error();
    text += textBytes(*object);
    members.emplace_back(request.name + ".o", std::move(*object));
  }
  return archive(members);
}

/// What can be wrong with a request for dynamic dims.
static Status checkDynamic(const Request &request) {
  if (!request.dynamic)
    return Done{};
  const std::string shape = spellShape(request.dynamic->shape());
  if (!request.schedule.empty())
    return Error{Cause::BadSchedule,
                 "a schedule for " + request.name + ", whose dims " + shape +
                     " are dynamic; expected none: it has one for each of its "
                     "variants"};
  if (request.target.route != Target::Route::Object)
    return Error{Cause::Unsupported,
                 request.name + " has dynamic dims, " + shape +
                     "; the target '" + request.target.name +
                     "' makes C, and takes static shapes only"};
  for (const Dims &sizes : request.specialized)
    if (auto problem = request.dynamic->at(sizes); !problem)
      return problem.error();
  auto decisions = Compiler::decideDynamic(request);
  return decisions ? Status(Done{}) : decisions.error();
}

/// On a 32-bit machine all offsets are of 32 bits, with a sign, and a loop may
/// count one of its steps past the end of its dim.
static Status checkFitsAddresses(const Request &request) {
  constexpr int64_t most = INT32_MAX - (64 << 10);
  const Problem &problem = request.problem;
  if (request.target.facts.pointerBits > 32 ||
      (problem.srcSpan() <= most && problem.dstSpan() <= most &&
       problem.srcSpan() + problem.dstSpan() <= UINT32_MAX))
    return Done{};
  return Error{Cause::Unsupported,
               request.name + " spans " + std::to_string(problem.srcSpan()) +
                   " bytes of src and " + std::to_string(problem.dstSpan()) +
                   " of dst; the target '" + request.target.name +
                   "' has 32-bit addresses and takes at most " +
                   std::to_string(most) + " of each, 4 GiB together"};
}

/// MLIR and C are made from all requests at once, by the rules of one target.
static bool isForOneTarget(Emit emit) {
  return emit == Emit::MLIR || emit == Emit::C || emit == Emit::MliC;
}

/// Requests that can share a file.
static Status checkRequests(const std::vector<Request> &requests, Emit emit) {
  if (requests.empty())
    return Error{Cause::BadSyntax, "no kernel to compile"};
  const Target &first = requests.front().target;
  std::set<std::string> names;
  for (const Request &request : requests) {
    if (isForOneTarget(emit) && !request.better.empty())
      return Error{Cause::Unsupported,
                   request.name + " is for " + request.targetNames() +
                       "; expected one target: only machine code and LLVM IR "
                       "have several"};
    if (request.target.triple != first.triple ||
        request.target.route != first.route ||
        (isForOneTarget(emit) && request.target.name != first.name))
      return Error{Cause::Unsupported, "kernels for " + first.name + " and " +
                                           request.target.name +
                                           " in one file"};
    if (request.problem.elementBytes() > UINT32_MAX)
      return Error{Cause::BadElement,
                   "elements of " +
                       std::to_string(request.problem.elementBytes()) +
                       " bytes in " + request.name + "; expected at most " +
                       std::to_string(UINT32_MAX)};
    if (auto ok = checkFitsAddresses(request); !ok)
      return ok;
    if (!names.insert(request.name).second)
      return Error{Cause::BadSyntax,
                   "two kernels have the name " + request.name};
    for (const Request &level : request.levels())
      if (auto ok = checkDynamic(level); !ok)
        return ok;
  }
  return Done{};
}

Result<Artifact> Compiler::compile(const std::vector<Request> &requests,
                                   Emit emit, const std::string &stopAfter) {
  const double start = threadMilliseconds();
  if (auto ok = checkRequests(requests, emit); !ok)
    return ok.error();
  if (!stopAfter.empty() && emit != Emit::MLIR)
    return Error{Cause::BadSyntax,
                 "stopping after a pass leaves MLIR; expected to emit that"};
  if (++state->compiles > compilesPerContext)
    state = std::make_unique<State>(std::move(state->codegen));
  Artifact artifact;
  Result<std::string> bytes = [&]() -> Result<std::string> {
    switch (emit) {
    case Emit::Object:
      return state->emitMachineCode(requests, /*assembly=*/false);
    case Emit::Assembly:
      return state->emitMachineCode(requests, /*assembly=*/true);
    case Emit::LLVMIR:
      return state->emitLLVMIR(requests);
    case Emit::MLIR:
      return state->emitMLIR(requests, stopAfter);
    case Emit::C:
      return emitSource(requests, SourceForm::Kernels);
    case Emit::MliC:
      return emitSource(requests, SourceForm::Mli);
    case Emit::Header:
      return writeHeader(requests, requests.front().name);
    case Emit::Library:
      return state->emitLibrary(requests, artifact.textBytes);
    }
    return Error{Cause::Internal, "unknown kind of output"};
  }();
  if (!bytes)
    return bytes.error();
  artifact.bytes = std::move(*bytes);
  if (emit == Emit::Object)
    artifact.textBytes = textBytes(artifact.bytes);
  artifact.milliseconds = threadMilliseconds() - start;
  return artifact;
}

std::string permc::spellSchedule(const Schedule &schedule) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<PermcDialect>();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << mlir::Attribute(ScheduleAttr::get(&context, schedule));
  return text;
}
