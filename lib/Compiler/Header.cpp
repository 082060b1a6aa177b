//===- Header.cpp - the C header of compiled kernels ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/Compiler.h"

#include <algorithm>
#include <cctype>

using namespace permc;

static const char *const kernelHeader =
#include "KernelHeader.inc"
    ;

/// A macro name that is as good as the text it is made from.
static std::string macroName(const std::string &text) {
  std::string name = "PERMC_GENERATED_";
  for (unsigned char c : text)
    name += std::isalnum(c) ? static_cast<char>(std::toupper(c)) : '_';
  return name + "_H";
}

static std::string describe(const Request &request) {
  const Problem &problem = request.problem;
  std::string text = "/* " + spellShape(problem.shape()) + " " +
                     request.element + " by " + spellList(problem.perm()) +
                     ", giving " + spellShape(problem.outShape()) + ".\n";
  if (!problem.isDense())
    text += " * Strides in bytes: src " + spellList(problem.srcByteStrides()) +
            ", dst " + spellList(problem.dstByteStrides()) + ".\n";
  return text + " * src: " + std::to_string(problem.srcSpan()) +
         " bytes, dst: " + std::to_string(problem.dstSpan()) +
         " bytes. They must not overlap. */\n";
}

/// "that of dim 2", "the stride of output dim 1".
static std::string describeNumber(const DynamicProblem &problem,
                                  unsigned number) {
  const unsigned place = problem.placeOf(number), rank = problem.rank();
  const char *what[] = {"that of dim ", "the stride of input dim ",
                        "the stride of output dim "};
  return what[place / rank] + std::to_string(place % rank);
}

/// In elements, with what depends on the call as '?'.
static std::string spellStrides(const DynamicProblem &problem,
                                const DynamicProblem::Sizes &strides) {
  Dims list;
  for (const DynamicSize &stride : strides)
    list.push_back(stride.isStatic() ? stride.factor / problem.elementBytes()
                                     : dynamicDim);
  return spellList(list);
}

static std::string describeDynamic(const Request &request) {
  const DynamicProblem &problem = *request.dynamic;
  Dims outShape;
  for (int64_t axis : problem.perm())
    outShape.push_back(problem.staticShape()[axis]);
  std::string text =
      "/* " + spellShape(problem.staticShape()) + " " + request.element +
      " by " + spellList(problem.perm()) + ", giving " + spellShape(outShape) +
      ".\n" + " * dims holds the " + std::to_string(problem.dynamicDims()) +
      " size(s) in the place of '?':";
  for (unsigned k = 0; k < problem.dynamicDims(); ++k)
    text += (k == 0 ? " dims[" : ", dims[") + std::to_string(k) + "] is " +
            describeNumber(problem, k);
  text += ".\n * No size may be negative, the bytes of the tensor must fit 63 "
          "bits, and with a\n * size of 0 nothing is moved.\n";
  if (!problem.isDense())
    text += " * Strides in elements: src " +
            spellStrides(problem, problem.srcByteStrides()) + ", dst " +
            spellStrides(problem, problem.dstByteStrides()) +
            ". Those of\n * src may be 0 or negative, those of dst negative; "
            "src and dst are the lowest\n * bytes of the tensors all the same. "
            "With the sizes of a call no two elements of\n * dst may share a "
            "byte.\n";
  if (!request.specialized.empty()) {
    text += " * There are kernels of their own for the dims";
    for (const Dims &sizes : request.specialized)
      text += " " + spellList(sizes);
    text += ".\n";
  }
  return text + (problem.isDense()
                     ? " * src and dst have the same number of bytes and must "
                       "not overlap. */\n"
                     : " * src and dst must not overlap. */\n");
}

static std::string declare(const Request &request) {
  const std::string &name = request.name;
  const bool dynamic = request.dynamic.has_value();
  const std::string buffers = std::string("(const void *src, void *dst") +
                              (dynamic ? ", const int64_t *dims" : "");
  return (dynamic ? describeDynamic(request) : describe(request)) + "void " +
         name + buffers +
         ");\n"
         "/* The share `part` of `parts`: shares are disjoint, together they "
         "are all.\n * A part that is not below `parts` moves nothing. */\n"
         "void " +
         name + "_part" + buffers +
         (dynamic ? ", uint32_t part,\n    " : ", uint32_t part, ") +
         "uint32_t parts);\n"
         "extern const permc_kernel " +
         name + "_info;\n\n";
}

std::string permc::identifierFor(const std::string &text) {
  std::string name = text.empty() || std::isdigit(text.front()) ? "_" : "";
  for (unsigned char c : text)
    name += std::isalnum(c) ? static_cast<char>(c) : '_';
  return name;
}

/// A function that lists the kernels of a library: one call registers them all
/// with the run-time shim. One kernel alone is registered by itself.
static std::string listKernels(const std::vector<Request> &requests,
                               const std::string &file) {
  const std::string name = identifierFor(file);
  std::string text =
      "/* All kernels above, as permc_rt_register_kernels takes them. */\n"
      "static inline const permc_kernel *const *" +
      name +
      "_kernels(uint32_t *count) {\n"
      "  static const permc_kernel *const kernels[] = {\n";
  for (const Request &request : requests)
    text += "    &" + request.name + "_info,\n";
  return text + "  };\n  *count = " + std::to_string(requests.size()) +
         ";\n  return kernels;\n}\n\n";
}

std::string permc::writeHeader(const std::vector<Request> &requests,
                               const std::string &stem,
                               const std::string &more) {
  // With the first kernel's name, since headers in two folders may share
  // theirs.
  const std::string kernel = requests.empty() ? stem : requests.front().name;
  std::string macro = macroName(stem == kernel ? kernel : stem + "_" + kernel);
  std::string text = "/* Made by permc. Do not edit.\n * Shapes and orders are "
                     "row-major: those of a column-major tensor (the\n * "
                     "matlab convention) have their dims in reverse. "
                     "*/\n\n#ifndef " +
                     macro + "\n#define " + macro + "\n\n" + kernelHeader +
                     "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const Request &request : requests)
    text += declare(request);
  if (requests.size() > 1)
    text += listKernels(requests, stem);
  return text + more + "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + macro +
         " */\n";
}
