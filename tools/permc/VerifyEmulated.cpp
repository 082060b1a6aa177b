//===- VerifyEmulated.cpp - proof of kernels for other machines -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program that checks the kernels is C, kept in emulation/ and carried in
// permc itself. What was asked for is written out beside it as a table; so the
// check relies on nothing that made the kernels.
//
//===----------------------------------------------------------------------===//

#include "VerifyEmulated.h"

#include "RunProgram.h"

#include "permc/JIT/Verify.h"
#include "permc/Plan/CeilDiv.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;

namespace {

/// Of a tensor with dynamic dims: what takes a moment and fits all boards.
constexpr int64_t maxChosenBytes = 128 << 10;

/// What cortex_m.ld leaves for buffers. check.c takes three of one size: src,
/// dst, and what dst should be, each with lines beside it that are watched.
constexpr int64_t boardBytes = 2 << 20;
constexpr int64_t boardBuffers = 3, boardLine = 64,
                  watchedBytes = 4 * boardLine;

struct EmbeddedFile {
  const char *name, *text;
};

const EmbeddedFile programFiles[] = {
#include "EmulationFiles.inc"
};

using Words = std::vector<std::string>;

/// What makes and runs a program for a target. Debian's names.
struct Emulation {
  StringRef target;
  StringRef compiler, compilerPackage;
  Words flags;
  StringRef machine; ///< the file with its start-up code
  StringRef emulator, emulatorPackage;
  /// One run each; the program's name follows.
  std::vector<Words> runs;
  bool isBoard = false; ///< with boardBytes
};

Words sveOf(const char *bits) {
  return {"-cpu",
          "max,sve" + std::string(bits) + "=on,sve-default-vector-length=-1"};
}

Emulation cortexM(StringRef cpu, const char *board) {
  return {cpu,
          "arm-linux-gnueabihf-gcc",
          "gcc-arm-linux-gnueabihf",
          {"-mcpu=" + cpu.str(), "-mthumb", "-mfloat-abi=soft",
           "-ffreestanding", "-nostdlib", "-Wl,--build-id=none", "-T",
           "cortex_m.ld"},
          "cortex_m.c",
          "qemu-system-arm",
          "qemu-system-arm",
          {{"-M", board, "-nographic", "-semihosting-config",
            "enable=on,target=native", "-kernel"}},
          /*isBoard=*/true};
}

/// For machines that lack the level, or are no x86. qemu has no AVX-512.
Emulation x86(StringRef level, const char *cpu) {
  return {level,
          "x86_64-linux-gnu-gcc",
          "gcc-x86-64-linux-gnu",
          {},
          "linux.c",
          "qemu-x86_64",
          "qemu-user",
          {{"-cpu", cpu}}};
}

const std::vector<Emulation> &emulations() {
  static const std::vector<Emulation> list = {
      x86("x86-64", "qemu64"),
      x86("x86-64-v2", "Nehalem"),
      x86("x86-64-v3", "max"),
      {"aarch64",
       "aarch64-linux-gnu-gcc",
       "gcc-aarch64-linux-gnu",
       {},
       "linux.c",
       "qemu-aarch64",
       "qemu-user",
       {{"-cpu", "cortex-a57"}}},
      {"aarch64-sve",
       "aarch64-linux-gnu-gcc",
       "gcc-aarch64-linux-gnu",
       {"-march=armv8-a+sve"},
       "linux.c",
       "qemu-aarch64",
       "qemu-user",
       {sveOf("128"), sveOf("256"), sveOf("512"), sveOf("2048")}},
      {"armv7-neon",
       "arm-linux-gnueabihf-gcc",
       "gcc-arm-linux-gnueabihf",
       {},
       "linux.c",
       "qemu-arm",
       "qemu-user",
       {{"-cpu", "cortex-a15"}}},
      cortexM("cortex-m4", "mps2-an386"),
      cortexM("cortex-m55", "mps3-an547"),
  };
  return list;
}

const Emulation *findEmulation(const Target &target) {
  auto found = llvm::find_if(emulations(), [&](const Emulation &emulation) {
    return emulation.target == target.name;
  });
  return found == emulations().end() ? nullptr : &*found;
}

/// Whether a board has room for the buffers of a request: a kernel that was not
/// run must not look like a wrong one.
Status checkBoardMemory(const Request &request) {
  const int64_t larger =
      std::max(request.problem.srcSpan(), request.problem.dstSpan());
  const int64_t needed =
      boardBuffers * ceilDiv(larger + watchedBytes, boardLine) * boardLine;
  if (needed <= boardBytes)
    return Done{};
  return Error{Cause::Unsupported,
               "cannot verify " + request.name + ": its buffers need " +
                   std::to_string(needed) +
                   " bytes (src, dst and what dst should be); the emulated "
                   "board has " +
                   std::to_string(boardBytes)};
}

/// A folder that is gone, with all its files, when its scope ends.
class TemporaryFolder {
public:
  static Result<std::unique_ptr<TemporaryFolder>> create() {
    llvm::SmallString<128> path;
    if (auto error = llvm::sys::fs::createUniqueDirectory("permc", path))
      return Error{Cause::BadFile, "no temporary folder: " + error.message()};
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path));
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }

  std::string fileAt(StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }
  Status write(StringRef name, StringRef contents) const {
    std::error_code error;
    llvm::raw_fd_ostream stream(fileAt(name), error);
    stream << contents;
    stream.close();
    if (!error)
      error = stream.error();
    stream.clear_error();
    if (error)
      return Error{Cause::BadFile, fileAt(name) + ": " + error.message()};
    return Done{};
  }

