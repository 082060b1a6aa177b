//===- OpenBLASPeer.cpp - OpenBLAS's omatcopy -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

#include "permc/Plan/Simplify.h"

#include <cblas.h>

using namespace permc;
using namespace permc::bench;

namespace {

/// A stack of matrices, each of which is transposed.
struct Matrices {
  int64_t count, rows, columns, elementBytes;
};

std::optional<Matrices> asMatrices(const Problem &given) {
  const Problem problem = canonicalize(given, given.elementBytes());
  const Dims &shape = problem.shape();
  if (problem.perm() == Dims{1, 0})
    return Matrices{1, shape[0], shape[1], problem.elementBytes()};
  if (problem.perm() == Dims{0, 2, 1})
    return Matrices{shape[0], shape[1], shape[2], problem.elementBytes()};
  return std::nullopt;
}

void transpose(const Matrices &all, const char *src, char *dst) {
  const auto rows = blasint(all.rows), columns = blasint(all.columns);
  const int64_t bytes = all.rows * all.columns * all.elementBytes;
  for (int64_t i = 0; i < all.count; ++i, src += bytes, dst += bytes)
    if (all.elementBytes == 4)
      cblas_somatcopy(CblasRowMajor, CblasTrans, rows, columns, 1.0F,
                      reinterpret_cast<const float *>(src), columns,
                      reinterpret_cast<float *>(dst), rows);
    else
      cblas_domatcopy(CblasRowMajor, CblasTrans, rows, columns, 1.0,
                      reinterpret_cast<const double *>(src), columns,
                      reinterpret_cast<double *>(dst), rows);
}

class OpenBLASPeer : public Peer {
public:
  Result<std::optional<Competitor>> enter(const Case &one,
                                          const Workspace &workspace) override {
    const auto matrices = asMatrices(one.problem);
    if (!matrices ||
        (matrices->elementBytes != 4 && matrices->elementBytes != 8))
      return std::optional<Competitor>();
    return std::optional(compete(
        "openblas", [all = *matrices, src = workspace.src(),
                     dst = workspace.dst()] { transpose(all, src, dst); }));
  }
};

} // namespace

Result<std::unique_ptr<Peer>> bench::startOpenBLAS(unsigned threads) {
  if (threads != 1)
    return Error{Cause::Unsupported, "its omatcopy has one thread only"};
  return std::unique_ptr<Peer>(std::make_unique<OpenBLASPeer>());
}
