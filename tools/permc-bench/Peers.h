//===- Peers.h - other libraries that permute tensors -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_PEERS_H
#define PERMC_BENCH_PEERS_H

#include "Sampler.h"
#include "Workspace.h"

#include <memory>

namespace permc::bench {

/// A library to compare with.
class Peer {
public:
  virtual ~Peer() = default;

  /// The library's way to carry out `one` on the buffers of `workspace`, or
  /// nothing where it has none. What it refers to lives until the next call.
  /// Whoever runs in another process checks the result here.
  virtual Result<std::optional<Competitor>>
  enter(const Case &one, const Workspace &workspace) = 0;
};

/// A library this project knows how to call.
struct PeerKind {
  std::string name;
  /// An error that says what is missing, where something is.
  Result<std::unique_ptr<Peer>> (*start)(unsigned threads);
};

/// All of them, whether they can be started here or not.
const std::vector<PeerKind> &allPeers();

// One file each.
Result<std::unique_ptr<Peer>> startNumpy(unsigned threads);
Result<std::unique_ptr<Peer>> startTorch(unsigned threads);
Result<std::unique_ptr<Peer>> startEigen(unsigned threads);
Result<std::unique_ptr<Peer>> startOneDNN(unsigned threads);
Result<std::unique_ptr<Peer>> startOpenBLAS(unsigned threads);

} // namespace permc::bench

#endif // PERMC_BENCH_PEERS_H