private:
  explicit TemporaryFolder(StringRef path) : path(path) {}
  std::string path;
};

/// A list of numbers as C; a list must not be empty there.
std::string spellNumbers(const Dims &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += std::to_string(number) + ", ";
  return "(const int64_t[]){" + (text.empty() ? "0" : text) + "}";
}

/// What an entry of the list says of a problem, by output dim.
std::string spellProblem(const Problem &problem) {
  Dims src;
  for (int64_t axis : problem.perm())
    src.push_back(problem.srcByteStrides()[axis]);
  return std::to_string(problem.rank()) + ", " +
         std::to_string(problem.elementBytes()) + ", " +
         spellNumbers(problem.outShape()) + ", " + spellNumbers(src) + ", " +
         spellNumbers(problem.dstByteStrides());
}

/// Entries for a kernel with dynamic dims, one for each choice of them that an
/// emulated machine has room for.
Result<std::string> writeAskedDynamic(const Request &request) {
  auto decisions = Compiler::decideDynamic(request);
  if (!decisions)
    return decisions.error();
  const std::string &name = request.name;
  std::string text;
  size_t tooLarge = 0;
  for (const Dims &dims :
       chooseDims(*request.dynamic, decisions->variants, request.specialized)) {
    auto problem = request.dynamic->at(dims);
    if (!problem)
      return problem.error();
    if (problem->bytesMoved() > maxChosenBytes) {
      ++tooLarge;
      continue;
    }
    text += "    {\"" + name + "\", &" + name + "_info, 0, 0, " +
            spellProblem(*problem) + ", " + std::to_string(dims.size()) + ", " +
            spellNumbers(dims) + ", " + name + ", " + name + "_part},\n";
  }
  if (tooLarge > 0)
    llvm::errs() << request.name << ": not run with " << tooLarge
                 << " choices of its dims, which are over " << maxChosenBytes
                 << " bytes\n";
  return text;
}

/// What was asked for, as check.h declares it.
Result<std::string> writeAsked(const std::vector<Request> &requests) {
  std::string text = "#include \"kernels.h\"\n#include \"check.h\"\n\n"
                     "const struct asked asked[] = {\n";
  for (const Request &request : requests) {
    const std::string &name = request.name;
    if (!request.dynamic) {
      text += "    {\"" + name + "\", &" + name + "_info, " + name + ", " +
              name + "_part, " + spellProblem(request.problem) + "},\n";
      continue;
    }
    auto entries = writeAskedDynamic(request);
    if (!entries)
      return entries;
    text += *entries;
  }
  return text + "    {0}};\n";
}

/// The files of emulation/ that are headers, or of this name.
Status writeOwnFiles(const TemporaryFolder &folder, StringRef source,
                     std::vector<std::string> &toCompile) {
  for (const EmbeddedFile &file : programFiles) {
    const StringRef name = file.name;
    if (name.ends_with(".c") && name != source)
      continue;
    if (auto ok = folder.write(name, file.text); !ok)
      return ok;
    if (name.ends_with(".c"))
      toCompile.push_back(folder.fileAt(name));
  }
  return Done{};
}

