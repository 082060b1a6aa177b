//===- Compile.cpp - permc compile ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "DepFile.h"
#include "LinkShared.h"
#include "ModelOptions.h"
#include "OutputFile.h"
#include "PermuteOptions.h"
#include "Tune.h"
#include "VerifyRequests.h"

#include "permc/Frontend/Manifest.h"
#include "permc/Models/ReadModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

/// A static kernel is one for a dense tensor.
static Status checkSpecialized(const Request &request) {
  if (request.specialized.empty() || !request.dynamic ||
      request.dynamic->isDense())
    return Done{};
  return Error{Cause::Unsupported,
               "specialised shapes for " + request.name +
                   ", which has strides; expected a dense tensor"};
}

namespace {

/// What can be written: how --emit names it, how its files end, and what of the
/// compiler's it is; a shared library is linked from a static one.
struct Kind {
  StringRef name, ending;
  Emit emit;
  bool shared = false;
};

constexpr Kind kinds[] = {
    {"obj", ".o", Emit::Object},   {"asm", ".s", Emit::Assembly},
    {"llvm", ".ll", Emit::LLVMIR}, {"mlir", ".mlir", Emit::MLIR},
    {"c", ".c", Emit::C},          {"header", ".h", Emit::Header},
    {"lib", ".a", Emit::Library},  {"shared", ".so", Emit::Library, true},
};

std::string listKinds() {
  std::string list;
  for (const Kind &kind : kinds)
    list += (list.empty() ? "" : ", ") + kind.name.str();
  return list;
}

std::string listTargets() {
  std::string list;
  for (const Target &each : allTargets())
    list += (list.empty() ? "" : ", ") + each.name;
  return list;
}

/// A header's name for itself: that of the file, or of the first kernel where
/// there is no file.
std::string headerStem(const std::string &path,
                       const std::vector<Request> &requests) {
  return path == "-" ? requests.front().name
                     : llvm::sys::path::stem(path).str();
}

/// By which programs ask for a shared library.
std::string sonameOf(const std::string &path,
                     const std::vector<Request> &requests) {
  return path == "-" ? "lib" + requests.front().name + ".so"
                     : llvm::sys::path::filename(path).str();
}

/// Whether the target can make that kind of file; if not, what to ask for.
Status checkMakes(const Target &target, const Kind &kind,
                  const std::string &path) {
  const bool makesC = target.route == Target::Route::C;
  const std::string given =
      path.empty() ? "--emit " + kind.name.str() : "'" + path + "'";
  if (kind.emit == Emit::C && !makesC) {
    std::string others;
    for (const Target &other : allTargets())
      if (other.route == Target::Route::C)
        others += (others.empty() ? "" : ", ") + other.name;
    return Error{Cause::Unsupported,
                 given + " is C source, and the target '" + target.name +
                     "' makes objects; expected --target with one of " +
                     others};
  }
  if (makesC && (kind.emit == Emit::Object || kind.emit == Emit::Assembly ||
                 kind.emit == Emit::LLVMIR || kind.emit == Emit::Library))
    return Error{Cause::Unsupported,
                 given + " is machine code or LLVM IR, and the target '" +
                     target.name +
                     "' makes C source; expected -o FILE.c or --emit c"};
  return Done{};
}

class CompileCommand : public Command {
public:
  CompileCommand();
  StringRef examples() const override;
  int run() override;

private:
  std::optional<std::string> findMisuse() const;
  std::optional<std::string> findModelMisuse() const;
  Result<std::vector<Request>> makeRequests();
  Result<std::vector<Target>> targetsOf(const ManifestKernel &kernel) const;
  Result<Request> readRequest(const ManifestKernel &kernel);
  Result<std::vector<Request>> readRequests();
  Result<std::string> makeContents(Compiler &compiler,
                                   const std::vector<Request> &requests,
                                   const std::string &path) const;
  Status write(std::vector<Request> requests, const std::string &path);

