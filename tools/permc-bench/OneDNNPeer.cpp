//===- OneDNNPeer.cpp - oneDNN's reorder ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

#include "permc/Plan/Simplify.h"

#include <dlfcn.h>
#include <dnnl.hpp>

using namespace permc;
using namespace permc::bench;

namespace {

/// oneDNN has no 8-byte type: such an element is two of 4 bytes.
Problem splitWideElements(const Problem &problem) {
  return unfold(problem, sizeof(float));
}

std::optional<dnnl::memory::data_type> typeOf(int64_t elementBytes) {
  switch (elementBytes) {
  case 1:
    return dnnl::memory::data_type::u8;
  case 2:
    return dnnl::memory::data_type::bf16;
  case 4:
    return dnnl::memory::data_type::f32;
  default:
    return std::nullopt;
  }
}

class OneDNNPeer : public Peer {
public:
  OneDNNPeer() : engine(dnnl::engine::kind::cpu, 0), stream(engine) {}

  Result<std::optional<Competitor>> enter(const Case &one,
                                          const Workspace &workspace) override {
    try {
      return makeReorder(one.problem, workspace);
    } catch (const dnnl::error &) {
      // A rank or a layout it has no reorder for.
      return std::optional<Competitor>();
    }
  }

private:
  std::optional<Competitor> makeReorder(const Problem &given,
                                        const Workspace &workspace) {
    const Problem problem =
        splitWideElements(canonicalize(given, given.elementBytes()));
    const auto type = typeOf(problem.elementBytes());
    if (!type)
      return std::nullopt;
    // The dims in output order; only the strides differ between the sides.
    dnnl::memory::dims sizes, srcStrides, dstStrides;
    for (const LoopDim &dim : problem.loopDims()) {
      sizes.push_back(dim.size);
      srcStrides.push_back(dim.srcStride / problem.elementBytes());
      dstStrides.push_back(dim.dstStride / problem.elementBytes());
    }
    const dnnl::memory::desc srcDesc(sizes, *type, srcStrides);
    const dnnl::memory::desc dstDesc(sizes, *type, dstStrides);
    dnnl::memory src(srcDesc, engine, const_cast<char *>(workspace.src()));
    dnnl::memory dst(dstDesc, engine, workspace.dst());
    dnnl::reorder reorder(src, dst);
    return compete("onednn", [this, src, dst, reorder]() mutable {
      reorder.execute(stream, src, dst);
      stream.wait();
    });
  }

  dnnl::engine engine;
  dnnl::stream stream;
};

/// oneDNN's threads are those of the OpenMP library it brings along.
void setOpenMPThreads(unsigned threads) {
  using Setter = void (*)(int);
  if (auto set =
          reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(int(threads));
}

} // namespace

Result<std::unique_ptr<Peer>> bench::startOneDNN(unsigned threads) {
  setOpenMPThreads(threads);
  try {
    return std::unique_ptr<Peer>(std::make_unique<OneDNNPeer>());
  } catch (const dnnl::error &error) {
    return Error{Cause::Unsupported, error.what()};
  }
}