/// Compiles and links `files` with the start-up code `machine`, if any, and
/// returns the folder with the program, which is called "check".
Result<std::unique_ptr<TemporaryFolder>>
buildProgram(StringRef compiler, const Words &flags, StringRef machine,
             const std::vector<ProgramFile> &files) {
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder;
  Words sources;
  if (auto ok = writeOwnFiles(**folder, machine, sources); !ok)
    return ok.error();
  for (const ProgramFile &file : files) {
    if (auto ok = (*folder)->write(file.name, file.contents); !ok)
      return ok.error();
    if (!StringRef(file.name).ends_with(".h"))
      sources.push_back((*folder)->fileAt(file.name));
  }
  Words arguments = {"-std=gnu99", "-I", (*folder)->fileAt("")};
  for (const std::string &flag : flags)
    arguments.push_back(flag == "cortex_m.ld" ? (*folder)->fileAt(flag) : flag);
  arguments.insert(arguments.end(), sources.begin(), sources.end());
  arguments.insert(arguments.end(), {"-o", (*folder)->fileAt("check")});
  if (auto printed = runProgram(compiler, arguments); !printed)
    return printed.error();
  return folder;
}

/// The program that checks kernels, without the machine's start-up code.
Result<std::vector<ProgramFile>>
writeProgram(const std::string &library, const std::vector<Request> &requests) {
  auto asked = writeAsked(requests);
  if (!asked)
    return asked.error();
  const EmbeddedFile *check =
      llvm::find_if(programFiles, [](const EmbeddedFile &file) {
        return StringRef(file.name) == "check.c";
      });
  return std::vector<ProgramFile>{
      {check->name, check->text},
      {"kernels.h", writeHeader(requests, "kernels")},
      {"asked.c", *asked},
      {"kernels.a", library}};
}

} // namespace

bool permc::canEmulate(const Target &target) {
  return findEmulation(target) != nullptr;
}

Status permc::checkEmulator(const Target &target) {
  const Emulation &emulation = *findEmulation(target);
  for (auto [program, package] :
       {std::pair(emulation.emulator, emulation.emulatorPackage),
        std::pair(emulation.compiler, emulation.compilerPackage)})
    if (auto found = findProgram(program, package); !found)
      return found.error();
  return Done{};
}

Result<std::string> permc::runEmulated(const Target &target,
                                       const std::vector<ProgramFile> &files) {
  const Emulation &emulation = *findEmulation(target);
  Words flags = {"-O2", "-static"};
  flags.insert(flags.end(), emulation.flags.begin(), emulation.flags.end());
  auto folder =
      buildProgram(emulation.compiler, flags, emulation.machine, files);
  if (!folder)
    return folder.error();
  std::string all;
  for (Words run : emulation.runs) {
    run.push_back((*folder)->fileAt("check"));
    auto printed = runProgram(emulation.emulator, run);
    if (!printed)
      return printed;
    all += "verifying with " + emulation.emulator.str() + ": " + *printed;
  }
  return all;
}

Result<std::string> permc::runSanitized(const std::vector<ProgramFile> &files) {
  // Not optimised: no access that is written is left out, and compilers take
  // an eighth of the time.
  auto folder = buildProgram(
      "cc",
      {"-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
      /*machine=*/"", files);
  if (!folder)
    return folder.error();
  return runProgram((*folder)->fileAt("check"), {});
}

Status permc::verifyEmulated(const std::string &library,
                             const std::vector<Request> &requests,
                             const Target &target) {
  if (auto ok = checkEmulator(target); !ok)
    return ok;
  for (const Request &request : requests) {
    if (request.dynamic)
      continue;
    if (auto ok = checkVerifyMemory(request.problem); !ok)
      return ok;
    if (findEmulation(target)->isBoard)
      if (auto ok = checkBoardMemory(request); !ok)
        return ok;
  }
  auto files = writeProgram(library, requests);
  if (!files)
    return files.error();
  auto printed = runEmulated(target, *files);
  if (!printed)
    return printed.error();
  llvm::errs() << *printed;
  return Done{};
}