  std::string depFilePath(const std::string &path) const;
  /// Where no manifest says otherwise.
  const std::string &givenTarget() const {
    return given(defaultTarget) && !given(target) ? defaultTarget : target;
  }
  Status checkProcessor(const std::vector<Request> &requests) const;
  bool isOfModel() const {
    return permute.hasTensor() && isModelPath(permute.tensorText());
  }
  int runModel();
  std::optional<std::string> givenName() const {
    return given(name) ? std::optional<std::string>(name.getValue())
                       : std::nullopt;
  }
  std::string headerOf(const CompiledModel &compiled,
                       const std::string &path) const;
  Result<std::string> makeModelContents(const CompiledModel &compiled) const;
  Status writeModel(const CompiledModel &compiled);
  Status commit(std::vector<std::pair<std::string, std::string>> files) const;

  void noteMachine() {
    if (permute.machine().isGiven())
      inputs.push_back(permute.machine().path());
  }

  bool given(const cl::Option &option) const {
    return option.getNumOccurrences() != 0;
  }

  PermuteOptions permute;
  cl::OptionCategory outputs, code;
  cl::opt<std::string> output, emit, header, name, manifest, target, specialize,
      stopAfter, depFile, linker, defaultTarget, processor;
  cl::list<std::string> reports;
  cl::opt<bool> verifies, tunes, mli, writesDepFile, checks;
  /// Set by run(), from --emit or the ending of -o.
  const Kind *kind = nullptr;
  /// The requests whose fastest schedule is to be found.
  std::vector<size_t> tuned;
  /// The files that were read.
  std::vector<std::string> inputs;
};

CompileCommand::CompileCommand()
    : Command("compile", "Compile kernels to objects, libraries or IR"),
      permute(subCommand()), outputs("Output options"), code("Code options"),
      output("o", cl::sub(subCommand()), cl::cat(outputs),
             cl::value_desc("FILE"),
             cl::desc("Write FILE (- for the standard output) instead\n"
                      "of NAME.o; its ending says what it is")),
      emit("emit", cl::sub(subCommand()), cl::cat(outputs),
           cl::value_desc("KIND"),
           cl::desc("Whatever the ending: obj, asm, llvm, mlir, c,\n"
                    "header, lib or shared")),
      header("header", cl::sub(subCommand()), cl::cat(outputs),
             cl::value_desc("FILE"), cl::desc("Write a C header as well")),
      name("name", cl::sub(subCommand()), cl::cat(code), cl::value_desc("NAME"),
           cl::desc("The kernel's symbol; by default one made of\n"
                    "TENSOR and ORDER. Of a model: what the names of\n"
                    "its kernels and tables begin with")),
      manifest("manifest", cl::sub(subCommand()), cl::cat(code),
               cl::value_desc("FILE"),
               cl::desc("Compile all kernels of a YAML file in place\n"
                        "of one TENSOR")),
      target("target", cl::sub(subCommand()), cl::cat(code),
             cl::value_desc("TARGET"), cl::init("native"),
             cl::desc("The machine to compile for, as listed by\n"
                      "'permc targets'; native by default. Several\n"
                      "levels of one, such as x86-64-v2,x86-64-v4, give\n"
                      "kernels that take the best that the CPU has")),
      specialize("specialize", cl::sub(subCommand()), cl::cat(code),
                 cl::value_desc("SHAPE,..."),
                 cl::desc("Kernels of their own within this one for some\n"
                          "shapes of a TENSOR with '?'")),
      stopAfter("stop-after", cl::sub(subCommand()), cl::cat(outputs),
                cl::value_desc("PASS"),
                cl::desc("With --emit mlir: show the IR after PASS, such\n"
                         "as permc-fold")),
      depFile("depfile", cl::sub(subCommand()), cl::cat(outputs),
              cl::value_desc("FILE"), cl::desc("Write that rule to FILE")),
      linker("linker", cl::sub(subCommand()), cl::cat(outputs),
             cl::value_desc("PROGRAM"),
             cl::desc("With --emit shared: the C compiler to link with")),
      defaultTarget("default-target", cl::sub(subCommand()), cl::cat(code),
                    cl::value_desc("TARGET"),
                    cl::desc("The target where neither --target nor the\n"
                             "manifest names one")),
      processor("processor", cl::sub(subCommand()), cl::cat(code),
                cl::value_desc("NAME"),
                cl::desc("Refuse code for other processors than NAME, such\n"
                         "as aarch64; C is for all")),
      reports("report", cl::sub(subCommand()), cl::cat(outputs),
              cl::value_desc("FILE"), cl::desc(reportHelp)),
      verifies("verify", cl::sub(subCommand()), cl::cat(code),
               cl::desc("Prove that every element arrives before\n"
                        "writing anything")),
      tunes("tune", cl::sub(subCommand()), cl::cat(code), cl::desc(tuneHelp)),
      mli("mli", cl::sub(subCommand()), cl::cat(outputs),
          cl::desc("With --emit c: define embARC MLI's permute\n"
                   "functions by the kernels")),
      writesDepFile("MD", cl::sub(subCommand()), cl::cat(outputs),
                    cl::desc("Write what was read as a rule for Make and\n"
                             "Ninja, beside FILE with the ending .d")),
      checks("check", cl::sub(subCommand()), cl::cat(outputs),
             cl::desc("Compile nothing; print each kernel, its targets,\n"
                      "and whether it would be an object or C")) {}

StringRef CompileCommand::examples() const {
  return R"(
TENSOR is 224x224x3xu8: sizes, then the type of an element. Types are u8 i8 u16
i16 f16 bf16 u32 i32 f32 u64 i64 f64 c64 c128 bool, and bytesN for elements of
N bytes. A size may be ?: then the kernel takes a third argument, an array of
the sizes in the place of each ?, in order.
In place of TENSOR and ORDER may stand a model, FILE.xml (OpenVINO IR),
FILE.onnx or FILE.mlir: all its layers that permute are compiled.

Examples:
  permc compile 224x224x3xu8 --perm 2,0,1 -o hwc_to_chw.o --header hwc_to_chw.h
  permc compile 8x512x12x64xf16 --perm 0,2,1,3 --target x86-64-v3 --verify
  permc compile 8192x8192xf32 --perm 1,0 --tune
  permc compile 64x64xf32 --perm 1,0 --emit asm -o -
  permc compile 64x64xf32 --perm 1,0 --emit mlir --stop-after permc-merge -o -
  permc compile --manifest kernels.yaml -o libkernels.a --header kernels.h -MD
  permc compile 64x64xf32 --perm 1,0 --target x86-64-v2,x86-64-v3 -o libt.so
  permc compile model.onnx -o libkernels.a --header kernels.h --report r.html
  permc compile '?x224x224x3xu8' --perm 0,3,1,2 --specialize 1x224x224x3
  permc compile 8x8x16xi8 --perm 2,0,1 --target arc-hs -o nhwc_to_nchw.c
  permc compile --manifest net.yaml --target arc-hs --mli -o permute_mli.c
  permc compile 64x64xu8 --perm 1,0 --target cortex-m4 --verify
)";
}

