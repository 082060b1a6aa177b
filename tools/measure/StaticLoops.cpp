//===- StaticLoops.cpp - naive loops, compiled for their shape ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticLoops.h"

#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;

namespace {

/// Best first: the naive loop is to be as fast as a compiler makes it.
constexpr StringRef compilers[] = {"clang-22", "clang", "gcc", "cc"};
constexpr StringRef options[] = {"-O3", "-shared", "-fPIC", "-w",
                                 "-Wl,-Bsymbolic"};

std::string functionName(size_t index) {
  return "naive_" + std::to_string(index);
}

/// A C type of the element's size, and its declaration where C has none. Dst
/// may begin anywhere.
std::string elementType(int64_t bytes) {
  for (int64_t word : {1, 2, 4, 8})
    if (bytes == word)
      return "__attribute__((aligned(1))) uint" + std::to_string(8 * word) +
             "_t";
  return "struct { uint8_t bytes[" + std::to_string(bytes) + "]; }";
}

std::string writeSource(const std::vector<Problem> &problems,
                        bool runTimeSizes) {
  std::string source = "#include <stdint.h>\n\n";
  for (size_t i = 0; i < problems.size(); ++i)
    source += writeStaticLoop(problems[i], functionName(i), runTimeSizes);
  return source;
}

/// A temporary file that is gone at the end of the scope.
struct TemporaryFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  Status create(StringRef suffix) {
    if (auto error =
            llvm::sys::fs::createTemporaryFile("permc-bench", suffix, path))
      return Error{Cause::BadFile,
                   "cannot create a temporary file: " + error.message()};
    remover.setFile(path);
    return Done{};
  }
};

Status writeText(StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
  }
  if (error)
    return Error{Cause::BadFile,
                 "cannot write '" + path.str() + "': " + error.message()};
  return Done{};
}

Status runCompiler(const std::string &compiler, const std::string &march,
                   StringRef source, StringRef library) {
  TemporaryFile messages;
  if (Status ok = messages.create("txt"); !ok)
    return ok;
  std::vector<StringRef> arguments{compiler};
  arguments.insert(arguments.end(), std::begin(options), std::end(options));
  arguments.insert(arguments.end(), {march, "-o", library, source});
  const std::optional<StringRef> redirects[] = {StringRef(), StringRef(),
                                                messages.path.str()};
  std::string why;
  const int code = llvm::sys::ExecuteAndWait(
      compiler, arguments, /*Env=*/std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
  if (code == 0)
    return Done{};
  if (auto text = llvm::MemoryBuffer::getFile(messages.path); text)
    why += (*text)->getBuffer().take_front(500);
  return Error{Cause::Unsupported, compiler + " failed: " + why};
}

} // namespace

/// What a loop nest counts to and steps by, in C.
struct SpelledDim {
  std::string size, src, dst;
};

static std::vector<SpelledDim> spellConstants(const Problem &problem) {
  std::vector<SpelledDim> spelled;
  for (const LoopDim &dim : problem.loopDims())
    spelled.push_back({std::to_string(dim.size),
                       std::to_string(dim.srcStride / problem.elementBytes()),
                       std::to_string(dim.dstStride / problem.elementBytes())});
  return spelled;
}

/// Sizes are `n0`, `n1`, ...: those of src's dims.
static std::vector<SpelledDim> spellVariables(const Problem &problem) {
  auto size = [](int64_t dim) { return "n" + std::to_string(dim); };
  const Dims &perm = problem.perm();
  const auto rank = static_cast<int64_t>(problem.rank());
  std::vector<SpelledDim> spelled;
  for (int64_t i = 0; i < rank; ++i) {
    SpelledDim dim = {size(perm[i]), "1", "1"};
    for (int64_t inner = perm[i] + 1; inner < rank; ++inner)
      dim.src += " * " + size(inner);
    for (int64_t inner = i + 1; inner < rank; ++inner)
      dim.dst += " * " + size(perm[inner]);
    spelled.push_back(std::move(dim));
  }
  return spelled;
}

std::string permc::writeStaticLoop(const Problem &problem,
                                   const std::string &name, bool runTimeSizes) {
  std::string list, sizes;
  for (size_t i = 0; runTimeSizes && i < problem.rank(); ++i) {
    list += std::to_string(problem.shape()[i]) + ", ";
    sizes += "  const int64_t n" + std::to_string(i) + " = " + name +
             "_sizes[" + std::to_string(i) + "];\n";
  }
  std::string text = "typedef " + elementType(problem.elementBytes()) + " " +
                     name + "_element;\n";
  // Any other library might change it.
  if (runTimeSizes)
    text += "int64_t " + name + "_sizes[] = {" + list + "};\n";
  text += "void " + name + "(const " + name + "_element *restrict src, " +
          name + "_element *restrict dst) {\n" + sizes;
  const std::vector<SpelledDim> dims =
      runTimeSizes ? spellVariables(problem) : spellConstants(problem);
  std::string from = "0", to = "0";
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string index = "i" + std::to_string(i);
    text += "  for (int64_t " + index + " = 0; " + index + " < " +
            dims[i].size + "; ++" + index + ")\n";
    from += " + " + index + " * " + dims[i].src;
    to += " + " + index + " * " + dims[i].dst;
  }
  return text + "    dst[" + to + "] = src[" + from + "];\n}\n\n";
}

Result<StaticLoops> StaticLoops::compile(const std::vector<Problem> &problems,
                                         const LoopOptions &options) {
  std::string compiler;
  for (StringRef name : compilers)
    if (auto found = llvm::sys::findProgramByName(name)) {
      compiler = *found;
      break;
    }
  if (compiler.empty())
    return Error{Cause::Unsupported, "no C compiler on PATH (tried clang-22, "
                                     "clang, gcc, cc)"};
  const std::string march = "-march=" + options.cpu;
  TemporaryFile source, library;
  if (Status ok = source.create("c"); !ok)
    return ok.error();
  if (Status ok = library.create("so"); !ok)
    return ok.error();
  if (Status ok =
          writeText(source.path, writeSource(problems, options.runTimeSizes));
      !ok)
    return ok.error();
  if (Status ok = runCompiler(compiler, march, source.path, library.path); !ok)
    return ok.error();

  std::string why;
  auto loaded = llvm::sys::DynamicLibrary::getPermanentLibrary(
      library.path.c_str(), &why);
  if (!loaded.isValid())
    return Error{Cause::Unsupported, "cannot load the naive loops: " + why};
  StaticLoops loops;
  loops.compilerText = compiler + " -O3 " + march;
  for (size_t i = 0; i < problems.size(); ++i)
    loops.functions.push_back(reinterpret_cast<Function>(
        loaded.getAddressOfSymbol(functionName(i).c_str())));
  return loops;
}
