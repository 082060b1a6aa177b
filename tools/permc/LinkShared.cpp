//===- LinkShared.cpp - kernels as a shared library -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linker is part of every system that has programs to link with a kernel, and
// knows where that system has memcpy; so permc brings none of its own.
//
//===----------------------------------------------------------------------===//

#include "LinkShared.h"

#include "RunProgram.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace permc;

namespace {

constexpr llvm::StringLiteral task = "cannot link a shared library";

/// Who links for a machine, by Debian's names.
struct Linker {
  llvm::Triple::ArchType arch;
  llvm::StringRef program, package;
};
constexpr Linker linkers[] = {
    {llvm::Triple::x86_64, "x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu"},
    {llvm::Triple::aarch64, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"},
    {llvm::Triple::arm, "arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf"},
};

Result<std::string> chooseLinker(const Target &target) {
  const llvm::Triple triple(target.triple);
  if (!triple.isOSLinux())
    return Error{Cause::Unsupported,
                 "a shared library for the target '" + target.name +
                     "', which has no system to load one; expected --emit lib "
                     "or obj"};
  if (triple.getArch() == llvm::Triple(llvm::sys::getProcessTriple()).getArch())
    return std::string("cc");
  for (const Linker &linker : linkers)
    if (linker.arch == triple.getArch()) {
      if (auto found = findProgram(linker.program, linker.package, task);
          !found)
        return found.error();
      return linker.program.str();
    }
  return Error{Cause::Unsupported, "no linker is known for the target '" +
                                       target.name + "'; expected --linker"};
}

/// All symbols of the kernels, and none besides.
std::string writeExports(const std::vector<Request> &requests) {
  std::string text = "{\n  global:\n";
  for (const Request &request : requests)
    for (const char *suffix : {"", "_part", "_info"})
      text += "    " + request.name + suffix + ";\n";
  return text + "  local: *;\n};\n";
}

} // namespace

Result<std::string> permc::linkShared(const std::string &library,
                                      const std::vector<Request> &requests,
                                      const std::string &soname,
                                      const std::string &linker) {
  std::string program = linker;
  if (linker.empty()) {
    auto chosen = chooseLinker(requests.front().target);
    if (!chosen)
      return chosen;
    program = *chosen;
  }
  auto archive = TemporaryFile::create("a", library);
  if (!archive)
    return archive.error();
  auto exports = TemporaryFile::create("map", writeExports(requests));
  if (!exports)
    return exports.error();
  auto linked = TemporaryFile::create("so", "");
  if (!linked)
    return linked.error();
  auto printed = runProgram(
      program,
      {"-shared", "-nostartfiles", "-Wl,--whole-archive", archive->path(),
       "-Wl,--no-whole-archive", "-Wl,--as-needed", "-Wl,-z,defs",
       "-Wl,-soname," + soname, "-Wl,--version-script=" + exports->path(), "-o",
       linked->path()},
      task);
  if (!printed)
    return printed;
  auto bytes = llvm::MemoryBuffer::getFile(linked->path());
  if (!bytes)
    return Error{Cause::BadFile, "cannot read what " + program +
                                     " linked: " + bytes.getError().message()};
  return (*bytes)->getBuffer().str();
}