/// What is wrong with the command line of a model.
std::optional<std::string> CompileCommand::findModelMisuse() const {
  const std::string &model = permute.tensorText();
  const std::string hasAll = " has no meaning with the model '" + model +
                             "', which says what is permuted and how";
  if (auto option = permute.firstGiven())
    return *option + hasAll;
  for (const cl::Option *option : {static_cast<const cl::Option *>(&manifest),
                                   static_cast<const cl::Option *>(&specialize),
                                   static_cast<const cl::Option *>(&stopAfter),
                                   static_cast<const cl::Option *>(&tunes),
                                   static_cast<const cl::Option *>(&mli)})
    if (given(*option))
      return "--" + option->ArgStr.str() + hasAll;
  if (!given(output) && !checks)
    return "the model '" + model + "' needs -o FILE, such as -o libkernels.a";
  if (Status ok = checkReports(reports); !ok)
    return ok.error().message;
  return std::nullopt;
}

/// What is wrong with the command line as a whole.
std::optional<std::string> CompileCommand::findMisuse() const {
  if (isOfModel()) {
    if (auto misuse = findModelMisuse())
      return misuse;
  } else if (given(reports)) {
    return "--report is for models: FILE.xml, FILE.onnx, FILE.mlir";
  } else if (given(manifest)) {
    if (permute.hasTensor())
      return "TENSOR and --manifest exclude each other";
    auto option = permute.firstGiven();
    if (option)
      return *option + " has no meaning with --manifest: say it in the "
                       "manifest";
    if (given(name))
      return "--name has no meaning with --manifest: the manifest names the "
             "kernels";
    if (given(specialize))
      return "--specialize has no meaning with --manifest: say it in the "
             "manifest";
    if (given(tunes))
      return "--tune has no meaning with --manifest: say it in the manifest";
    if (!given(output) && !checks)
      return "--manifest needs -o FILE";
  } else {
    if (!permute.hasTensor())
      return "compile needs a TENSOR, such as 224x224x3xu8, or --manifest FILE";
    if (auto hint = permute.findFileInPlaceOfTensor())
      return hint;
    if (!permute.hasOrder())
      return "compile needs --perm ORDER, such as --perm 2,0,1";
  }
  if (tunes && permute.hasSchedule())
    return "--tune and --schedule exclude each other";
  if (tunes && kind && kind->emit == Emit::Header)
    return "--tune has no meaning with --emit header: it says nothing of "
           "schedules";
  if (given(emit) && !kind)
    return "unknown --emit '" + emit + "'; expected one of " + listKinds();
  if (!kind)
    return "the ending of '" + output +
           "' says nothing; expected .o, .s, "
           ".ll, .mlir, .c, .h, .a or .so, or an --emit option";
  if (given(stopAfter) && kind->emit != Emit::MLIR)
    return "--stop-after needs --emit mlir; it was " + kind->name.str();
  if (given(linker) && !kind->shared)
    return "--linker needs --emit shared; it was " + kind->name.str();
  if (writesDepFile && !given(depFile) && output == "-")
    return "-MD writes beside FILE, and -o is the standard output; expected "
           "--depfile FILE";
  if (mli && kind->emit != Emit::C)
    return "--mli needs --emit c; it was " + kind->name.str();
  if (mli && given(header))
    return "--mli and --header exclude each other: MLI's own header declares "
           "the functions";
  return std::nullopt;
}

