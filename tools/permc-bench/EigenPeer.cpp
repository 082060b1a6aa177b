//===- EigenPeer.cpp - Eigen's Tensor shuffle -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

#include "permc/Plan/Simplify.h"

// Eigen's own headers are not clean under our warnings; they are included as
// system headers.
#include <unsupported/Eigen/CXX11/Tensor>

using namespace permc;
using namespace permc::bench;

namespace {

template <typename Element, int rank>
std::function<void()> shuffle(const Problem &problem, const char *src,
                              char *dst) {
  using Sizes = Eigen::array<Eigen::Index, rank>;
  Sizes shape, outShape, perm;
  const Dims out = problem.outShape();
  for (int i = 0; i < rank; ++i) {
    shape[i] = problem.shape()[i];
    outShape[i] = out[i];
    perm[i] = problem.perm()[i];
  }
  using Source = Eigen::Tensor<const Element, rank, Eigen::RowMajor>;
  using Result = Eigen::Tensor<Element, rank, Eigen::RowMajor>;
  const auto *from = reinterpret_cast<const Element *>(src);
  auto *to = reinterpret_cast<Element *>(dst);
  return [=] {
    const Eigen::TensorMap<Source> source(from, shape);
    Eigen::TensorMap<Result> result(to, outShape);
    result = source.shuffle(perm);
  };
}

template <typename Element>
std::function<void()> shuffleByRank(const Problem &problem, const char *src,
                                    char *dst) {
  switch (problem.rank()) {
  case 2:
    return shuffle<Element, 2>(problem, src, dst);
  case 3:
    return shuffle<Element, 3>(problem, src, dst);
  case 4:
    return shuffle<Element, 4>(problem, src, dst);
  case 5:
    return shuffle<Element, 5>(problem, src, dst);
  case 6:
    return shuffle<Element, 6>(problem, src, dst);
  default:
    return {}; // a rank is a type of its own: there has to be an end
  }
}

class EigenPeer : public Peer {
public:
  Result<std::optional<Competitor>> enter(const Case &one,
                                          const Workspace &workspace) override {
    // Eigen knows nothing of dims that could be one: that work is done for it.
    const Problem problem =
        canonicalize(one.problem, one.problem.elementBytes());
    auto call = byElement(problem, workspace.src(), workspace.dst());
    if (!call)
      return std::optional<Competitor>();
    return std::optional(compete("eigen", call));
  }

private:
  static std::function<void()> byElement(const Problem &problem,
                                         const char *src, char *dst) {
    switch (problem.elementBytes()) {
    case 1:
      return shuffleByRank<uint8_t>(problem, src, dst);
    case 2:
      return shuffleByRank<uint16_t>(problem, src, dst);
    case 4:
      return shuffleByRank<float>(problem, src, dst);
    case 8:
      return shuffleByRank<double>(problem, src, dst);
    default:
      return {};
    }
  }
};

} // namespace

Result<std::unique_ptr<Peer>> bench::startEigen(unsigned threads) {
  if (threads != 1)
    return Error{Cause::Unsupported, "it is measured with one thread only"};
  return std::unique_ptr<Peer>(std::make_unique<EigenPeer>());
}
