//===- TileNetwork.cpp - the moves of a schedule's micro kernel -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a schedule's tile to the network of its kind. The result is proven
// against the problem's strides before anyone may use it.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/Schedule.h"
#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <set>

using namespace permc;

namespace {

using Offsets = std::vector<int64_t>;

/// The offsets of all elements of `dims` from the lowest of them, the last dim
/// fastest.
Offsets allOffsets(const std::vector<LoopDim> &dims, int64_t LoopDim::*stride) {
  Offsets offsets{0};
  for (const LoopDim &dim : dims)
    offsets[0] += originOf(dim.size, dim.*stride);
  for (const LoopDim &dim : dims) {
    Offsets next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(base + i * dim.*stride);
    offsets = std::move(next);
  }
  return offsets;
}

void sortSlowestFirst(std::vector<LoopDim> &dims, int64_t LoopDim::*stride) {
  std::sort(dims.begin(), dims.end(), [&](const LoopDim &a, const LoopDim &b) {
    return a.*stride > b.*stride;
  });
}

/// Whether the dims (slowest first) step through memory without a gap.
bool isContiguous(const std::vector<LoopDim> &dims, int64_t LoopDim::*stride,
                  int64_t element) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].*stride != element)
      return false;
    element *= dims[i].size;
  }
  return true;
}

/// Cuts contiguous stretches of elements into pieces of a lane. The last piece
/// of a stretch is moved back over its neighbour to be whole.
std::vector<ShuffleTile::Piece> cutIntoLanes(Offsets offsets, int64_t element,
                                             int64_t laneBytes) {
  std::sort(offsets.begin(), offsets.end());
  // What src repeats is loaded once.
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  std::vector<ShuffleTile::Piece> pieces;
  for (size_t first = 0; first < offsets.size();) {
    size_t end = first + 1;
    while (end < offsets.size() && offsets[end] == offsets[end - 1] + element)
      ++end;
    int64_t bytes = static_cast<int64_t>(end - first) * element;
    for (int64_t at = 0; at < bytes; at += laneBytes) {
      int64_t start = std::max<int64_t>(0, std::min(at, bytes - laneBytes));
      pieces.push_back({offsets[first] + start,
                        std::min<int64_t>(laneBytes, bytes - start)});
    }
    first = end;
  }
  return pieces;
}

class TileBuilder {
public:
  TileBuilder(const Problem &problem, const Schedule &schedule, Places places)
      : schedule(schedule), element(problem.elementBytes()),
        vectorBytes(schedule.vectorBytes), streaming(schedule.streaming),
        pairs(movesVectorPairs(schedule)),
        stepping(fieldsOf<micro::TileTranspose>(schedule).stepping) {
    if (is<micro::TileTranspose>(schedule) && pairAlignment(schedule)) {
      vectorBytes = pairAlignment(schedule);
      pairs = true;
      wordsPerLoad = schedule.vectorBytes / vectorBytes;
    }
    std::vector<LoopDim> dims = problem.loopDims();
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (schedule.tile[dim] > 1)
        tile.push_back(
            {schedule.tile[dim], dims[dim].srcStride, dims[dim].dstStride});
    // The order in which an offset of dst is taken apart.
    sortSlowestFirst(tile, &LoopDim::dstStride);
    for (const LoopDim &dim : tile)
      origin += originOf(dim.size, dim.srcStride);
    if (places == Places::Exact)
      readable = std::accumulate(tile.begin(), tile.end(), element,
                                 [](int64_t end, const LoopDim &dim) {
                                   return end + (dim.size - 1) *
                                                    std::abs(dim.srcStride);
                                 });
  }

  Result<Network> build() const {
    Result<Network> network = makeNetwork();
    if (!network)
      return network;
    int64_t bytes = element;
    for (const LoopDim &dim : tile)
      bytes *= dim.size;
    auto source = [this](int64_t offset) { return sourceOf(offset); };
    if (auto ok = network->proves(source, bytes); !ok)
      return ok.error();
    // Up to here a tile of src begins with its lowest byte. A nest knows where
    // its first element is.
    for (Network::Step &step : network->steps)
      if (step.kind == Network::StepKind::Load)
        step.offset -= origin;
    return network;
  }

