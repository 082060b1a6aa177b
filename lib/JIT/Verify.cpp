//===- Verify.cpp - proof that a kernel moves every element ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte of src gets its own offset as a label, and a label is shown to the
// kernel one byte a round. Two values that are no offset stand for "not
// written" (what dst is filled with beforehand) and "outside" (what lies round
// src). So after all rounds each byte of dst tells exactly where it came from,
// and a kernel that passes moves every byte right for this placement of the
// buffers.
//
// A placement fixes the alignment of both buffers and which guard pages they
// touch. src cannot be written while the kernel runs.
//
// Whether parts are disjoint needs no label. Two different part numbers differ
// in some bit, so for each bit of the part number the parts with that bit clear
// and those with it set must write different bytes, and different lines if dst
// starts with one: threads that share a line wait for each other. What this
// cannot see is a part that writes a byte back as it found it.
//
// Where a byte should come from is worked out by a plain loop over the output
// index, from the problem as it was given: nothing here relies on the
// simplification or the schedule that made the kernel.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Verify.h"

#include "FaultTrap.h"
#include "Footprint.h"
#include "GuardedBuffer.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

using namespace permc;

namespace {

/// Labels that are no offset in src. Their low bytes are what a round shows.
constexpr uint64_t notWritten = ~uint64_t(0);
constexpr uint64_t outsideSrc = ~uint64_t(1);

uint8_t labelByte(uint64_t label, unsigned round) {
  return static_cast<uint8_t>(label >> (8 * round));
}

constexpr int64_t lineBytes = 64;
/// With buffers larger than this only the chief placements and part counts are
/// tried: the time stays within seconds.
constexpr int64_t largeBytes = 4 << 20;
/// With buffers smaller than this every alignment of dst is tried.
constexpr int64_t smallBytes = 64 << 10;

/// One way to call the kernel.
struct Run {
  Placement src, dst;
  uint32_t parts = 0; ///< 0: the whole tensor by one call of `run`
};

/// The parts of a run to call: those whose number has `bit` at `value`.
struct PartFilter {
  unsigned bit = 0;
  bool value = false;
};

/// One element as the reference loop meets it.
struct Element {
  int64_t srcOffset, dstOffset; ///< bytes
};

class Verifier {
public:
  Verifier(const Problem &problem, const permc_kernel &kernel);
  Result<VerifyReport> verify();

private:
  Status checkDescription() const;
  std::vector<Run> chooseRuns() const;
  std::vector<Run> choosePartRuns() const;

  struct Buffers {
    GuardedBuffer src, dst;
  };
  Result<Buffers> mapBuffers(const Run &run) const;

  void labelRound(unsigned round);
  Status checkRun(const Run &run, unsigned round);
  Status checkParts(const Run &run);
  Status checkPartBit(const Run &run, GuardedBuffer &src, GuardedBuffer &dst,
                      unsigned bit);

  Status call(const Run &run, GuardedBuffer &src, GuardedBuffer &dst,
              const PartFilter *filter = nullptr);

  /// Calls `visit` for each element in output order until it returns false.
  template <typename Visit> void forEachElement(Visit visit) const;
  std::optional<Dims> outputIndexAt(int64_t dstOffset) const;
  std::optional<Dims> inputIndexAt(int64_t srcOffset) const;
  Dims toInputIndex(const Dims &outputIndex) const;
  Result<uint64_t> readLabel(const Run &run, int64_t dstOffset);
  Result<uint32_t> writerOf(const Run &run, int64_t dstOffset);

  Error fail(const Run &run, const std::string &what) const;
  Error describeFault(const Run &run, const Fault &fault,
                      const GuardedBuffer &src, const GuardedBuffer &dst) const;
  Error describeChange(const Run &run, int64_t dstOffset);

