//===- Run.cpp - permc run ------------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "OutputFile.h"
#include "PermuteOptions.h"

#include "permc/Frontend/Npy.h"
#include "permc/JIT/Jit.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <system_error>
#include <thread>

using namespace permc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

constexpr unsigned maxThreads = 1024;

bool isNpy(StringRef path) { return path.ends_with(".npy"); }

constexpr StringRef standardStream = "-";

/// The tensor in a file.
struct Input {
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::optional<NpyHeader> header; ///< of numpy's files

  const void *data() const {
    return file->getBufferStart() + (header ? header->dataOffset : 0);
  }
};

/// The .npy file must hold the tensor. Byte orders do not matter, and opaque
/// elements match any of their size.
Status checkAgrees(const NpyHeader &header, const TensorSpec &tensor,
                   const std::string &path) {
  auto sizeAndKind = [](StringRef descr) { return descr.drop_front(1); };
  const std::string wanted = npyDescr(tensor.element);
  const bool isOpaque = StringRef(wanted).starts_with("|V");
  const bool sameType =
      header.elementBytes == tensor.element.bytes &&
      (isOpaque || sizeAndKind(header.descr) == sizeAndKind(wanted));
  if (tensor.element.name == "bf16" && header.descr.substr(1) == "f2")
    return Error{Cause::BadFile,
                 "'" + path + "' holds elements of type '" + header.descr +
                     "', which is f16; expected bf16, which numpy stores as "
                     "opaque bytes ('" +
                     wanted + "') or u16 ('<u2')"};
  if (!sameType || header.shape != tensor.shape)
    return Error{Cause::BadFile,
                 "'" + path + "' holds " + spellShape(header.shape) +
                     " elements of type '" + header.descr + "'; expected " +
                     spellTensor(tensor) + ", type '" + wanted + "'"};
  return Done{};
}

/// A file, a pipe or the standard input. What is numpy's is told by the name;
/// a standard input without a TENSOR cannot be anything else.
Result<Input> openInput(const std::string &path, bool hasTensor) {
  auto file =
      path == standardStream
          ? llvm::MemoryBuffer::getSTDIN()
          : llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  if (!file)
    return Error{Cause::BadFile,
                 "cannot read '" + path + "': " + file.getError().message()};
  Input input;
  input.file = std::move(*file);
  if (isNpy(path) || !hasTensor) {
    auto header = readNpyHeader(input.file->getBuffer(), path);
    if (!header)
      return header.error();
    input.header = *header;
  }
  return input;
}

/// Whether the input is the tensor.
Status checkHolds(const Input &input, const std::string &path,
                  const TensorSpec &tensor, int64_t rawBytes) {
  if (input.header)
    return checkAgrees(*input.header, tensor, path);
  const int64_t bytes = int64_t(input.file->getBufferSize());
  if (bytes == rawBytes)
    return Done{};
  return Error{Cause::BadFile, "'" + path + "' has " + std::to_string(bytes) +
                                   " bytes; expected " +
                                   std::to_string(rawBytes) + " for " +
                                   spellTensor(tensor)};
}

/// A .npy file says itself how its array lies in memory, whatever the
/// convention: the problem for such an input and a row-major output.
Result<Problem> layOutForNpy(const Problem &problem, Convention convention,
                             bool fortranOrder) {
  Dims shape = problem.shape(), perm = problem.perm();
  if (convention == Convention::Matlab) {
    // Resolving for column-major memory has reversed the dims.
    std::reverse(shape.begin(), shape.end());
    std::reverse(perm.begin(), perm.end());
    for (int64_t &axis : perm)
      axis = int64_t(perm.size()) - 1 - axis;
  }
  std::optional<Dims> strides;
  if (fortranOrder) {
    const Dims reversed(shape.rbegin(), shape.rend());
    strides = denseStrides(reversed);
    std::reverse(strides->begin(), strides->end());
  }
  return Problem::make(problem.elementBytes(), shape, perm, strides);
}

/// One thread a part; what no thread can be had for is done here.
void runInParts(const Kernel &kernel, const void *src, void *dst,
                unsigned parts) {
  std::vector<std::thread> others;
  unsigned part = 1;
  try {
    for (; part < parts; ++part)
      others.emplace_back([&, part] { kernel.part(src, dst, part, parts); });
  } catch (const std::system_error &) {
    for (; part < parts; ++part)
      kernel.part(src, dst, part, parts);
  }
  kernel.part(src, dst, 0, parts);
  for (std::thread &thread : others)
    thread.join();
}

class RunCommand : public Command {
public:
  RunCommand();
  StringRef examples() const override;
  int run() override;

private:
  void nameFiles();
  Result<PreparedPermute> prepareInput(const Input &input) const;
  Result<std::string> permuteFile();

  PermuteOptions permute;
  cl::OptionCategory execution;
  cl::opt<std::string> in, out, threads;
  unsigned parts = 1;
  std::string inPath, outPath;
  bool tensorIsInFile = false;
};

RunCommand::RunCommand()
    : Command("run", "Permute the tensor in a file, on this machine"),
      permute(subCommand()), execution("Run options"),
      in(cl::Positional, cl::desc("IN"), cl::sub(subCommand())),
      out(cl::Positional, cl::desc("OUT"), cl::sub(subCommand())),
      threads("threads", cl::sub(subCommand()), cl::cat(execution),
              cl::value_desc("N"), cl::init("1"),
              cl::desc("Share the work among N threads; 1 by default")) {}