  /// A dim of streams and a dim along them: the streams' is fast on the side
  /// where they lie interleaved. Of two short dims each could be the streams':
  /// it is the one that leaves vectors of the other. There are as many such
  /// streams again for each place of the other dims, the batches.
  Result<InterleaveTile>
  streams(std::vector<LoopDim> *batches = nullptr) const {
    auto isStreams = [&](const LoopDim &dim, const LoopDim &along,
                         int64_t LoopDim::*inside, int64_t LoopDim::*apart) {
      bool few = dim.size <= 4;
      bool many = inside == &LoopDim::dstStride && element <= 4 &&
                  (dim.size == 8 || dim.size == 16 || dim.size == 32) &&
                  vectorBytes == laneBytes;
      return (few || many) && dim.*inside == element &&
             along.*inside == element * dim.size && along.*apart == element;
    };
    const auto &moves = fieldsOf<micro::Interleave>(schedule);
    bool shaped = std::has_single_bit(uint64_t(element)) && element <= 8;
    std::optional<InterleaveTile> found;
    std::pair<size_t, size_t> pair;
    for (size_t i = 0; shaped && i < tile.size() * tile.size(); ++i)
      for (bool splits : {true, false}) {
        const size_t first = i / tile.size(), second = i % tile.size();
        const LoopDim &dim = tile[first], &along = tile[second];
        auto inside = splits ? &LoopDim::srcStride : &LoopDim::dstStride;
        auto apart = splits ? &LoopDim::dstStride : &LoopDim::srcStride;
        auto fills = [&](int64_t elements) {
          return elements * element >= vectorBytes;
        };
        if (first != second &&
            (!found || (!fills(found->elements) && fills(along.size))) &&
            isStreams(dim, along, inside, apart)) {
          pair = {first, second};
          found = {allOffsets({dim}, apart),
                   along.size,
                   element,
                   vectorBytes,
                   splits,
                   moves.tables,
                   moves.vectorsPerLoad,
                   moves.vectorsPerStore,
                   moves.lastLane,
                   moves.vectorPairs};
        }
      }
    for (size_t i = 0; found && batches && i < tile.size(); ++i)
      if (i != pair.first && i != pair.second)
        batches->push_back(tile[i]);
    if (found)
      return *found;
    return Error{Cause::BadSchedule,
                 "an interleave tile that is not two to four streams of "
                 "elements of 1, 2, 4 or 8 bytes, or 8, 16 or 32 that are "
                 "joined of up to 4 bytes"};
  }

  Result<Network> makeNetwork() const {
    if (is<micro::TileTranspose>(schedule))
      return transpose();
    if (is<micro::Shuffle>(schedule))
      return shuffle(is<micro::WideShuffle>(schedule) ? vectorBytes
                                                      : laneBytes);
    if (is<micro::Interleave>(schedule))
      return interleave();
    return moves();
  }

private:
  int64_t sourceOf(int64_t offset) const {
    int64_t source = origin;
    for (const LoopDim &dim : tile) {
      source += offset / dim.dstStride * dim.srcStride;
      offset %= dim.dstStride;
    }
    return source + offset;
  }

  /// Contiguous runs, copied one after the other in the order of dst.
  Network moves() const {
    std::vector<LoopDim> outer = tile;
    int64_t run = element;
    while (!outer.empty() && outer.back().srcStride == run &&
           outer.back().dstStride == run) {
      run *= outer.back().size;
      outer.pop_back();
    }
    Network one = copyNetwork(run, vectorBytes), all;
    Offsets src = allOffsets(outer, &LoopDim::srcStride);
    Offsets dst = allOffsets(outer, &LoopDim::dstStride);
    auto wide = static_cast<int64_t>(std::bit_ceil(uint64_t(run)));
    const std::set<int64_t> starts(src.begin(), src.end());
    for (size_t i = 0; i < src.size(); ++i) {
      // A run of an odd size is moved with what follows it, if that may be
      // read, and the next run of dst then overwrites what is too much.
      bool followed = !streaming && i + 1 < dst.size() &&
                      dst[i + 1] == dst[i] + run &&
                      (starts.count(src[i] + run) || src[i] + wide <= readable);
      if (followed && wide > run && wide <= vectorBytes) {
        all.store(all.load(src[i], wide), dst[i], wide);
        continue;
      }
      append(all, one, src[i], dst[i]);
    }
    return all;
  }