/// From --emit, else from the file's ending; without either an object.
const Kind *chooseKind(const cl::opt<std::string> &emit,
                       const cl::opt<std::string> &output) {
  const bool byName = emit.getNumOccurrences() != 0;
  if (!byName && output.getNumOccurrences() == 0)
    return &kinds[0];
  const Kind *found = llvm::find_if(kinds, [&](const Kind &kind) {
    return byName ? kind.name == emit
                  : llvm::sys::path::extension(output) == kind.ending;
  });
  return found == std::end(kinds) ? nullptr : found;
}

/// Makes the request one for all of the targets; the first is its own.
void setLevels(Request &request, const std::vector<Target> &targets) {
  request.better.assign(targets.begin() + 1, targets.end());
}

/// The kernel's targets. The command line is nearer to the user than the file.
Result<std::vector<Target>>
CompileCommand::targetsOf(const ManifestKernel &kernel) const {
  if (given(target) || kernel.targets.text.empty())
    return permute.machine().findTargets(givenTarget());
  auto found = permute.machine().findTargets(kernel.targets.text);
  if (!found && !found.error().located)
    return errorAt(manifest, kernel.targets.place, found.error().cause,
                   found.error().message);
  return found;
}

/// One kernel of the manifest.
Result<Request> CompileCommand::readRequest(const ManifestKernel &kernel) {
  auto targets = targetsOf(kernel);
  if (!targets)
    return targets.error();
  for (const Placed &forOne : {kernel.schedule, kernel.tune})
    if (targets->size() > 1 && !forOne.text.empty())
      return errorAt(manifest, forOne.place, Cause::BadSchedule,
                     "kernel '" + kernel.name +
                         "' has several targets, and schedules are for one");
  auto prepared = prepareSpec(kernel.permute, targets->front(),
                              /*allowDynamic=*/true);
  if (!prepared)
    return prepared.error();
  Request &request = prepared->request;
  request.name = kernel.name;
  request.specialized = kernel.specialized;
  if (Status ok = checkSpecialized(request); !ok)
    return ok.error();
  setLevels(request, *targets);
  if (!kernel.schedule.text.empty()) {
    if (Status ok = addScheduleFile(kernel.schedule.text, request); !ok)
      return errorAt(manifest, kernel.schedule.place, ok.error().cause,
                     ok.error().message);
    inputs.push_back(kernel.schedule.text);
  }
  return request;
}