  const Problem &problem;
  const permc_kernel &kernel;
  const Footprint srcPrint, dstPrint;
  unsigned rounds = 1;
  /// The images of both buffers in this round.
  std::vector<uint8_t> labels, expected;
  VerifyReport report;
};

Footprint srcFootprint(const Problem &problem) {
  std::vector<StridedDim> dims;
  for (unsigned i = 0; i < problem.rank(); ++i)
    dims.push_back({problem.shape()[i], std::abs(problem.srcByteStrides()[i])});
  return {std::move(dims), problem.elementBytes()};
}

Footprint dstFootprint(const Problem &problem) {
  std::vector<StridedDim> dims;
  for (unsigned i = 0; i < problem.rank(); ++i)
    dims.push_back({problem.shape()[problem.perm()[i]],
                    std::abs(problem.dstByteStrides()[i])});
  return {std::move(dims), problem.elementBytes()};
}

Verifier::Verifier(const Problem &problem, const permc_kernel &kernel)
    : problem(problem), kernel(kernel), srcPrint(srcFootprint(problem)),
      dstPrint(dstFootprint(problem)) {
  // Offsets must stay below the two labels that are none.
  while (rounds < 8 && srcPrint.bytes() > (int64_t(1) << (8 * rounds)) - 2)
    ++rounds;
  report.elements = problem.elements();
}

//===----------------------------------------------------------------------===//
// What is checked
//===----------------------------------------------------------------------===//

Status Verifier::checkDescription() const {
  auto differ = [&](const std::string &what) -> Status {
    return Error{Cause::VerifyFailed,
                 std::string("kernel '") + (kernel.name ? kernel.name : "?") +
                     "' does not describe its problem: " + what};
  };
  if (!kernel.run || !kernel.run_part)
    return differ("an entry point is missing");
  if (kernel.rank != problem.rank())
    return differ("rank " + std::to_string(kernel.rank) + " instead of " +
                  std::to_string(problem.rank()));
  if (kernel.element_bytes != problem.elementBytes())
    return differ("elements of " + std::to_string(kernel.element_bytes) +
                  " bytes instead of " +
                  std::to_string(problem.elementBytes()));
  const Dims shape(kernel.shape, kernel.shape + kernel.rank);
  if (shape != problem.shape())
    return differ("shape " + spellList(shape) + " instead of " +
                  spellList(problem.shape()));
  const Dims perm(kernel.perm, kernel.perm + kernel.rank);
  if (perm != problem.perm())
    return differ("perm " + spellList(perm) + " instead of " +
                  spellList(problem.perm()));
  for (unsigned i = 0; i < problem.rank(); ++i)
    if (kernel.src_strides[i] * problem.elementBytes() !=
            problem.srcByteStrides()[i] ||
        kernel.dst_strides[i] * problem.elementBytes() !=
            problem.dstByteStrides()[i])
      return differ("the strides of dim " + std::to_string(i) + " are " +
                    std::to_string(kernel.src_strides[i]) + " and " +
                    std::to_string(kernel.dst_strides[i]) + " elements");
  if (kernel.src_bytes != uint64_t(problem.srcSpan()) ||
      kernel.dst_bytes != uint64_t(problem.dstSpan()))
    return differ("buffers of " + std::to_string(kernel.src_bytes) + " and " +
                  std::to_string(kernel.dst_bytes) + " bytes instead of " +
                  std::to_string(problem.srcSpan()) + " and " +
                  std::to_string(problem.dstSpan()));
  return Done{};
}

std::vector<Run> Verifier::chooseRuns() const {
  const int64_t e = problem.elementBytes() % lineBytes;
  const int64_t bytes = srcPrint.bytes() + dstPrint.bytes();
  const Placement end = {true, 0};

  std::vector<Run> runs = {{{}, {}}, {end, end}, {{false, 1}, {false, 3}}};
  if (bytes > largeBytes)
    return runs;
  runs.push_back({{}, end});
  for (int64_t offset : {e, int64_t(1), int64_t(3), lineBytes - e}) {
    offset %= lineBytes;
    runs.push_back({{}, {false, offset}});
    runs.push_back({{false, offset}, {}});
    runs.push_back({end, {false, offset}});
  }
  if (bytes <= smallBytes)
    for (int64_t offset = 0; offset < lineBytes; ++offset)
      runs.push_back({end, {false, offset}});
  return runs;
}

/// A few counts and one above the number of elements: no kernel has more units
/// of work than that, so some parts must find nothing to do. Where dst starts
/// within a line, parts that store whole lines meet within one.
std::vector<Run> Verifier::choosePartRuns() const {
  constexpr int64_t manyParts = 65537;
  const auto beyond = uint32_t(std::min(problem.elements() + 1, manyParts));
  const Placement odd = {false, 1}, within = {false, 3}, end = {true, 0};
  if (srcPrint.bytes() + dstPrint.bytes() > largeBytes)
    return {{{}, {}, 2}, {odd, within, 7}};
  std::vector<Run> runs = {{{}, {}, 64},
                           {{}, {}, beyond},
                           {odd, within, 2},
                           {odd, within, 7},
                           {end, end, 3}};
  for (uint32_t parts = 1; parts <= 9; ++parts)
    runs.push_back({{}, {}, parts});
  return runs;
}

Result<VerifyReport> Verifier::verify() {
  if (Status status = checkDescription(); !status)
    return status.error();
  if (Status status = checkVerifyMemory(problem); !status)
    return status.error();

  std::vector<Run> runs = chooseRuns();
  const std::vector<Run> partRuns = choosePartRuns();
  runs.insert(runs.end(), partRuns.begin(), partRuns.end());
  for (unsigned round = 0; round < rounds; ++round) {
    labelRound(round);
    for (const Run &run : runs)
      if (Status status = checkRun(run, round); !status)
        return status.error();
  }
  for (const Run &run : partRuns)
    if (Status status = checkParts(run); !status)
      return status.error();
  return report;
}

//===----------------------------------------------------------------------===//
// Where every byte belongs
//===----------------------------------------------------------------------===//

template <typename Visit> void Verifier::forEachElement(Visit visit) const {
  if (problem.isEmpty())
    return;
  const unsigned rank = problem.rank();
  Dims sizes(rank), srcStrides(rank), index(rank, 0);
  const Dims &dstStrides = problem.dstByteStrides();
  for (unsigned i = 0; i < rank; ++i) {
    sizes[i] = problem.shape()[problem.perm()[i]];
    srcStrides[i] = problem.srcByteStrides()[problem.perm()[i]];
  }
  Element element = {problem.srcOrigin(), problem.dstOrigin()};
  while (visit(element, index)) {
    unsigned dim = rank;
    for (; dim > 0; --dim) {
      const unsigned i = dim - 1;
      element.srcOffset += srcStrides[i];
      element.dstOffset += dstStrides[i];
      if (++index[i] < sizes[i])
        break;
      element.srcOffset -= sizes[i] * srcStrides[i];
      element.dstOffset -= sizes[i] * dstStrides[i];
      index[i] = 0;
    }
    if (dim == 0)
      return;
  }
}

void Verifier::labelRound(unsigned round) {
  labels.resize(srcPrint.bytes());
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = labelByte(i, round);

  expected.assign(dstPrint.bytes(), labelByte(notWritten, round));
  forEachElement([&](const Element &element, const Dims &) {
    const int64_t from = srcPrint.pack(element.srcOffset);
    const int64_t to = dstPrint.pack(element.dstOffset);
    for (int64_t i = 0; i < problem.elementBytes(); ++i)
      expected[to + i] = labelByte(from + i, round);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status Verifier::call(const Run &run, GuardedBuffer &src, GuardedBuffer &dst,
                      const PartFilter *filter) {
  ++report.runs;
  src.protectFromWrites(true);
  const std::optional<Fault> fault = trapFaults([&] {
    if (run.parts == 0)
      kernel.run(src.data(), dst.data());
    for (uint32_t part = 0; part < run.parts; ++part)
      if (!filter || ((part >> filter->bit) & 1) == filter->value)
        kernel.run_part(src.data(), dst.data(), part, run.parts);
  });
  src.protectFromWrites(false);
  if (fault)
    return describeFault(run, *fault, src, dst);
  return Done{};
}

Result<Verifier::Buffers> Verifier::mapBuffers(const Run &run) const {
  auto src = GuardedBuffer::map(srcPrint, run.src);
  if (!src)
    return src.error();
  auto dst = GuardedBuffer::map(dstPrint, run.dst);
  if (!dst)
    return dst.error();
  return Buffers{std::move(*src), std::move(*dst)};
}

Status Verifier::checkRun(const Run &run, unsigned round) {
  auto buffers = mapBuffers(run);
  if (!buffers)
    return buffers.error();
  auto &[src, dst] = *buffers;
  src.fill(labels, labelByte(outsideSrc, round));
  dst.fill(labelByte(notWritten, round));
  if (Status status = call(run, src, dst); !status)
    return status;
  if (auto changed = dst.findChange(expected, labelByte(notWritten, round)))
    return describeChange(run, *changed);
  return Done{};
}

/// The parts must be disjoint; that together they are complete, checkRun saw.
Status Verifier::checkParts(const Run &run) {
  auto buffers = mapBuffers(run);
  if (!buffers)
    return buffers.error();
  auto &[src, dst] = *buffers;
  src.fill(0);
  for (unsigned bit = 0; (uint64_t(run.parts) - 1) >> bit; ++bit)
    if (Status status = checkPartBit(run, src, dst, bit); !status)
      return status;
  return Done{};
}

Status Verifier::checkPartBit(const Run &run, GuardedBuffer &src,
                              GuardedBuffer &dst, unsigned bit) {
  // src is all zero, so a byte of dst that is not 0xFF any more was written.
  std::vector<uint8_t> &writtenByClear = expected;
  PartFilter filter = {bit, false};
  dst.fill(0xFF);
  if (Status status = call(run, src, dst, &filter); !status)
    return status;
  for (const Extent &extent : dstPrint.extents())
    std::copy_n(dst.data() + extent.begin, extent.size(),
                writtenByClear.data() + extent.packed);

  filter.value = true;
  dst.fill(0xFF);
  if (Status status = call(run, src, dst, &filter); !status)
    return status;

  const bool startsOnLine = uintptr_t(dst.data()) % lineBytes == 0;
  int64_t line = -1;
  bool clear = false, set = false;
  for (const Extent &extent : dstPrint.extents())
    for (int64_t i = 0; i < extent.size(); ++i) {
      const int64_t offset = extent.begin + i;
      const bool byClear = writtenByClear[extent.packed + i] != 0xFF;
      const bool bySet = dst.data()[offset] != 0xFF;
      if (byClear && bySet)
        return fail(run, "byte " + std::to_string(offset) +
                             " of dst is written by more than one part");
      if (offset / lineBytes != line) {
        line = offset / lineBytes;
        clear = set = false;
      }
      clear |= byClear;
      set |= bySet;
      if (clear && set && startsOnLine)
        return fail(run, "the line at byte " +
                             std::to_string(line * lineBytes) +
                             " of dst is written by more than one part");
    }
  return Done{};
}

//===----------------------------------------------------------------------===//
// What went wrong
//===----------------------------------------------------------------------===//

std::string spellPlacement(const char *buffer, Placement place) {
  if (place.atEnd)
    return std::string(buffer) + " ends at a page";
  return std::string(buffer) + " starts " + std::to_string(place.offset) +
         " bytes past a page";
}

Error Verifier::fail(const Run &run, const std::string &what) const {
  std::string message = std::string("kernel '") + kernel.name + "': " + what +
                        " (" + spellPlacement("src", run.src) + ", " +
                        spellPlacement("dst", run.dst);
  if (run.parts != 0)
    message += ", in " + std::to_string(run.parts) + " parts";
  return {Cause::VerifyFailed, message + ")"};
}

Error Verifier::describeFault(const Run &run, const Fault &fault,
                              const GuardedBuffer &src,
                              const GuardedBuffer &dst) const {
  if (fault.badInstruction)
    return fail(run, "it uses an instruction that this machine does not have");
  // The nearer buffer is the one it meant.
  const int64_t fromSrc = int64_t(fault.address) - int64_t(src.data());
  const int64_t fromDst = int64_t(fault.address) - int64_t(dst.data());
  auto distance = [](int64_t offset, int64_t span) {
    return std::max({-offset, offset - span, int64_t(0)});
  };
  const int64_t srcSpan = srcPrint.span(), dstSpan = dstPrint.span();
  const bool meantSrc = distance(fromSrc, srcSpan) < distance(fromDst, dstSpan);
  const int64_t offset = meantSrc ? fromSrc : fromDst;
  const int64_t span = meantSrc ? srcSpan : dstSpan;
  const std::string name = meantSrc ? "src" : "dst";
  if (meantSrc && src.exists(offset))
    return fail(run, "it wrote to src at offset " + std::to_string(offset));
  if (offset >= 0 && offset < span)
    return fail(run, "it touched " + name + " at offset " +
                         std::to_string(offset) +
                         ", pages away from any element");
  return fail(run, "it touched memory outside " + name + " at offset " +
                       std::to_string(offset) + "; " + name + " has " +
                       std::to_string(span) + " bytes");
}

std::optional<Dims> Verifier::outputIndexAt(int64_t dstOffset) const {
  std::optional<Dims> found;
  forEachElement([&](const Element &element, const Dims &index) {
    const int64_t inside = dstOffset - element.dstOffset;
    if (inside >= 0 && inside < problem.elementBytes())
      found = index;
    return !found;
  });
  return found;
}

std::optional<Dims> Verifier::inputIndexAt(int64_t srcOffset) const {
  std::optional<Dims> found;
  forEachElement([&](const Element &element, const Dims &index) {
    const int64_t inside = srcOffset - element.srcOffset;
    if (inside >= 0 && inside < problem.elementBytes())
      found = toInputIndex(index);
    return !found;
  });
  return found;
}

Dims Verifier::toInputIndex(const Dims &outputIndex) const {
  Dims inputIndex(problem.rank());
  for (unsigned i = 0; i < problem.rank(); ++i)
    inputIndex[problem.perm()[i]] = outputIndex[i];
  return inputIndex;
}

/// Runs all rounds again to read the whole label of one byte. What it cannot
/// read of a label is ones, as in those that are no offset.
Result<uint64_t> Verifier::readLabel(const Run &run, int64_t dstOffset) {
  auto buffers = mapBuffers(run);
  if (!buffers)
    return buffers.error();
  auto &[src, dst] = *buffers;
  uint64_t label = notWritten;
  for (unsigned round = 0; round < rounds; ++round) {
    labelRound(round);
    src.fill(labels, labelByte(outsideSrc, round));
    dst.fill(labelByte(notWritten, round));
    if (Status status = call(run, src, dst); !status)
      return status.error();
    const uint8_t missing = ~dst.data()[dstOffset];
    label &= ~(uint64_t(missing) << (8 * round));
  }
  const uint64_t readable = notWritten >> (64 - 8 * rounds);
  const bool isOffset = (label & readable) < uint64_t(srcPrint.bytes());
  return isOffset ? label & readable : label;
}

/// The number of the part that writes a byte, bit by bit.
Result<uint32_t> Verifier::writerOf(const Run &run, int64_t dstOffset) {
  auto buffers = mapBuffers(run);
  if (!buffers)
    return buffers.error();
  auto &[src, dst] = *buffers;
  src.fill(0);
  uint32_t writer = 0;
  for (unsigned bit = 0; (uint64_t(run.parts) - 1) >> bit; ++bit) {
    const PartFilter filter = {bit, true};
    dst.fill(0xFF);
    if (Status status = call(run, src, dst, &filter); !status)
      return status.error();
    if (dst.data()[dstOffset] != 0xFF)
      writer |= uint32_t(1) << bit;
  }
  return writer;
}

Error Verifier::describeChange(const Run &run, int64_t dstOffset) {
  const std::string where = "byte " + std::to_string(dstOffset) + " of dst";
  if (dstOffset < 0 || dstOffset >= dstPrint.span())
    return fail(run, "it touched memory outside dst at offset " +
                         std::to_string(dstOffset) + "; dst has " +
                         std::to_string(dstPrint.span()) + " bytes");
  const std::optional<Dims> output = outputIndexAt(dstOffset);
  if (!output)
    return fail(run, "it wrote " + where + ", which is padding");

  const Result<uint64_t> label = readLabel(run, dstOffset);
  if (!label)
    return label.error();
  const Dims wanted = toInputIndex(*output);
  std::string found;
  if (*label == notWritten)
    found = "was not written";
  else if (*label >= uint64_t(srcPrint.bytes()))
    found = "holds something that is not in src";
  else if (auto input = inputIndexAt(srcPrint.unpack(int64_t(*label))))
    found = *input == wanted ? "holds the wrong byte of its element"
                             : "holds input element " + spellList(*input);
  else
    found = "holds the padding of src at offset " +
            std::to_string(srcPrint.unpack(int64_t(*label)));
  if (run.parts != 0 && *label != notWritten) {
    const Result<uint32_t> part = writerOf(run, dstOffset);
    if (!part)
      return part.error();
    found += ", written by part " + std::to_string(*part);
  }
  return fail(run, "output element " + spellList(*output) + " (" + where +
                       ") " + found + "; it should hold input element " +
                       spellList(wanted));
}

} // namespace

Status permc::checkVerifyMemory(const Problem &problem) {
  constexpr double gib = 1 << 30;
  // Both buffers and their images, and one more copy of dst for the parts.
  const double needed = 2.0 * double(srcFootprint(problem).bytes()) +
                        3.0 * double(dstFootprint(problem).bytes());
  const double allowed =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)) / 2;
  if (needed <= allowed)
    return Done{};
  return Error{Cause::Unsupported,
               "verifying " + spellShape(problem.shape()) + " elements of " +
                   std::to_string(problem.elementBytes()) + " bytes needs " +
                   std::to_string(int64_t(needed / gib)) +
                   " GiB of memory; half of this machine's is " +
                   std::to_string(int64_t(allowed / gib)) + " GiB"};
}

Result<VerifyReport> permc::verifyKernel(const Problem &problem,
                                         const permc_kernel &kernel) {
  return Verifier(problem, kernel).verify();
}