  /// A dim belongs to the side in which it is faster: rows of the tile are
  /// counted in dst, columns in src. Rows may lie anywhere in src; columns that
  /// are reversed there are taken forwards, to places in dst that go back.
  Result<Network> transpose() const {
    std::vector<LoopDim> rows, columns;
    for (const LoopDim &dim : tile)
      if (isRow(dim))
        rows.push_back(dim);
      else
        columns.push_back(dim.srcStride > 0 ? dim : turned(dim));
    sortSlowestFirst(columns, &LoopDim::srcStride);
    if (!isContiguous(rows, &LoopDim::dstStride, element) ||
        !isContiguous(columns, &LoopDim::srcStride, element))
      return Error{Cause::BadSchedule,
                   "a tile_transpose tile that is not a rectangle of "
                   "contiguous rows and columns"};
    const bool fitsLane = element == laneBytes || element == tripleBytes;
    if (element > laneBytes / 2 && (!fitsLane || vectorBytes < laneBytes))
      return Error{Cause::BadSchedule,
                   "a tile_transpose of elements of " +
                       std::to_string(element) + " bytes by vectors of " +
                       std::to_string(vectorBytes) +
                       "; expected at most 8, or 12 or 16 by vectors of 16 or "
                       "more"};
    if (pairs && !hasPairs(rows, columns))
      return Error{Cause::BadSchedule,
                   "vector pairs in a tile of elements of " +
                       std::to_string(element) + " bytes by vectors of " +
                       std::to_string(vectorBytes) +
                       "; expected whole pairs of 16-byte vectors along rows "
                       "and columns, or whole blocks of words"};
    if (stepping && !hasSteps(rows, columns))
      return Error{Cause::BadSchedule,
                   "addresses that step along in a tile of elements of " +
                       std::to_string(element) + " bytes by vectors of " +
                       std::to_string(vectorBytes) + ", up to " +
                       std::to_string(stepping) +
                       " at a time; expected 1 to 4 at a time, as many of 16 "
                       "bytes in a column, and more or whole ones in a row; "
                       "of pairs two and two"};
    return transposeNetwork({allOffsets(rows, &LoopDim::srcStride),
                             allOffsets(columns, &LoopDim::dstStride), element,
                             vectorBytes, streaming, pairs, wordsPerLoad,
                             stepping, readable});
  }

  static LoopDim turned(const LoopDim &dim) {
    return {dim.size, -dim.srcStride, -dim.dstStride};
  }

  /// Whether rows and columns are whole pairs of vectors.
  bool hasPairs(const std::vector<LoopDim> &rows,
                const std::vector<LoopDim> &columns) const {
    if (vectorBytes < laneBytes)
      return element <= vectorBytes &&
             (wordsPerLoad == 2 || element == vectorBytes) &&
             bytesOf(rows) % (wordBlocksBelow(element) * vectorBytes) == 0 &&
             bytesOf(columns) % (wordsPerLoad * vectorBytes) == 0;
    return hasVectors() && bytesOf(rows) % (2 * laneBytes) == 0 &&
           bytesOf(columns) % (2 * laneBytes) == 0;
  }

  /// Whether a column is one move and a row some, the last of which can be
  /// moved back over the one before to be whole.
  bool hasSteps(const std::vector<LoopDim> &rows,
                const std::vector<LoopDim> &columns) const {
    constexpr int64_t most = 4;
    int64_t column = bytesOf(rows), row = bytesOf(columns);
    if (pairs && (row != 2 * laneBytes || column != row || stepping != 2))
      return false;
    return hasVectors() && stepping >= 1 && stepping <= most &&
           column % laneBytes == 0 && column <= most * laneBytes &&
           (row % laneBytes == 0 || row > stepping * laneBytes);
  }

  /// Whether vectors are lanes of several elements each.
  bool hasVectors() const {
    return vectorBytes == laneBytes && element < laneBytes &&
           std::has_single_bit(uint64_t(element));
  }

  int64_t bytesOf(const std::vector<LoopDim> &side) const {
    int64_t bytes = element;
    for (const LoopDim &dim : side)
      bytes *= dim.size;
    return bytes;
  }

  /// The largest dim that divides evenly feeds the lanes of a register; each
  /// lane then carries out the same smaller tile.
  Network shuffle(int64_t laneBytes) const {
    std::vector<LoopDim> lane = tile;
    int64_t lanes = vectorBytes / laneBytes;
    LoopDim *feed = nullptr;
    for (LoopDim &dim : lane)
      if (dim.size % lanes == 0 && (!feed || dim.size > feed->size))
        feed = &dim;
    ShuffleTile parts;
    parts.laneBytes = laneBytes;
    parts.lanes = feed ? lanes : 1;
    parts.srcLaneStep = parts.dstLaneStep = laneBytes;
    if (feed) {
      feed->size /= lanes;
      parts.srcLaneStep = feed->size * feed->srcStride;
      parts.dstLaneStep = feed->size * feed->dstStride;
    }
    parts.loads =
        cutIntoLanes(allOffsets(lane, &LoopDim::srcStride), element, laneBytes);
    // The first lane of a reversed dim lies behind the others.
    for (ShuffleTile::Piece &load : parts.loads)
      load.offset += originOf(parts.lanes, parts.srcLaneStep);
    parts.stores =
        cutIntoLanes(allOffsets(lane, &LoopDim::dstStride), element, laneBytes);
    parts.readable = readable;
    parts.sourceOf = [this](int64_t offset) { return sourceOf(offset); };
    // The largest power of two that divides the element.
    parts.unitBytes = std::min<int64_t>(element & -element, 8);
    Network network = shuffleNetwork(parts);
    if (streaming)
      network.storeInOrder();
    return network;
  }