Result<std::vector<Request>> CompileCommand::readRequests() {
  auto read = readManifest(manifest);
  if (!read)
    return read.error();
  inputs.push_back(manifest);
  std::vector<Request> requests;
  for (const ManifestKernel &kernel : read->kernels) {
    auto request = readRequest(kernel);
    if (!request)
      return request.error();
    if (!kernel.tune.text.empty())
      tuned.push_back(requests.size());
    requests.push_back(std::move(*request));
  }
  return requests;
}

Result<std::vector<Request>> CompileCommand::makeRequests() {
  if (given(manifest))
    return readRequests();
  auto targets = permute.machine().findTargets(givenTarget());
  if (!targets)
    return targets.error();
  if (targets->size() > 1 && (tunes || permute.hasSchedule()))
    return Error{Cause::BadSchedule,
                 std::string(tunes ? "--tune" : "--schedule") +
                     " is for one target; '" + givenTarget() +
                     "' names several"};
  auto prepared = prepareAny(permute, targets->front().name, givenName());
  if (!prepared)
    return prepared.error();
  if (given(specialize)) {
    auto specialized =
        parseSpecializations(specialize.getValue(), prepared->spec.tensor);
    if (!specialized)
      return specialized.error();
    prepared->request.specialized = *specialized;
    if (Status ok = checkSpecialized(prepared->request); !ok)
      return ok.error();
  }
  setLevels(prepared->request, *targets);
  if (permute.hasSchedule())
    inputs.push_back(permute.scheduleFile());
  if (tunes)
    tuned.push_back(0);
  return std::vector<Request>{prepared->request};
}

Result<std::string>
CompileCommand::makeContents(Compiler &compiler,
                             const std::vector<Request> &requests,
                             const std::string &path) const {
  if (kind->emit == Emit::Header)
    return writeHeader(requests, headerStem(path, requests));
  auto artifact =
      compiler.compile(requests, mli ? Emit::MliC : kind->emit, stopAfter);
  if (!artifact)
    return artifact.error();
  if (kind->shared)
    return linkShared(artifact->bytes, requests, sonameOf(path, requests),
                      linker);
  return std::move(artifact->bytes);
}

/// Makes everything first and puts it in place last.
Status CompileCommand::write(std::vector<Request> requests,
                             const std::string &path) {
  Compiler compiler;
  for (size_t i : tuned)
    if (auto found = tuneRequest(compiler, requests[i]); !found)
      return found.error();
  auto contents = makeContents(compiler, requests, path);
  if (!contents)
    return contents.error();
  if (verifies)
    if (Status ok = verifyRequests(compiler, requests); !ok)
      return ok;

  std::vector<std::pair<std::string, std::string>> files = {
      {path, std::move(*contents)}};
  if (given(header))
    files.emplace_back(header,
                       writeHeader(requests, headerStem(header, requests)));
  return commit(std::move(files));
}

