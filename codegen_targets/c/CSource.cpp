//===- CSource.cpp - kernels as a C file ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops come from EmitC. What is written here is the frame round them: the
// comment, the constants that the loops name, the choice between the fast code
// and the code for any buffer, the entry points and NAME_info.
//
//===----------------------------------------------------------------------===//

#include "CSource.h"

#include "FastPath.h"

#include "permc/Plan/Split.h"

#include <algorithm>

using namespace permc;

static const char *const kernelHeader =
#include "c/KernelHeader.inc"
    ;

/// How the problem reads in a comment: shape, element, order, strides.
static std::string describeProblem(const SourceKernel &kernel) {
  const Problem &problem = kernel.given;
  std::string text = spellShape(problem.shape()) + " " + kernel.element +
                     " by " + spellList(problem.perm()) + ", giving " +
                     spellShape(problem.outShape());
  if (!problem.isDense())
    text += "\n * strides in bytes: src " +
            spellList(problem.srcByteStrides()) + ", dst " +
            spellList(problem.dstByteStrides());
  return text;
}

namespace {

class KernelWriter {
public:
  KernelWriter(const CKernel &written, const FastPath &path)
      : kernel(written.kernel), functions(written.functions), name(kernel.name),
        problem(kernel.canonical), schedule(kernel.schedule), path(path) {
    if (!hasUnits())
      return;
    const Loop &loop = schedule.loops.front();
    units = problem.loopDims()[loop.dim].size / loop.step;
    Split split = splitOutermost(problem, schedule);
    group = split.mostParts > 1 ? split.grain / loop.step : units;
  }

  std::string write() const { return body() + entries() + info(); }

  /// Only NAME, and that for this file alone.
  std::string writeStatic() const { return body() + "static " + whole(); }

private:
  std::string body() const {
    return comment() + constants() + functions + "\n" + dispatch();
  }

  std::string comment() const {
    return "/* " + name + ": " + describeProblem(kernel) + "\n * moved as " +
           spellShape(problem.shape()) + " " +
           std::to_string(problem.elementBytes()) + "-byte elements by " +
           spellList(problem.perm()) + "\n * " + kernel.scheduleText +
           " */\n\n";
  }

  /// Strides are those of the simplified problem's dims, in output order.
  std::string constants() const {
    std::string lines;
    auto add = [&](const std::string &suffix, int64_t value) {
      std::string constant = name + "_" + suffix;
      if (suffix.find("UNIT") == 0 ||
          functions.find(constant) != std::string::npos)
        lines += (lines.empty() ? "  " : ",\n  ") + constant + " = " +
                 std::to_string(value);
    };
    std::vector<LoopDim> dims = problem.loopDims();
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      add("SRC_STRIDE_" + std::to_string(dim), dims[dim].srcStride);
      add("DST_STRIDE_" + std::to_string(dim), dims[dim].dstStride);
    }
    if (units > 1)
      add("UNITS", units);
    if (groups() > 1) {
      add("UNIT_GROUP", group);
      add("UNIT_GROUPS", groups());
    }
    return lines.empty() ? "" : "enum {\n" + lines + "\n};\n\n";
  }

  std::string condition() const {
    std::vector<std::string> terms;
    if (path.littleEndian)
      terms.push_back("PERMC_LITTLE_ENDIAN");
    for (auto [pointer, alignment] : {std::pair("src", path.srcAlignment),
                                      std::pair("dst", path.dstAlignment)})
      if (alignment > 1)
        terms.push_back(std::string("PERMC_IS_ALIGNED(") + pointer + ", " +
                        std::to_string(alignment) + ")");
    std::string text;
    for (const std::string &term : terms)
      text += (text.empty() ? "" : " && ") + term;
    return text;
  }

  bool hasUnits() const { return schedule.unitLoops > 0; }
  /// Of units that share no line of dst with the next group.
  int64_t groups() const { return (units + group - 1) / group; }
  /// The arguments of the functions from EmitC.
  std::string arguments() const {
    return hasUnits() ? "(src, dst, first, end)" : "(src, dst)";
  }

