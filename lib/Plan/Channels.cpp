//===- Channels.cpp - columns in one channel ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers were measured on Zen 3, by the suites ttc, seed and highrank.
// Only machines like it sweep rows (`sweepsRows`) or have known channels
// (`channelBytes`). Of these rules others follow one: where rows of src compete
// for places in the first cache, panels go along columns.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Channels.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/StreamedLoops.h"

#include <algorithm>
#include <numeric>

using namespace permc;

/// Rows, or rows one after the other, that are worth a sweep.
static constexpr int64_t longLines = 20;

bool ChannelRules::sharesChannel(size_t column) const {
  return facts.channelBytes && dims[column].dstStride % facts.channelBytes == 0;
}

bool ChannelRules::sharesMore(size_t column) const {
  constexpr int64_t channels = 8, shortLines = 2; // measured on Zen 3
  return facts.losesPrefetches && facts.channelBytes &&
         tile[column] < dims[column].size &&
         dims[column].size * dims[column].srcStride >=
             shortLines * facts.lineBytes &&
         dims[column].dstStride % (channels * facts.channelBytes) == 0;
}

bool ChannelRules::rowsCompete(size_t row) const {
  return facts.competes(dims[row].srcStride);
}

/// Short columns of rows that lie far apart are better read with what follows
/// them.
bool ChannelRules::staysNear(size_t column, size_t row) const {
  constexpr int64_t stretch = StreamedLoops::minStretchBytes;
  return dims[column].size * element >= stretch ||
         dims[row].srcStride <= stretch;
}

bool ChannelRules::sweepsRows(size_t column, size_t row) const {
  constexpr int64_t oneChannelLines = 6;
  const int64_t rowBytes = dims[row].size * dims[row].dstStride,
                lines = rowBytes / facts.lineBytes;
  // Rows of a tile are three lines then, which is far enough.
  if (!facts.sweepsRows || rowsCompete(row) || element == tripleBytes ||
      dims[column].srcStride != element)
    return false;
  const bool isBlocked = dims[row].size > StreamedLoops::maxSweptRows(facts);
  // Lines of 8 elements are used up in one go.
  if (isBlocked && (sharesChannel(column) || element == 8))
    return false;
  return (staysNear(column, row) && lines >= longLines) ||
         (sharesChannel(column) && lines >= oneChannelLines) ||
         sweptWith(column, row);
}

std::optional<size_t> ChannelRules::sweptWith(size_t column, size_t row) const {
  constexpr int64_t longColumnLines = 4;
  const int64_t rowBytes = dims[row].size * dims[row].dstStride,
                columnBytes = dims[column].size * element;
  // Lines of 8 elements are used up in one go.
  if (!facts.sweepsRows || element == 8 || element == tripleBytes ||
      dims[column].srcStride != element || rowsCompete(row) ||
      !staysNear(column, row) || rowBytes >= longLines * facts.lineBytes ||
      columnBytes < longColumnLines * facts.lineBytes ||
      2 * dims[row].size > StreamedLoops::sweptRows(facts))
    return std::nullopt;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (dim != column && dim != row && dims[dim].dstStride == rowBytes &&
        dims[dim].size * rowBytes >= longLines * facts.lineBytes &&
        (element >= 4 || dims[dim].srcStride != columnBytes))
      return dim;
  return std::nullopt;
}

int64_t ChannelRules::sweptColumns(size_t column) const {
  constexpr int64_t least = 8, most = 16;
  const int64_t columns =
                    std::clamp(facts.lineBytes / 2 / element, least, most),
                apart = dims[column].dstStride;
  const bool isNear =
      apart == 2 * facts.channelBytes || apart == 4 * facts.channelBytes;
  return element > 1 && isNear ? columns / 2 : columns;
}

bool ChannelRules::goesAlongRows(size_t column, size_t row) const {
  constexpr int64_t maxOpenRows = 1024, fewPlaces = 32;
  // How far apart rows are that have so few places in the second cache.
  const int64_t farBytes = std::max(facts.l2Bytes / fewPlaces, facts.lineBytes);
  return sharesChannel(column) && dims[row].size <= maxOpenRows &&
         tile[column] < dims[column].size &&
         dims[row].srcStride % farBytes != 0;
}