/// Puts files, the first of which is the output proper, and the rule that says
/// what they are made from, in place: all of them or none.
Status CompileCommand::commit(
    std::vector<std::pair<std::string, std::string>> files) const {
  if (writesDepFile || given(depFile)) {
    // A report may go to the standard output.
    std::vector<std::string> outputs = {files.front().first};
    for (const auto &[path, text] : llvm::drop_begin(files))
      if (path != "-")
        outputs.push_back(path);
    files.emplace_back(depFilePath(files.front().first),
                       spellDepFile(outputs, inputs));
  }
  std::vector<OutputFile> opened;
  for (const auto &[path, text] : files) {
    auto file = OutputFile::create(path, text);
    if (!file)
      return file.error();
    opened.push_back(std::move(*file));
  }
  for (OutputFile &file : opened)
    if (Status ok = file.commit(); !ok)
      return ok;
  return Done{};
}

/// --depfile, or as compilers do with -MD: FILE with another ending.
std::string CompileCommand::depFilePath(const std::string &path) const {
  if (given(depFile))
    return depFile;
  llvm::SmallString<128> name(path);
  llvm::sys::path::replace_extension(name, ".d");
  return name.str().str();
}

/// Builds say which machine they are for, so that a kernel for another is not
/// found out by the linker only.
Status
CompileCommand::checkProcessor(const std::vector<Request> &requests) const {
  if (!given(processor))
    return Done{};
  auto archOf = [](StringRef name) {
    const llvm::Triple triple(name.lower());
    // 32-bit ARM has two instruction sets, and kernels of either.
    return triple.isThumb() ? llvm::Triple::arm : triple.getArch();
  };
  for (const Request &request : requests)
    if (request.target.route == Target::Route::Object &&
        archOf(request.target.triple) != archOf(processor))
      return Error{Cause::UnknownTarget,
                   request.name + " is for " + request.targetNames() +
                       ", and what is built is for '" + processor +
                       "'; expected a target of that processor, or c99: " +
                       listTargets()};
  return Done{};
}

/// One line a kernel: its name, its targets, "object" or "c".
static int printCheck(const std::vector<Request> &requests) {
  for (const Request &request : requests)
    llvm::outs() << request.name << " "
                 << (request.target.name == "native" ? "native"
                                                     : request.targetNames())
                 << " "
                 << (request.target.route == Target::Route::C ? "c" : "object")
                 << "\n";
  return ExitSuccess;
}

/// With the table of the network's layers, which is called by --name or else
/// by the header's own name.
std::string CompileCommand::headerOf(const CompiledModel &compiled,
                                     const std::string &path) const {
  const std::string stem =
      given(name)
          ? name.getValue()
          : llvm::sys::path::stem(path == "-" ? compiled.model.path : path)
                .str();
  return writeHeader(compiled.plan.kernels, stem,
                     spellLayerTable(compiled.model, compiled.plan, stem));
}

/// A static library has an object of its own for each kernel; the other kinds
/// are of them all, and need one.
Result<std::string>
CompileCommand::makeModelContents(const CompiledModel &compiled) const {
  const std::vector<Request> &requests = compiled.plan.kernels;
  if (kind->emit == Emit::Header)
    return headerOf(compiled, output);
  const bool isArchive = kind->emit == Emit::Library && !kind->shared;
  if (requests.empty() && !isArchive)
    return Error{Cause::Unsupported,
                 compiled.model.path +
                     ": no layer gives a kernel; see 'permc explain'"};
  if (kind->emit == Emit::Library) {
    auto library = makeLibrary(requests, compiled.objects);
    if (!library || isArchive)
      return library;
    return linkShared(*library, requests, sonameOf(output, requests), linker);
  }
  Compiler compiler;
  return makeContents(compiler, requests, output);
}

