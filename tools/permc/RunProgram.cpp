//===- RunProgram.cpp - other programs that permc calls -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>

using namespace permc;
using llvm::StringRef;

/// The program that runs now, or 0, and whether a signal has come for it.
static std::atomic<pid_t> running = 0;
static std::atomic<bool> interrupted = false;

/// Ends the program in place of permc, which then fails as it does otherwise:
/// nothing is left running, and temporary files and folders are removed.
static void interruptProgram() {
  interrupted = true;
  if (pid_t child = running)
    kill(child, SIGTERM);
}

/// Its exit code, or a negative number and `why` there is none.
static int execute(StringRef program, llvm::ArrayRef<StringRef> words,
                   llvm::ArrayRef<std::optional<StringRef>> redirects,
                   std::string &why) {
  llvm::sys::SetInterruptFunction(interruptProgram);
  bool failed = false;
  const llvm::sys::ProcessInfo child =
      llvm::sys::ExecuteNoWait(program, words, /*Env=*/std::nullopt, redirects,
                               /*MemoryLimit=*/0, &why, &failed);
  int code = -1;
  if (!failed) {
    running = child.Pid;
    if (interrupted) // before it was known which program to end
      interruptProgram();
    code =
        llvm::sys::Wait(child, /*SecondsToWait=*/std::nullopt, &why).ReturnCode;
    running = 0;
  }
  llvm::sys::SetInterruptFunction(nullptr);
  return code;
}

Result<TemporaryFile> TemporaryFile::create(StringRef suffix,
                                            StringRef contents) {
  llvm::SmallString<128> path;
  int descriptor;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("permc", suffix, descriptor, path))
    return Error{Cause::BadFile, "no temporary file: " + error.message()};
  TemporaryFile file(path);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (stream.has_error())
    return Error{Cause::BadFile, file.path() + ": " + stream.error().message()};
  return file;
}

Result<std::string> permc::findProgram(StringRef name, StringRef package,
                                       StringRef task) {
  if (auto program = llvm::sys::findProgramByName(name))
    return *program;
  std::string where = package.empty() ? "" : " (Debian: " + package.str() + ")";
  return Error{Cause::Unsupported,
               task.str() + ": " + name.str() + " is not on PATH" + where};
}

Result<std::string> permc::runProgram(StringRef name,
                                      std::vector<std::string> arguments,
                                      StringRef task) {
  auto program = findProgram(name, "", task);
  if (!program)
    return program.error();
  auto output = TemporaryFile::create("txt", "");
  if (!output)
    return output.error();
  std::vector<StringRef> words = {*program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {
      StringRef(""), StringRef(output->path()), StringRef(output->path())};
  std::string why;
  int code = execute(*program, words, redirects, why);
  if (interrupted)
    return Error{Cause::VerifyFailed,
                 task.str() + ": " + name.str() + " was interrupted"};
  auto text = llvm::MemoryBuffer::getFile(output->path());
  std::string printed = text ? (*text)->getBuffer().str() : "";
  if (code == 0)
    return printed;
  std::string said = StringRef(printed).rtrim().str();
  return Error{Cause::VerifyFailed,
               name.str() + " failed: " + (said.empty() ? why : said)};
}