bool ChannelRules::goesAlongSrc(size_t column) const {
  return element == tripleBytes && sharesChannel(column);
}

bool ChannelRules::staysInChannel(size_t column, size_t row,
                                  std::span<const Loop> loops) const {
  if (!sharesChannel(column) || tile[column] < dims[column].size ||
      loops.empty())
    return false;
  const auto last = static_cast<size_t>(loops.back().dim);
  return last != row && sharesChannel(last);
}

bool ChannelRules::avoidsChannels(size_t column, size_t row) const {
  constexpr int64_t longBytes = 2 << 10, shortLines = 4;
  const int64_t rowBytes = dims[row].size * dims[row].dstStride;
  if (!sharesChannel(column))
    return false;
  const int64_t least =
      rowsCompete(row) ? shortLines * facts.lineBytes : longBytes;
  if (sharesMore(column) && rowBytes >= least)
    return true;
  if (goesAlongRows(column, row) || sweepsRows(column, row))
    return false;
  if (rowsCompete(row) && nextInSrc(column, row))
    return rowBytes % (facts.channelBytes / 2) == 0;
  if (rowsCompete(row))
    return rowBytes >= longBytes &&
           dims[column].size * dims[column].srcStride >= longBytes;
  return rowBytes >= longBytes;
}

std::optional<size_t> ChannelRules::nextInSrc(size_t column, size_t row) const {
  constexpr int64_t shortLines = 4;
  const int64_t bytes = dims[column].size * dims[column].srcStride;
  if (bytes >= shortLines * facts.lineBytes ||
      (rowsCompete(row) && tile[column] == dims[column].size))
    return std::nullopt;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (dims[dim].srcStride == bytes && dims[dim].size > 1 && dim != row &&
        tile[dim] == 1)
      return dim;
  return std::nullopt;
}

PanelNeighbours ChannelRules::channelPanel(size_t column, size_t row,
                                           bool inCaches,
                                           std::span<int64_t> changed,
                                           std::span<int64_t> panel) const {
  const bool compete = rowsCompete(row);
  int64_t stretch = facts.lineBytes, rowBytes = facts.channelBytes;
  if (compete) {
    constexpr int64_t side = 128;
    stretch = std::min(side * element, facts.channelBytes);
    rowBytes = std::max(stretch, facts.channelBytes / 2);
    // The last cache brings pieces of half the size as fast.
    if (inCaches)
      stretch /= 2;
    // Measured on Zen 3, as the others: a tenth for half words only.
    else if (element == 2)
      stretch = facts.channelBytes;
  }
  const std::optional<size_t> next = nextInSrc(column, row);
  const bool crowded =
      facts.l1Ways && tile[row] > facts.placesFor(dims[row].srcStride);
  if ((compete || crowded) && element < 4 && tile[row] % 2 == 0) {
    changed[column] *= next ? 1 : 2;
    changed[row] /= 2;
  }
  auto take = [&](size_t dim, int64_t elements) {
    panel[dim] =
        std::min(ceilDiv(elements, tile[dim]) * tile[dim], dims[dim].size);
  };
  take(column, next ? dims[column].size : stretch / dims[column].srcStride);
  take(row, rowBytes / dims[row].dstStride);
  if (!next)
    return {column, row};
  panel[*next] = 2;
  const int64_t longest = longestRow(row, panel);
  take(row,
       compete ? std::min(rowBytes / dims[row].dstStride, longest) : longest);
  return {next, row};
}

bool ChannelRules::goesAlongColumns(size_t column, size_t row) const {
  constexpr int64_t longBytes = 64 << 10; // measured on Zen 3
  const bool isShort = facts.losesPrefetches &&
                       dims[column].size * dims[column].srcStride <= longBytes;
  return column != row && tile[column] > 1 &&
         (isShort || rowsCompete(row) || avoidsChannels(column, row));
}

int64_t ChannelRules::longestRow(size_t row,
                                 std::span<const int64_t> panel) const {
  int64_t others = element;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    others *= dim == row ? 1 : panel[dim];
  const int64_t lines =
      facts.lineBytes / std::gcd(facts.lineBytes, dims[row].dstStride);
  const int64_t unit = std::lcm(lines, tile[row]);
  return std::max(maxPanelBytes / others / unit, int64_t{1}) * unit;
}