  Result<Network> interleave() const {
    std::vector<LoopDim> batches;
    Result<InterleaveTile> tile = streams(&batches);
    if (!tile)
      return tile.error();
    const int64_t stream = tile->elements * element;
    if (stream < vectorBytes && regroups(*tile, batches))
      return regroupNetwork(*tile, batches[0].size);
    if (tile->elements * element < vectorBytes)
      return Error{Cause::BadSchedule,
                   "an interleave tile with " + std::to_string(tile->elements) +
                       " elements of a stream; expected " +
                       std::to_string(vectorBytes) + " bytes of them or more"};
    const Network one = interleaveNetwork(*tile);
    if (batches.empty())
      return one;
    const Offsets src = allOffsets(batches, &LoopDim::srcStride),
                  dst = allOffsets(batches, &LoopDim::dstStride);
    Network all;
    for (size_t i = 0; i < src.size(); ++i)
      append(all, one, src[i], dst[i]);
    return all;
  }

  /// Whether streams of less than a register are one unit each, and fill one
  /// with those of other batches, which follow on both sides.
  bool regroups(const InterleaveTile &tile,
                const std::vector<LoopDim> &batches) const {
    const int64_t stream = tile.elements * element,
                  all = stream * static_cast<int64_t>(tile.streams.size());
    return std::has_single_bit(uint64_t(stream)) && stream <= laneBytes / 2 &&
           tile.streams.size() <= 4 && tile.streams[1] == stream &&
           !tile.lastLane && batches.size() == 1 &&
           batches[0].srcStride == all && batches[0].dstStride == all &&
           batches[0].size * stream >= vectorBytes;
  }

  /// The steps of another network, so far on in src and in dst.
  static void append(Network &network, const Network &other, int64_t src,
                     int64_t dst) {
    const int first = static_cast<int>(network.steps.size());
    for (Network::Step step : other.steps) {
      if (step.kind == Network::StepKind::Load)
        step.offset += src;
      else if (step.kind == Network::StepKind::Store)
        step.offset += dst;
      if (step.a >= 0)
        step.a += first;
      if (step.b >= 0)
        step.b += first;
      network.steps.push_back(std::move(step));
    }
  }

  const Schedule &schedule;
  int64_t element, vectorBytes;
  bool streaming, pairs;
  int64_t stepping;
  int64_t wordsPerLoad = 2; ///< of pairs of words
  std::vector<LoopDim> tile;
  int64_t origin = 0;   ///< of the first element, from the lowest byte of src
  int64_t readable = 0; ///< bytes of src from the tile's first to its last
};

} // namespace

/// A tile of words, at any addresses. It is proven where it is made: a byte may
/// be stored wrong as long as a later store puts it right.
static Result<Network> wordNetwork(const Problem &canonical,
                                   const Schedule &schedule) {
  int64_t alignment = std::max<int64_t>(pairAlignment(schedule), 1);
  WordAccess access = {schedule.vectorBytes, /*unaligned=*/true, alignment,
                       alignment};
  auto tile = wordTile(canonical, schedule, schedule.tile, access);
  if (!tile)
    return tile.error();
  Network network;
  std::vector<int> words;
  for (const WordTile::Store &store : tile->stores) {
    if (store.load == words.size())
      words.push_back(network.load(tile->loads[store.load].offset,
                                   tile->loads[store.load].bytes));
    int word = words[store.load];
    if (store.bytes < network.steps[word].bytes) {
      std::vector<int> mask(store.bytes);
      std::iota(mask.begin(), mask.end(), static_cast<int>(store.from));
      word = network.shuffle(word, word, std::move(mask), 1);
    }
    network.store(word, store.offset, store.bytes);
  }
  return network;
}

Result<InterleaveTile> permc::interleaveTile(const Problem &canonical,
                                             const Schedule &schedule) {
  return TileBuilder(canonical, schedule, Places::Exact).streams();
}

Result<Network> permc::tileNetwork(const Problem &canonical,
                                   const Schedule &schedule, Places places) {
  if (is<micro::WordTranspose>(schedule))
    return wordNetwork(canonical, schedule);
  return TileBuilder(canonical, schedule, places).build();
}

Result<Network> permc::unprovenNetwork(const Problem &canonical,
                                       const Schedule &schedule) {
  return TileBuilder(canonical, schedule, Places::Exact).makeNetwork();
}
