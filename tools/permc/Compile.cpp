//===- Compile.cpp - permc compile ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "ModelOptions.h"
#include "OutputFile.h"
#include "PermuteOptions.h"
#include "Tune.h"
#include "VerifyC.h"
#include "VerifyEmulated.h"

#include "permc/Frontend/Manifest.h"
#include "permc/JIT/Host.h"
#include "permc/JIT/Jit.h"
#include "permc/JIT/Verify.h"
#include "permc/Models/ReadModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

/// What can be written: how --emit names it, how its files end.
struct Kind {
  StringRef name, ending;
  Emit emit;
};

constexpr Kind kinds[] = {
    {"obj", ".o", Emit::Object},   {"asm", ".s", Emit::Assembly},
    {"llvm", ".ll", Emit::LLVMIR}, {"mlir", ".mlir", Emit::MLIR},
    {"c", ".c", Emit::C},          {"header", ".h", Emit::Header},
    {"lib", ".a", Emit::Library},
};

std::string listKinds() {
  std::string list;
  for (const Kind &kind : kinds)
    list += (list.empty() ? "" : ", ") + kind.name.str();
  return list;
}

/// A header's name for itself: that of the file, or of the first kernel where
/// there is no file.
std::string headerStem(const std::string &path,
                       const std::vector<Request> &requests) {
  return path == "-" ? requests.front().name
                     : llvm::sys::path::stem(path).str();
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
  Result<std::vector<Request>> makeRequests() const;
  Result<std::vector<Request>> readRequests() const;
  Result<std::string> makeContents(Compiler &compiler,
                                   const std::vector<Request> &requests,
                                   const std::string &path) const;
  Status write(std::vector<Request> requests, const std::string &path);
  Status verify(Compiler &compiler, const std::vector<Request> &requests) const;
  bool isOfModel() const {
    return permute.hasTensor() && isModelPath(permute.tensorText());
  }
  int runModel();
  Status writeModel(const CompiledModel &compiled);

  bool given(const cl::Option &option) const {
    return option.getNumOccurrences() != 0;
  }

  PermuteOptions permute;
  cl::OptionCategory outputs, code;
  cl::opt<std::string> output, emit, header, name, manifest, target, specialize,
      stopAfter, report;
  cl::opt<bool> verifies, tunes, mli;
  /// Set by run(), from --emit or the ending of -o.
  const Kind *kind = nullptr;
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
                    "header or lib")),
      header("header", cl::sub(subCommand()), cl::cat(outputs),
             cl::value_desc("FILE"), cl::desc("Write a C header as well")),
      name("name", cl::sub(subCommand()), cl::cat(code), cl::value_desc("NAME"),
           cl::desc("The kernel's symbol; by default one made of\n"
                    "TENSOR and ORDER")),
      manifest("manifest", cl::sub(subCommand()), cl::cat(code),
               cl::value_desc("FILE"),
               cl::desc("Compile all kernels of a YAML file in place\n"
                        "of one TENSOR")),
      target("target", cl::sub(subCommand()), cl::cat(code),
             cl::value_desc("TARGET"), cl::init("native"),
             cl::desc("The machine to compile for, as listed by\n"
                      "'permc targets'; native by default")),
      specialize("specialize", cl::sub(subCommand()), cl::cat(code),
                 cl::value_desc("SHAPE,..."),
                 cl::desc("Kernels of their own within this one for some\n"
                          "shapes of a TENSOR with '?'")),
      stopAfter("stop-after", cl::sub(subCommand()), cl::cat(outputs),
                cl::value_desc("PASS"),
                cl::desc("With --emit mlir: show the IR after PASS, such\n"
                         "as permc-fold")),
      report("report", cl::sub(subCommand()), cl::cat(outputs),
             cl::value_desc("FILE"), cl::desc(reportHelp)),
      verifies("verify", cl::sub(subCommand()), cl::cat(code),
               cl::desc("Prove that every element arrives before\n"
                        "writing anything")),
      tunes("tune", cl::sub(subCommand()), cl::cat(code), cl::desc(tuneHelp)),
      mli("mli", cl::sub(subCommand()), cl::cat(outputs),
          cl::desc("With --emit c: define embARC MLI's permute\n"
                   "functions by the kernels")) {}

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
  permc compile --manifest kernels.yaml -o libkernels.a --header kernels.h
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
  for (const cl::Option *option : {static_cast<const cl::Option *>(&name),
                                   static_cast<const cl::Option *>(&manifest),
                                   static_cast<const cl::Option *>(&specialize),
                                   static_cast<const cl::Option *>(&stopAfter),
                                   static_cast<const cl::Option *>(&tunes),
                                   static_cast<const cl::Option *>(&mli)})
    if (given(*option))
      return "--" + option->ArgStr.str() + hasAll;
  if (!given(output))
    return "the model '" + model + "' needs -o FILE, such as -o libkernels.a";
  if (given(report))
    if (auto made = findReportKind(report); !made)
      return made.error().message;
  return std::nullopt;
}

