//===- MliSource.cpp - a drop-in for embARC MLI's permute -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLI's functions, their checks and the fallback for other shapes do not depend
// on the kernels: they are in MliPermute.c, with two marks where the kernels,
// and what they are built from, go.
//
//===----------------------------------------------------------------------===//

#include "CSource.h"

using namespace permc;

static const char *const mliPermute =
#include "c/MliPermute.inc"
    ;

/// Of MLI's tensors.
static constexpr unsigned maxMliRank = 4;

static Error doesNotFit(const SourceKernel &kernel, const std::string &why) {
  return {Cause::Unsupported, "kernel '" + kernel.name + "' " + why};
}

static Status checkFitsMli(const SourceKernel &kernel) {
  const Problem &problem = kernel.given;
  if (problem.rank() == 0 || problem.rank() > maxMliRank)
    return doesNotFit(kernel, "has rank " + std::to_string(problem.rank()) +
                                  "; MLI's tensors have rank 1 to 4");
  if (problem.elementBytes() > 2)
    return doesNotFit(
        kernel, "has elements of " + std::to_string(problem.elementBytes()) +
                    " bytes; MLI permutes fx8 and sa8, of 1 byte, and "
                    "fx16, of 2");
  if (problem.isEmpty())
    return doesNotFit(kernel, "has a dim of size 0, which MLI refuses");
  return Done{};
}

static std::string braced(const Dims &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "{" + text + "}";
}

/// The stride of a dim of one element says nothing and may be too large for
/// MLI's types.
static std::string bracedStrides(Dims strides, const Dims &shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    strides[i] = shape[i] == 1 ? 1 : strides[i];
  return braced(strides);
}

/// One line of the table in which calls are looked up.
static std::string writeEntry(const SourceKernel &kernel) {
  const Problem &problem = kernel.given;
  return "    {{" + std::to_string(problem.elementBytes()) + ", " +
         std::to_string(problem.rank()) + ", " + braced(problem.shape()) +
         ", " + braced(problem.perm()) + ",\n      " +
         bracedStrides(problem.srcStrides(), problem.shape()) + ", " +
         bracedStrides(problem.dstStrides(), problem.outShape()) + "},\n     " +
         kernel.name + "},\n";
}

static std::string replaceMark(std::string text, const std::string &mark,
                               const std::string &by) {
  return text.replace(text.find(mark), mark.size(), by);
}

Result<std::string> permc::writeMliSource(const std::vector<CKernel> &kernels) {
  std::string code, table;
  for (const CKernel &written : kernels) {
    if (auto ok = checkFitsMli(written.kernel); !ok)
      return ok.error();
    auto text = writeKernel(written, /*isStatic=*/true);
    if (!text)
      return text.error();
    code += *text;
    table += writeEntry(written.kernel);
  }
  code += "static const permc_mli_kernel permc_mli_kernels[] = {\n" + table +
          "};\n\nenum {\n  PERMC_MLI_KERNELS = sizeof permc_mli_kernels / "
          "sizeof *permc_mli_kernels\n};\n";
  std::string file =
      "/* Made by permc for " + kernels.front().kernel.target.name +
      ". Do not edit.\n *\n * embARC MLI's permute kernels: "
      "mli_krn_permute_fx8, _fx16 and _sa8. Shapes that\n * were compiled "
      "have kernels of their own, all others go through a plain loop. */\n\n" +
      std::string(mliPermute);
  file = replaceMark(std::move(file), "/* @SUPPORT@ */\n", writeSupport(code));
  return replaceMark(std::move(file), "/* @KERNELS@ */\n", code);
}