StringRef RunCommand::examples() const {
  return R"(
TENSOR is 224x224x3xu8: sizes, then the type of an element, one of those that
'permc compile --help' lists.
IN and OUT are .npy files if that is how they end, otherwise the bytes of the
tensor and nothing else; - is the standard input or output. A .npy file says
what it holds, and TENSOR may be left out. The shape of the result is printed.

Examples:
  permc run --perm 2,0,1 image.npy planes.npy
  permc run 4096x4096xf32 --perm 1,0 in.raw out.raw --threads 4
)";
}

/// The permutation of TENSOR, or of what the file says that it holds.
Result<PreparedPermute> RunCommand::prepareInput(const Input &input) const {
  if (!tensorIsInFile)
    return prepare(permute, "native");
  auto spec = permute.specFor({input.header->shape, elementOf(*input.header)});
  if (!spec)
    return spec.error();
  auto target = permute.machine().findTarget("native");
  if (!target)
    return target.error();
  auto prepared = prepareSpec(*spec, *target, /*allowDynamic=*/false);
  if (prepared && permute.hasSchedule())
    if (Status ok = addScheduleFile(permute.scheduleFile(), prepared->request);
        !ok)
      return ok.error();
  return prepared;
}

/// Two words are IN and OUT of a tensor that the file describes, unless the
/// first is a TENSOR.
void RunCommand::nameFiles() {
  tensorIsInFile = out.getNumOccurrences() == 0 &&
                   in.getNumOccurrences() != 0 &&
                   !parseTensor(permute.tensorText());
  inPath = tensorIsInFile ? permute.tensorText() : in.getValue();
  outPath = tensorIsInFile ? in.getValue() : out.getValue();
}

Result<std::string> RunCommand::permuteFile() {
  auto input = openInput(inPath, !tensorIsInFile);
  if (!input)
    return input.error();
  auto prepared = prepareInput(*input);
  if (!prepared)
    return prepared.error();
  const PermuteSpec &spec = prepared->spec;
  Request &request = prepared->request;
  const bool inIsNpy = input->header.has_value();
  const bool outIsNpy =
      isNpy(outPath) ||
      (inPath == standardStream && outPath == standardStream && inIsNpy);
  if ((spec.inStrides || spec.outStrides) && (inIsNpy || outIsNpy))
    return Error{Cause::Unsupported,
                 "strides with a .npy file, which says itself how its array "
                 "lies in memory; expected raw files"};
  if (Status ok =
          checkHolds(*input, inPath, spec.tensor, request.problem.srcSpan());
      !ok)
    return ok.error();
  if (inIsNpy != outIsNpy && spec.convention == Convention::Matlab)
    return Error{Cause::Unsupported,
                 "a raw file is column-major under the matlab convention, a "
                 ".npy file is not; expected both raw or both .npy"};
  if (inIsNpy) {
    auto laidOut = layOutForNpy(request.problem, spec.convention,
                                input->header->fortranOrder);
    if (!laidOut)
      return laidOut.error();
    request.problem = *laidOut;
  }

  std::string header;
  if (outIsNpy)
    header = writeNpyHeader(inIsNpy ? input->header->descr
                                    : npyDescr(spec.tensor.element),
                            prepared->outShape);
  const int64_t outBytes = request.problem.dstSpan();
  auto file = OutputFile::create(outPath, header.size() + size_t(outBytes));
  if (!file)
    return file.error();
  std::copy(header.begin(), header.end(), file->data());

  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  auto kernel = (*jit)->compile(request);
  if (!kernel)
    return kernel.error();
  runInParts(*kernel, input->data(), file->data() + header.size(), parts);
  if (Status ok = file->commit(); !ok)
    return ok.error();
  return spellTensor({prepared->outShape, spec.tensor.element});
}

int RunCommand::run() {
  nameFiles();
  if (out.getNumOccurrences() == 0 && !tensorIsInFile)
    return failUsage("run needs TENSOR, IN and OUT; given " +
                     (in.getNumOccurrences() != 0
                          ? "'" + permute.tensorText() + "' and '" + in + "'"
                      : permute.hasTensor() ? "'" + permute.tensorText() + "'"
                                            : std::string("none of them")));
  if (!permute.hasOrder())
    return failUsage("run needs --perm ORDER, such as --perm 2,0,1");
  if (StringRef(threads).getAsInteger(10, parts) || parts < 1 ||
      parts > maxThreads)
    return failUsage("--threads '" + threads + "'; expected 1 to " +
                     llvm::Twine(maxThreads));
  if (tensorIsInFile && !isNpy(inPath) && inPath != standardStream)
    return failUsage("run needs a TENSOR for '" + inPath +
                     "': only a .npy file says what it holds");
  auto shape = permuteFile();
  if (!shape)
    return fail(shape.error());
  // The standard output may be the tensor itself.
  (outPath == standardStream ? llvm::errs() : llvm::outs()) << *shape << "\n";
  return ExitSuccess;
}

} // namespace

std::unique_ptr<Command> permc::makeRunCommand() {
  return std::make_unique<RunCommand>();
}
