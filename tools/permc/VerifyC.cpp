//===- VerifyC.cpp - proof of kernels that are C --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyC.h"

#include "RunProgram.h"

#include "permc/JIT/Verify.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace permc;
using llvm::StringRef;

namespace {

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
  const std::string folder = given ? given : PERMC_ARCSIM_DIR;
  const std::string script = folder + "/verify.py";
  if (!llvm::sys::fs::exists(script))
    return Error{Cause::Unsupported, "cannot verify: no ARC interpreter in '" +
                                         folder +
                                         "'; expected PERMC_ARCSIM to name "
                                         "codegen_targets/arc/test/arcsim of "
                                         "permc's sources"};
  auto printed = runProgram("python3", {script, code->path(), listed->path(),
                                        requests.front().target.name});
  if (!printed)
    return printed.error();
  llvm::errs() << *printed;
  return Done{};
}

Status runHere(const std::string &source,
               const std::vector<Request> &requests) {
  auto code = TemporaryFile::create("c", source);
  if (!code)
    return code.error();
  auto library = TemporaryFile::create("so", "");
  if (!library)
    return library.error();
  if (auto printed = runProgram("cc", {"-std=c99", "-O2", "-shared", "-fPIC",
                                       code->path(), "-o", library->path()});
      !printed)
    return printed.error();
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