/// Layers without a kernel that are more than a reshape, and why the first has
/// none: whoever links the library would miss them later.
static void warnOfLayers(const CompiledModel &compiled) {
  const std::vector<PlannedMove> &moves = compiled.plan.layers;
  size_t without = 0;
  const ModelLayer *first = nullptr;
  for (size_t i = 0; i < moves.size(); ++i) {
    const ModelLayer &layer = compiled.model.layers[i];
    if (moves[i].kernel || layer.reason.empty())
      continue;
    first = without++ == 0 ? &layer : first;
  }
  if (moves.empty())
    llvm::errs() << "permc: warning: " << compiled.model.path
                 << ": no layer permutes\n";
  if (first)
    llvm::errs() << "permc: warning: " << compiled.model.path << ": " << without
                 << " of " << moves.size() << " layers have no kernel, '"
                 << first->name << "' first: " << first->reason
                 << "; 'permc explain' lists them\n";
}

/// Makes everything first and puts it in place last, as write() does.
Status CompileCommand::writeModel(const CompiledModel &compiled) {
  Compiler compiler;
  auto contents = makeModelContents(compiled);
  if (!contents)
    return contents.error();
  if (verifies && !compiled.plan.kernels.empty())
    if (Status ok = verifyRequests(compiler, compiled.plan.kernels); !ok)
      return ok;
  std::vector<std::pair<std::string, std::string>> files = {
      {output, std::move(*contents)}};
  if (given(header))
    files.emplace_back(header, headerOf(compiled, header));
  if (given(reports))
    llvm::append_range(files, spellReports(reports, reportOn(compiled)));
  if (Status ok = commit(std::move(files)); !ok)
    return ok;
  warnOfLayers(compiled);
  return Done{};
}

int CompileCommand::runModel() {
  auto targets = permute.machine().findTargets(givenTarget());
  if (!targets)
    return fail(targets.error());
  auto planned = readPlannedModel(permute.tensorText(), *targets, givenName());
  if (!planned)
    return fail(planned.error());
  if (Status ok = checkProcessor(planned->plan.kernels); !ok)
    return fail(ok.error());
  if (checks)
    return printCheck(planned->plan.kernels);
  if (Status ok = checkMakes(planned->targets.front(), *kind,
                             given(emit) ? "" : output.getValue());
      !ok)
    return fail(ok.error());
  std::vector<NamedFile> files = {{"", output}};
  if (given(header))
    files.emplace_back("--header", header);
  for (const std::string &report : reports)
    files.emplace_back("--report", report);
  if (Status ok = checkFilesDiffer(files); !ok)
    return failUsage(ok.error().message);
  // What is made of them all at once needs no objects, unless they are
  // measured.
  if (kind->emit == Emit::Library || given(reports))
    if (Status ok = compileKernels(*planned); !ok)
      return fail(ok.error());
  inputs = planned->model.files;
  noteMachine();
  if (Status ok = writeModel(*planned); !ok)
    return fail(ok.error());
  return ExitSuccess;
}

int CompileCommand::run() {
  kind = chooseKind(emit, output);
  if (auto misuse = findMisuse())
    return failUsage(*misuse);
  if (isOfModel())
    return runModel();
  auto requests = makeRequests();
  if (!requests)
    return fail(requests.error());
  noteMachine();
  if (Status ok = checkProcessor(*requests); !ok)
    return fail(ok.error());
  if (checks)
    return printCheck(*requests);
  if (requests->front().target.route == Target::Route::C && !given(emit) &&
      !given(output))
    kind = llvm::find_if(kinds,
                         [](const Kind &each) { return each.emit == Emit::C; });
  for (const Request &request : *requests)
    if (Status ok = checkMakes(request.target, *kind,
                               given(emit) ? std::string() : output.getValue());
        !ok)
      return fail(ok.error());
  const std::string path = given(output)
                               ? output.getValue()
                               : requests->front().name + kind->ending.str();
  if (given(header))
    if (Status ok = checkFilesDiffer({{"", path}, {"--header", header}}); !ok)
      return failUsage(ok.error().message);
  if (Status ok = write(*requests, path); !ok)
    return fail(ok.error());
  if (!given(output))
    llvm::errs() << "wrote " << path << "\n";
  return ExitSuccess;
}

} // namespace

std::unique_ptr<Command> permc::makeCompileCommand() {
  return std::make_unique<CompileCommand>();
}
