//===- SmallWorld.h - every small permutation there is ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_SMALLWORLD_H
#define PERMC_TOOLS_PERMC_FUZZ_SMALLWORLD_H

#include "Case.h"
#include "Menu.h"

#include <functional>

namespace permc::fuzz {

/// Every order of every shape of dims 1 to 5 and rank up to 4, and of dims 1 to
/// 3 and rank 5, for elements of 1, 2, 3, 4, 8 and 16 bytes, on each target of
/// the menu. Each is run as a whole and in parts, at the start of a page and at
/// its end. Targets that are not this machine's have a subset: dims 1 to 4 and
/// rank up to 3, elements of 1, 2 and 4 bytes.
class SmallWorld {
public:
  explicit SmallWorld(const Menu &menu);

  /// A group is what one process does: all shapes of one element on one target.
  /// Most of them are one another with dims of 1 or with dims that stay
  /// together, so that the JIT compiles a kernel for one in six.
  uint64_t groups() const { return list.size(); }
  /// Names a group by its target, API and element.
  std::string name(uint64_t group) const;
  void visit(uint64_t group,
             const std::function<void(const Case &)> &body) const;

private:
  struct Group {
    std::string target;
    Api api;
    int64_t element;
  };
  void add(const std::string &target, Api api);

  std::vector<Group> list;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_SMALLWORLD_H
