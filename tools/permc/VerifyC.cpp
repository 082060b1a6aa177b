//===- VerifyC.cpp - proof of kernels that are C --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyC.h"

#include "permc/JIT/Verify.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace permc;
using llvm::StringRef;

namespace {

/// A file that is gone when its scope ends.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(StringRef suffix, StringRef contents) {
    llvm::SmallString<128> path;
    int descriptor;
    if (auto error = llvm::sys::fs::createTemporaryFile("permc", suffix,
                                                        descriptor, path))
      return Error{Cause::BadFile, "no temporary file: " + error.message()};
    TemporaryFile file(path);
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << contents;
    stream.close();
    if (stream.has_error())
      return Error{Cause::BadFile,
                   file.path() + ": " + stream.error().message()};
    return file;
  }
  const std::string &path() const { return name; }

private:
  explicit TemporaryFile(StringRef path)
      : name(path.str()),
        remover(std::make_unique<llvm::FileRemover>(llvm::Twine(name))) {}

  std::string name;
  std::unique_ptr<llvm::FileRemover> remover;
};

/// Runs a program. What it prints goes to the standard error stream, or becomes
/// the error if it fails.
Status runProgram(StringRef name, std::vector<std::string> arguments) {
  auto program = llvm::sys::findProgramByName(name);
  if (!program)
    return Error{Cause::Unsupported,
                 "cannot verify: " + name.str() + " is not on PATH"};
  auto output = TemporaryFile::create("txt", "");
  if (!output)
    return output.error();
  std::vector<StringRef> words = {*program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {
      StringRef(""), StringRef(output->path()), StringRef(output->path())};
  std::string why;
  int code = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, redirects,
                                       0, 0, &why);
  auto text = llvm::MemoryBuffer::getFile(output->path());
  std::string printed = text ? (*text)->getBuffer().str() : "";
  if (code == 0) {
    llvm::errs() << printed;
    return Done{};
  }
  std::string said = StringRef(printed).rtrim().str();
  return Error{Cause::VerifyFailed,
               name.str() + " failed: " + (said.empty() ? why : said)};
}

llvm::json::Value toJson(const Request &request) {
  const Problem &problem = request.problem;
  return llvm::json::Object{
      {"name", request.name},
      {"element", problem.elementBytes()},
      {"shape", llvm::json::Array(problem.shape())},
      {"perm", llvm::json::Array(problem.perm())},
      {"src_strides", llvm::json::Array(problem.srcByteStrides())},
      {"dst_strides", llvm::json::Array(problem.dstByteStrides())}};
}

Status interpret(const std::string &source,
                 const std::vector<Request> &requests) {
  llvm::json::Array problems;
  for (const Request &request : requests)
    problems.push_back(toJson(request));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(problems));
  auto code = TemporaryFile::create("c", source);
  if (!code)
    return code.error();
  auto listed = TemporaryFile::create("json", text);
  if (!listed)
    return listed.error();
  const char *given = std::getenv("PERMC_ARCSIM");
  std::string script =
      std::string(given ? given : PERMC_ARCSIM_DIR) + "/verify.py";
  return runProgram("python3", {script, code->path(), listed->path(),
                                requests.front().target.name});
}

Status runHere(const std::string &source,
               const std::vector<Request> &requests) {
  auto code = TemporaryFile::create("c", source);
  if (!code)
    return code.error();
  auto library = TemporaryFile::create("so", "");
  if (!library)
    return library.error();
  if (Status ok = runProgram("cc", {"-std=c99", "-O2", "-shared", "-fPIC",
                                    code->path(), "-o", library->path()});
      !ok)
    return ok;
  void *handle = dlopen(library->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{Cause::Internal, std::string("cannot verify: ") + dlerror()};
  llvm::scope_exit closer([&] { dlclose(handle); });
  for (const Request &request : requests) {
    auto *info = static_cast<const permc_kernel *>(
        dlsym(handle, (request.name + "_info").c_str()));
    if (!info)
      return Error{Cause::Internal,
                   "the C of " + request.name + " does not define its _info"};
    auto report = verifyKernel(request.problem, *info);
    if (!report)
      return report.error();
    llvm::errs() << "verified: " << request.name << " moves all "
                 << report->elements << " elements right in " << report->runs
                 << " runs\n";
  }
  return Done{};
}

} // namespace

Status permc::verifyC(const std::string &source,
                      const std::vector<Request> &requests) {
  return requests.front().target.family == "arc" ? interpret(source, requests)
                                                 : runHere(source, requests);
}