  std::string dispatch() const {
    std::string head =
        "static void " + name + "_units(const void *src, void *dst" +
        (hasUnits() ? ",\n    uint32_t first, uint32_t end" : "") + ") {\n";
    std::string words = name + "_words" + arguments() + ";\n}\n\n";
    if (!path.needsOther())
      return head + "  " + words;
    return head + "  if (" + condition() + ")\n    " + name + "_words" +
           arguments() + ";\n  else\n    " + name + "_elements" + arguments() +
           ";\n}\n\n";
  }

  /// A call for all units. Not by NAME, which an argument may be called too.
  std::string callAll() const {
    std::string all = units > 1 ? name + "_UNITS" : "1";
    return name + "_units" +
           (hasUnits() ? "(src, dst, 0, " + all + ")" : "(src, dst)") + ";\n";
  }

  std::string whole() const {
    return "void " + name + "(const void *src, void *dst) {\n  " + callAll() +
           "}\n\n";
  }

  std::string entries() const {
    std::string part = "void " + name +
                       "_part(const void *src, void *dst, uint32_t part, "
                       "uint32_t parts) {\n";
    if (groups() <= 1)
      return whole() + part + "  if (part == 0 && parts != 0)\n    " +
             callAll() + "}\n\n";
    auto firstUnit = [&](const std::string &number) {
      return "permc_first_unit(" + number + ", parts, " + name +
             "_UNIT_GROUPS,\n        " + name + "_UNIT_GROUP, " + name +
             "_UNITS)";
    };
    return whole() + part + "  if (part < parts)\n    " + name +
           "_units(src, dst, " + firstUnit("part") + ",\n        " +
           firstUnit("part + 1") + ");\n}\n\n";
  }

  static std::string braced(const Dims &values) {
    std::string text;
    for (int64_t value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "{" + (text.empty() ? "0" : text) + "}";
  }

  std::string info() const {
    const Problem &given = kernel.given;
    std::string text;
    auto list = [&](const char *field, const Dims &values) {
      text += "static const int64_t " + name + "_" + field +
              "[] = " + braced(values) + ";\n";
    };
    list("shape", given.shape());
    list("perm", given.perm());
    list("src_strides", given.srcStrides());
    list("dst_strides", given.dstStrides());
    auto number = [](int64_t value) { return std::to_string(value) + ", "; };
    int64_t alignment = std::max(path.srcAlignment, path.dstAlignment);
    return text + "const permc_kernel " + name +
           "_info = {\n    sizeof(permc_kernel), " + number(given.rank()) +
           number(given.elementBytes()) + number(alignment) +
           number(given.srcSpan()) + number(given.dstSpan()) + "\n    " + name +
           "_shape, " + name + "_perm, " + name + "_src_strides, " + name +
           "_dst_strides,\n    \"" + name + "\", \"" + kernel.element +
           "\", \"" + kernel.target.name + "\", " + name + ", " + name +
           "_part,\n    0, 0, 0, 0};\n";
  }

  const SourceKernel &kernel;
  const std::string &functions;
  const std::string &name;
  const Problem &problem;
  const Schedule &schedule;
  FastPath path;
  int64_t units = 1, group = 1;
};

} // namespace

Result<std::string> permc::writeKernel(const CKernel &kernel, bool isStatic) {
  auto path = fastPath(kernel.kernel.canonical, kernel.kernel.schedule,
                       kernel.kernel.target.facts);
  if (!path)
    return path.error();
  KernelWriter writer(kernel, *path);
  return isStatic ? writer.writeStatic() : writer.write();
}

Result<std::string> permc::writeCSource(const std::vector<CKernel> &kernels) {
  std::string code;
  for (const CKernel &kernel : kernels) {
    auto text = writeKernel(kernel, /*isStatic=*/false);
    if (!text)
      return text.error();
    code += "\n" + *text;
  }
  return "/* Made by permc for " + kernels.front().kernel.target.name +
         ". Do not edit.\n *\n * Plain C99. For each kernel NAME: NAME moves "
         "the whole tensor, NAME_part a\n * disjoint share of it, NAME_info "
         "describes it. src and dst must not overlap;\n * they may have any "
         "alignment, and words are moved where it allows that. */\n\n" +
         writeSupport(code) + kernelHeader + code;
}
