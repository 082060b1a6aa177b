//===- EmitWordPairs.cpp - tiles in pairs of words ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldrd, strd, ldm and stm want aligned addresses. Where buffers are aligned the
// moves of a tile say so, and ConvertArmMoves.cpp makes one instruction of
// each; runs become short copies, of which the back end makes ldm and stm.
//
//===----------------------------------------------------------------------===//

#include "EmitWordPairs.h"

#include "permc/Lowering/EmitNetwork.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace permc;
using mlir::Value;
namespace vector = mlir::vector;

/// Bytes that are contiguous in src and in dst.
struct Stretch {
  int64_t src, dst, bytes;
};

static std::vector<Stretch> stretchesOf(const Network &network) {
  std::vector<Stretch> stretches;
  for (const Network::Step &step : network.steps) {
    if (step.kind != Network::StepKind::Store)
      continue;
    int64_t from = network.steps[step.a].offset;
    Stretch *last = stretches.empty() ? nullptr : &stretches.back();
    if (last && from == last->src + last->bytes &&
        step.offset == last->dst + last->bytes)
      last->bytes += step.bytes;
    else
      stretches.push_back({from, step.offset, step.bytes});
  }
  return stretches;
}

/// Whether the back end copies all stretches of a network in place.
static bool canCopy(const Network &network, int64_t alignment) {
  // Words at least: anything less the back end leaves to the library. Of two
  // pairs it would make moves of odd lengths, with addresses of their own.
  constexpr int64_t leastAlignment = 4, few = 16;
  return alignment >= leastAlignment &&
         llvm::all_of(stretchesOf(network), [&](const Stretch &stretch) {
           return stretch.bytes > few && stretch.src % alignment == 0 &&
                  stretch.dst % alignment == 0;
         });
}

namespace {

class AlignedEmitter : public NetworkEmitter {
public:
  explicit AlignedEmitter(const TileSite &site)
      : NetworkEmitter(site.b, site.constant, site.network),
        alignment(pairAlignment(site.schedule)) {}

private:
  template <typename Move> Move aligned(Move move, const Network::Step &step) {
    if (step.offset % alignment == 0)
      move.setAlignment(alignment);
    return move;
  }

  Value load(const Network::Step &step, Value buffer, Value place) override {
    return aligned(
        vector::LoadOp::create(b, vectorType(step.bytes, 1), buffer, place),
        step);
  }
  void store(const Network::Step &step, Value value, Value buffer,
             Value place) override {
    aligned(vector::StoreOp::create(b, value, buffer, place), step);
  }

  const int64_t alignment;
};

class WordPairs : public OwnTile {
public:
  explicit WordPairs(const TileSite &site) : site(site) {
    if (!copiesRuns(site.schedule))
      return;
    Network words = *tileNetwork(site.problem, wordByWord(site.schedule));
    if (canCopy(words, pairAlignment(site.schedule)))
      stretches = stretchesOf(words);
  }

  void emit(Place src, Place dst) override {
    if (stretches.empty())
      return AlignedEmitter(site).emit(std::move(src), std::move(dst));
    constexpr int64_t most = 64; // 32-bit ARM's, before it calls memcpy
    TilePlaces from(site.b, site.constant, std::move(src)),
        to(site.b, site.constant, std::move(dst));
    for (const Stretch &stretch : stretches)
      for (int64_t at = 0; at < stretch.bytes; at += most) {
        int64_t bytes = std::min(most, stretch.bytes - at);
        CopyOp::create(site.b, view(from, stretch.src + at, bytes),
                       view(to, stretch.dst + at, bytes),
                       pairAlignment(site.schedule));
      }
  }

private:
  Value view(TilePlaces &places, int64_t offset, int64_t bytes) {
    auto type = mlir::MemRefType::get({bytes}, site.b.getI8Type());
    return mlir::memref::ViewOp::create(site.b, type, places.bufferAt(offset),
                                        places.at(offset), mlir::ValueRange());
  }

  const TileSite &site;
  std::vector<Stretch> stretches; ///< that are copied; none: moves are made
};

} // namespace

std::unique_ptr<OwnTile> permc::makeWordPairs(const TileSite &site) {
  return std::make_unique<WordPairs>(site);
}