/// What is wrong with the command line as a whole.
std::optional<std::string> CompileCommand::findMisuse() const {
  if (isOfModel()) {
    if (auto misuse = findModelMisuse())
      return misuse;
  } else if (given(report)) {
    return "--report is for models: FILE.xml, FILE.onnx, FILE.mlir";
  } else if (given(manifest)) {
    if (permute.hasTensor())
      return "TENSOR and --manifest exclude each other";
    auto option = permute.firstGiven();
    if (option == "--schedule")
      return "--schedule has no meaning with --manifest: it is for one kernel, "
             "which is compiled by itself";
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
      return "--tune has no meaning with --manifest: it is for one kernel, "
             "which is compiled by itself";
    if (!given(output))
      return "--manifest needs -o FILE";
  } else {
    if (!permute.hasTensor())
      return "compile needs a TENSOR, such as 224x224x3xu8, or --manifest FILE";
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
           ".ll, .mlir, .c, .h or .a, or an --emit option";
  if (given(stopAfter) && kind->emit != Emit::MLIR)
    return "--stop-after needs --emit mlir; it was " + kind->name.str();
  if (mli && kind->emit != Emit::C)
    return "--mli needs --emit c; it was " + kind->name.str();
  if (mli && given(header))
    return "--mli and --header exclude each other: MLI's own header declares "
           "the functions";
  return std::nullopt;
}

/// However they are spelled, and whether they exist yet or not.
bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code unknown;
  auto real = [&](const std::string &path) {
    const auto absolute = std::filesystem::absolute(path, unknown);
    return std::filesystem::weakly_canonical(absolute, unknown);
  };
  return real(a) == real(b) && !unknown;
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

Result<std::vector<Request>> CompileCommand::readRequests() const {
  auto read = readManifest(manifest);
  if (!read)
    return read.error();
  // The command line is nearer to the user than the file.
  const bool fromFile = !given(target) && !read->target.empty();
  auto found = findTarget(fromFile ? read->target : target.getValue());
  if (!found && fromFile)
    return Error{found.error().cause, manifest + ":" +
                                          std::to_string(read->targetLine) +
                                          ": " + found.error().message};
  if (!found)
    return found.error();
  std::vector<Request> requests;
  for (const ManifestKernel &kernel : read->kernels) {
    const std::string &element = kernel.permute.tensor.element.name;
    if (kernel.permute.tensor.isDynamic()) {
      auto resolved = resolveDynamic(kernel.permute);
      if (!resolved)
        return resolved.error();
      requests.push_back(makeRequest(kernel.name, resolved->problem, element,
                                     *found, kernel.specialized));
      continue;
    }
    auto resolved = resolve(kernel.permute);
    if (!resolved)
      return resolved.error();
    requests.push_back({kernel.name, resolved->problem, element, *found, ""});
  }
  return requests;
}

Result<std::vector<Request>> CompileCommand::makeRequests() const {
  if (StringRef(target).contains(','))
    return Error{Cause::Unsupported,
                 "--target '" + target +
                     "' names several targets; expected one"};
  if (given(manifest))
    return readRequests();
  auto prepared = prepareAny(
      permute, target,
      given(name) ? std::optional<std::string>(name.getValue()) : std::nullopt);
  if (!prepared)
    return prepared.error();
  if (given(specialize)) {
    auto specialized =
        parseSpecializations(specialize.getValue(), prepared->spec.tensor);
    if (!specialized)
      return specialized.error();
    prepared->request.specialized = *specialized;
  }
  return std::vector<Request>{prepared->request};
}

/// Runs the kernel for many choices of its dims.
Status verifyDynamic(const Request &request, const permc_kernel &kernel) {
  auto decisions = Compiler::decideDynamic(request);
  if (!decisions)
    return decisions.error();
  const std::vector<Dims> choices =
      chooseDims(*request.dynamic, decisions->variants, request.specialized);
  auto report = verifyDynamicKernel(*request.dynamic, kernel, choices);
  if (!report)
    return report.error();
  llvm::errs() << "verified: " << request.name
               << " moves all elements right for " << choices.size()
               << " choices of its dims, in " << report->runs << " runs\n";
  return Done{};
}

Status CompileCommand::verify(Compiler &compiler,
                              const std::vector<Request> &requests) const {
  if (requests.front().target.route == Target::Route::C) {
    auto source = compiler.compile(requests, Emit::C);
    if (!source)
      return source.error();
    return verifyC(source->bytes, requests);
  }
  Status runsHere = checkRunsHere(requests.front().target);
  if (!runsHere && canEmulate(requests.front().target)) {
    auto library = compiler.compile(requests, Emit::Library);
    if (!library)
      return library.error();
    return verifyEmulated(library->bytes, requests);
  }
  if (!runsHere)
    return Error{runsHere.error().cause,
                 "cannot verify: " + runsHere.error().message};
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  for (const Request &request : requests) {
    auto object = compiler.compile({request}, Emit::Object);
    if (!object)
      return object.error();
    auto kernel = (*jit)->load(object->bytes, request.name);
    if (!kernel)
      return kernel.error();
    if (request.dynamic) {
      if (Status ok = verifyDynamic(request, kernel->describe()); !ok)
        return ok;
      continue;
    }
    auto report = verifyKernel(request.problem, kernel->describe());
    if (!report)
      return report.error();
    llvm::errs() << "verified: " << request.name << " moves all "
                 << report->elements << " elements right in " << report->runs
                 << " runs\n";
  }
  return Done{};
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
  return std::move(artifact->bytes);
}

/// Makes everything first and puts it in place last.
Status CompileCommand::write(std::vector<Request> requests,
                             const std::string &path) {
  Compiler compiler;
  if (tunes)
    if (auto found = tuneRequest(compiler, requests.front()); !found)
      return found.error();
  auto contents = makeContents(compiler, requests, path);
  if (!contents)
    return contents.error();
  if (verifies)
    if (Status ok = verify(compiler, requests); !ok)
      return ok;

  std::vector<OutputFile> files;
  auto add = [&](const std::string &path, const std::string &text) -> Status {
    auto file = OutputFile::create(path, text);
    if (!file)
      return file.error();
    files.push_back(std::move(*file));
    return Done{};
  };
  if (Status ok = add(path, *contents); !ok)
    return ok;
  if (given(header))
    if (Status ok =
            add(header, writeHeader(requests, headerStem(header, requests)));
        !ok)
      return ok;
  for (OutputFile &file : files)
    if (Status ok = file.commit(); !ok)
      return ok;
  return Done{};
}

/// Makes everything first and puts it in place last, as write() does.
Status CompileCommand::writeModel(const CompiledModel &compiled) {
  const std::vector<Request> &requests = compiled.plan.kernels;
  Compiler compiler;
  const bool isLibrary = kind->emit == Emit::Library;
  if (requests.empty() && !isLibrary)
    return Error{Cause::Unsupported,
                 compiled.model.path +
                     ": no layer gives a kernel; see 'permc explain'"};
  auto headerFor = [&](const std::string &path) {
    const std::string stem = llvm::sys::path::stem(path).str();
    return writeHeader(requests, stem,
                       spellLayerTable(compiled.model, compiled.plan, stem));
  };
  auto contents = isLibrary ? makeLibrary(requests, compiled.objects)
                  : kind->emit == Emit::Header
                      ? Result<std::string>(headerFor(output))
                      : makeContents(compiler, requests, output);
  if (!contents)
    return contents.error();
  if (verifies && !requests.empty())
    if (Status ok = verify(compiler, requests); !ok)
      return ok;

  std::vector<std::pair<std::string, std::string>> files = {
      {output, *contents}};
  if (given(header))
    files.emplace_back(header, headerFor(header));
  if (given(report))
    files.emplace_back(report, (*findReportKind(report))(reportOn(compiled)));
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

int CompileCommand::runModel() {
  auto target = findTarget(this->target.getValue());
  if (!target)
    return fail(target.error());
  if (Status ok =
          checkMakes(*target, *kind, given(emit) ? "" : output.getValue());
      !ok)
    return fail(ok.error());
  const std::pair<const cl::opt<std::string> *, const cl::opt<std::string> *>
      pairs[] = {{&output, &header}, {&output, &report}, {&header, &report}};
  for (auto [a, b] : pairs)
    if (given(*a) && given(*b) && isSameFile(a->getValue(), b->getValue()))
      return failUsage("'" + a->getValue() + "' and --" + b->ArgStr + " '" +
                       b->getValue() + "' are the same file; expected two");
  auto compiled = compileModel(permute.tensorText(), this->target);
  if (!compiled)
    return fail(compiled.error());
  if (Status ok = writeModel(*compiled); !ok)
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
  const Target &target = requests->front().target;
  if (target.route == Target::Route::C && !given(emit) && !given(output))
    kind = llvm::find_if(kinds,
                         [](const Kind &each) { return each.emit == Emit::C; });
  if (Status ok = checkMakes(target, *kind,
                             given(emit) ? std::string() : output.getValue());
      !ok)
    return fail(ok.error());
  const std::string path = given(output)
                               ? output.getValue()
                               : requests->front().name + kind->ending.str();
  if (given(header) && isSameFile(path, header))
    return failUsage("'" + path + "' and --header '" + header +
                     "' are the same file; expected two");
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
