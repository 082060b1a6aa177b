//===- CheckCall.cpp - compare one call with the reference ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCall.h"

#include "GuardedMemory.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace permc;
using namespace permc::fuzz;

namespace {

/// What parts may share nothing of.
constexpr int64_t lineBytes = 64;
/// Parts are looked at one by one up to so many bytes in all.
constexpr int64_t maxPartBytes = 2 << 20;

class Checker {
public:
  Checker(const Moves &moves, const Run &run)
      : moves(moves), run(run),
        salt(uint64_t(moves.src.bytes()) * 31 + run.parts),
        images(imagesOf(moves, salt)), src(moves.src.bytes(), run.src),
        dst(moves.dst.bytes(), run.dst) {}

  std::string check(const Call &call);

private:
  void fillDst();
  std::string callOnce(const Call &call, uint32_t part, uint32_t parts);
  std::string checkAll();
  std::string checkBeside();
  std::string checkPart(uint32_t part);
  std::string checkEachPart(const Call &call);

  const Moves &moves;
  const Run &run;
  const uint64_t salt;
  const Images images;
  GuardedMemory src, dst;
  /// By byte and by line of dst: the part that wrote it, plus 1.
  std::vector<uint32_t> byteWriter, lineWriter;
};

std::string at(int64_t offset) {
  return "byte " + std::to_string(offset) + " of dst";
}

void Checker::fillDst() {
  std::ranges::fill(dst.before(), gapByte);
  std::ranges::fill(dst.behind(), gapByte);
  std::copy(images.before.begin(), images.before.end(), dst.data());
}

std::string Checker::callOnce(const Call &call, uint32_t part, uint32_t parts) {
  return call(src.data() - moves.src.low, dst.data() - moves.dst.low, part,
              parts);
}

std::string Checker::checkBeside() {
  for (auto beside : {dst.before(), dst.behind()})
    for (const uint8_t &byte : beside)
      if (byte != gapByte)
        return at(&byte - dst.data()) + ", outside of it, was written";
  return "";
}

std::string Checker::checkAll() {
  const std::vector<uint8_t> &after = images.after;
  if (!after.empty() &&
      std::memcmp(dst.data(), after.data(), after.size()) != 0) {
    const auto differ = std::mismatch(after.begin(), after.end(), dst.data());
    const int64_t offset = differ.first - after.begin();
    const bool untouched = *differ.second == images.before[size_t(offset)];
    return at(offset) + " is " + std::to_string(*differ.second) +
           (untouched ? ", not written" : "") + "; expected " +
           std::to_string(*differ.first) +
           (images.isGap(size_t(offset)) ? ", a gap" : "");
  }
  return checkBeside();
}

/// After one part: what it wrote is right and was no other part's.
std::string Checker::checkPart(uint32_t part) {
  const bool onLine = uintptr_t(dst.data()) % lineBytes == 0;
  for (size_t i = 0; i < images.after.size(); ++i) {
    const uint8_t byte = dst.data()[i];
    if (byte == images.before[i])
      continue;
    if (byte != images.after[i])
      return at(int64_t(i)) + " is " + std::to_string(byte) + "; expected " +
             std::to_string(images.after[i]);
    if (byteWriter[i] != 0)
      return at(int64_t(i)) + " is written by the parts " +
             std::to_string(byteWriter[i] - 1) + " and " + std::to_string(part);
    byteWriter[i] = part + 1;
    uint32_t &writer = lineWriter[i / lineBytes];
    if (onLine && writer != 0 && writer != part + 1)
      return "the line with " + at(int64_t(i)) + " is written by the parts " +
             std::to_string(writer - 1) + " and " + std::to_string(part);
    writer = part + 1;
  }
  return checkBeside();
}

std::string Checker::checkEachPart(const Call &call) {
  byteWriter.assign(images.after.size(), 0);
  lineWriter.assign(images.after.size() / lineBytes + 1, 0);
  for (uint32_t part = 0; part < run.parts; ++part) {
    fillDst();
    if (std::string why = callOnce(call, part, run.parts); !why.empty())
      return why;
    if (std::string wrong = checkPart(part); !wrong.empty())
      return wrong;
  }
  for (size_t i = 0; i < byteWriter.size(); ++i)
    if (byteWriter[i] == 0 && !images.isGap(i))
      return at(int64_t(i)) + " is written by no part";
  return "";
}

std::string Checker::check(const Call &call) {
  for (int64_t i = 0; i < moves.src.bytes(); ++i)
    src.data()[i] = srcByte(i, salt);
  src.protectFromWrites(true);
  if (run.parts > 0 && run.parts * moves.dst.bytes() <= maxPartBytes)
    return checkEachPart(call);
  fillDst();
  if (run.parts == 0)
    if (std::string why = callOnce(call, 0, 0); !why.empty())
      return why;
  // The last first: no part may rely on what one before it has done.
  for (uint32_t part = run.parts; part-- > 0;)
    if (std::string why = callOnce(call, part, run.parts); !why.empty())
      return why;
  return checkAll();
}

} // namespace

std::string fuzz::checkCall(const Moves &moves, const Run &run,
                            const Call &call) {
  return Checker(moves, run).check(call);
}
