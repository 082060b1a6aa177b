//===- KernelName.cpp - names that kernels may have -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/KernelName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace permc;
using llvm::StringRef;

/// The words of C23 and C++23 that cannot name a function in both, each between
/// blanks.
static constexpr StringRef keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch "
    "char char16_t char32_t char8_t class co_await co_return co_yield compl "
    "concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit "
    "export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires restrict return "
    "short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename "
    "typeof typeof_unqual union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq ";

/// A kernel calls memcpy, a compiler turns loops into the others, and a program
/// has one main.
static constexpr StringRef takenNames[] = {"main", "memcpy", "memmove",
                                           "memset"};

/// What a kernel's derived symbols end in (see permc-c/kernel.h), and those of
/// the functions and lists that it has for itself as C.
static constexpr StringRef symbolEndings[] = {
    "",          "_part",  "_info", "_units",       "_words",
    "_elements", "_shape", "_perm", "_src_strides", "_dst_strides"};

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Status permc::checkKernelName(std::string_view spelled) {
  StringRef name = spelled;
  auto fail = [&](StringRef why) -> Status {
    return Error{Cause::BadSyntax,
                 ("the kernel name '" + name + "' " + why).str()};
  };
  if (!isIdentifier(name))
    return fail("is not a C identifier; expected letters, digits and '_', the "
                "first not a digit");
  if (keywords.contains((" " + name + " ").str()))
    return fail("is a keyword of C or C++; expected another identifier");
  if (llvm::is_contained(takenNames, name))
    return fail("is a function of the C library; expected another identifier");
  if (name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1])))
    return fail("is reserved by C (it begins with '__' or '_' and a capital); "
                "expected another identifier");
  return Done{};
}

Status KernelNames::add(const std::string &name) {
  if (auto taken = kernelOf.find(name);
      taken != kernelOf.end() && taken->second == name)
    return Error{Cause::BadSyntax, "a second kernel is named '" + name +
                                       "'; expected unique names"};
  for (StringRef ending : symbolEndings) {
    std::string symbol = (name + ending).str();
    if (auto taken = kernelOf.find(symbol); taken != kernelOf.end())
      return Error{Cause::BadSyntax,
                   "the kernels '" + taken->second + "' and '" + name +
                       "' would both define the symbol '" + symbol +
                       "'; expected names that do not clash"};
  }
  for (StringRef ending : symbolEndings)
    kernelOf[(name + ending).str()] = name;
  return Done{};
}

static std::string join(const Dims &list, llvm::StringRef separator) {
  return llvm::join(
      llvm::map_range(list,
                      [](int64_t value) { return std::to_string(value); }),
      separator);
}

/// "permute_224x224x3xu8_201".
static std::string nameOf(const Dims &shape, const Dims &perm,
                          const std::string &element) {
  std::string name = "permute_";
  for (int64_t size : shape)
    name += (size == dynamicDim ? "N" : std::to_string(size)) + "x";
  name += element;
  if (!perm.empty())
    name += "_" + join(perm, perm.size() > 10 ? "_" : "");
  return name;
}

/// "_8", "_N" for one that is not known, "_m8" for -8: letters and digits.
static std::string nameStride(int64_t stride) {
  if (stride == dynamicDim)
    return "_N";
  return stride < 0 ? "_m" + std::to_string(-stride)
                    : "_" + std::to_string(stride);
}

std::string permc::deriveName(const DynamicProblem &problem,
                              const std::string &element) {
  std::string name = nameOf(problem.staticShape(), problem.perm(), element);
  if (problem.isDense())
    return name;
  const std::pair<const char *, const DynamicProblem::Sizes *> sides[] = {
      {"_from", &problem.srcByteStrides()}, {"_to", &problem.dstByteStrides()}};
  for (auto [side, strides] : sides) {
    name += side;
    for (const DynamicSize &stride : *strides)
      name +=
          nameStride(stride.isStatic() ? stride.factor / problem.elementBytes()
                                       : dynamicDim);
  }
  return name;
}

std::string permc::deriveName(const Problem &problem,
                              const std::string &element) {
  std::string name = nameOf(problem.shape(), problem.perm(), element);
  if (problem.isDense())
    return name;
  const std::pair<const char *, Dims> sides[] = {
      {"_from", problem.srcStrides()}, {"_to", problem.dstStrides()}};
  for (const auto &[side, strides] : sides) {
    name += side;
    for (int64_t stride : strides)
      name += nameStride(stride);
  }
  return name;
}
