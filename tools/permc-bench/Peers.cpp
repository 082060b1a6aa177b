//===- Peers.cpp - other libraries that permute tensors -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

using namespace permc;
using namespace permc::bench;

#if !PERMC_BENCH_EIGEN
Result<std::unique_ptr<Peer>> bench::startEigen(unsigned) {
  return Error{Cause::Unsupported,
               "it was not found when permc-bench was built"};
}
#endif

#if !PERMC_BENCH_ONEDNN
Result<std::unique_ptr<Peer>> bench::startOneDNN(unsigned) {
  return Error{Cause::Unsupported,
               "it was not found when permc-bench was built"};
}
#endif

#if !PERMC_BENCH_OPENBLAS
Result<std::unique_ptr<Peer>> bench::startOpenBLAS(unsigned) {
  return Error{Cause::Unsupported,
               "it was not found when permc-bench was built"};
}
#endif

const std::vector<PeerKind> &bench::allPeers() {
  static const std::vector<PeerKind> all = {{"openblas", startOpenBLAS},
                                            {"onednn", startOneDNN},
                                            {"eigen", startEigen},
                                            {"torch", startTorch},
                                            {"numpy", startNumpy}};
  return all;
}
