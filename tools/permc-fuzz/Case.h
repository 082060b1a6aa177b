//===- Case.h - one thing that permc is asked to get right ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a permutation in a user's own terms, what is to carry it out, and
// some calls of that. It is spelled as the options of permc-fuzz that run it
// again, which is also how it travels from the process that fails to the one
// that shrinks it.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_CASE_H
#define PERMC_TOOLS_PERMC_FUZZ_CASE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace permc::fuzz {

using Ints = std::vector<int64_t>;

/// In a shape: a size that comes with the call.
inline constexpr int64_t anySize = -1;

/// Through what the permutation is asked for.
enum class Api {
  Object, ///< an object file as the tool writes it
  Jit,    ///< the C++ API of the JIT
  Plan,   ///< the C API of libpermc, strides and threads included
  Shim,   ///< libpermc_rt, with the kernels of the target
  Program ///< a C program: in an emulator, or of C99 with sanitizers
};
const char *apiName(Api api);
std::optional<Api> apiFromName(const std::string &name);

/// Where a buffer begins: so many bytes behind a page that cannot be touched,
/// or such that it ends where one begins.
struct Place {
  bool atEnd = false;
  int64_t offset = 0;
  bool operator==(const Place &) const = default;
};

/// One call, or one call for each part.
struct Run {
  Ints dims;            ///< the sizes of the dims that come with the call
  uint32_t parts = 0;   ///< 0: the whole tensor by one call
  uint32_t threads = 1; ///< where the API brings threads of its own
  Place src, dst;
  bool operator==(const Run &) const = default;
};

struct Case {
  std::string convention = "numpy";
  bool inverse = false;
  Ints shape;          ///< as the convention writes it
  Ints order;          ///< output dim i is input dim order[i], from 0
  int64_t element = 1; ///< bytes
  std::optional<Ints> srcStrides, dstStrides; ///< in elements
  std::vector<Ints> specialized; ///< dims that get kernels of their own
  std::string target;
  Api api = Api::Object;
  std::string schedule, unaligned; ///< as `#permc.schedule<...>`, or empty
  std::vector<Run> runs;

  bool isDynamic() const;
  /// The shape of one call.
  Ints shapeOf(const Run &run) const;
  bool operator==(const Case &) const = default;
};

std::string spellList(const Ints &list, const char *separator = ",");
std::optional<Ints> parseList(const std::string &text, char separator = ',');

/// "3x?xbytes2".
std::string spellTensor(const Case &one);
/// As the convention counts axes.
std::string spellOrder(const Case &one);

/// The options of permc-fuzz that run this case, as words of a command line.
std::vector<std::string> spellOptions(const Case &one);
/// The same in one line that a shell understands.
std::string spellCommand(const Case &one);
/// What spellOptions wrote, or why it cannot be read.
std::optional<Case> parseOptions(const std::vector<std::string> &words,
                                 std::string &why);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_CASE_H
