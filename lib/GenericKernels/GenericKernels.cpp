//===- GenericKernels.cpp - compile the shim's kernels --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels the shim has. Each is the micro kernel of an ordinary problem
// of two dims, made and proven by Plan: only that a side whose place is not
// known until run time has a stride that no tensor has (`tableStride`), which
// the emitter turns into a look-up.
//
//===----------------------------------------------------------------------===//

#include "GenericKernels.h"

#include "Codegen.h"
#include "KernelEmitter.h"

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"
#include "permc/Runtime/GenericKernel.h"

#include "llvm/IR/LLVMContext.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

using namespace permc;

namespace {

constexpr int64_t lineBytes = 64;

/// Elements up to this size are transposed in registers.
constexpr int64_t maxTransposedBytes = 8;
/// Columns of a tile: enough work between two turns of a loop.
constexpr int64_t wideColumns = 16;
/// Rows and columns of a tile of elements that fill a lane each.
constexpr int64_t laneTile = 4;
/// More channels than this are few enough to be rare and many enough for code
/// of several KiB.
constexpr int64_t maxChannels = 8;
/// Vector moves of one run; longer runs are loops of the longest.
constexpr int64_t maxRunPieces = 8;

const char *familyName(KernelFamily family) {
  switch (family) {
  case KernelFamily::Transpose:
    return "transpose";
  case KernelFamily::Run:
    return "run";
  case KernelFamily::Stream:
    return "stream";
  case KernelFamily::Split:
    return "split";
  case KernelFamily::Join:
    return "join";
  }
  return "";
}

std::string identifier(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class SetBuilder {
public:
  SetBuilder(const Target &target, llvm::Module &module)
      : target(target), facts(target.facts), emitter(module) {}

  Status build() {
    for (int64_t element = 1; element <= maxTransposedBytes; ++element)
      if (Status ok = addTransposes(element); !ok)
        return ok;
    if (Status ok = addLanes(); !ok)
      return ok;
    for (int64_t element = 1; element <= maxTransposedBytes; ++element)
      for (int64_t count = 2;
           count * element <= interleavedBytes(element) && count <= maxChannels;
           ++count)
        if (Status ok = addInterleaves(element, count); !ok)
          return ok;
    addRuns();
    return Done{};
  }

  std::string table() const;

private:
  bool transposes(int64_t element) const {
    return facts.vectorBytes >= laneBytes &&
           (std::has_single_bit(uint64_t(element)) || facts.byteShuffle);
  }

  /// Channels of odd elements are rare.
  static int64_t interleavedBytes(int64_t element) {
    return std::has_single_bit(uint64_t(element)) ? maxInterleavedBytes
                                                  : laneBytes - 1;
  }

  std::string entry(KernelFamily family, int64_t element, int64_t rows,
                    int64_t columns, bool streaming, bool evenRows = false,
                    const TileWork &work = {}) {
    std::string name = "permc_rt_" + identifier(target.name) + "_" +
                       familyName(family) + std::to_string(element) + "_" +
                       std::to_string(rows) + "x" + std::to_string(columns) +
                       (evenRows ? "_even" : "") +
                       (streaming ? "_streaming" : "");
    kernels.push_back(
        {family, element, rows, columns, streaming, evenRows, work, name});
    return name;
  }

  /// Elements of 3, 5, 6 and 7 bytes travel in units of 4 and 8.
  Status addTransposes(int64_t element) {
    if (!transposes(element))
      return Done{};
    auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(element)));
    const int64_t lane = laneBytes / unit;
    std::set<int64_t> columns{lane, std::max(lane, wideColumns)};
    const int64_t widest = element == unit
                               ? std::max(facts.vectorBytes, lineBytes)
                               : facts.vectorBytes;
    for (int64_t width = laneBytes; width <= widest; width *= 2)
      for (int64_t count : columns)
        if (Status ok = addTile(micro::TileTranspose{}, element, width / unit,
                                count, false);
            !ok)
          return ok;
    if (element != unit)
      return Done{};
    // Dims too short for a lane: half of one, a quarter.
    for (int64_t few = lane / 2; few > 1 && few >= lane / 4; few /= 2) {
      for (int64_t width : {laneBytes, widest})
        if (Status ok = addTile(micro::TileTranspose{}, element, width / unit,
                                few, false);
            !ok)
          return ok;
      if (Status ok = addTile(micro::TileTranspose{}, element, few,
                              std::max(lane, wideColumns), false);
          !ok)
        return ok;
    }
    if (!facts.streamingStores)
      return Done{};
    for (int64_t count = lane; count <= wideColumns; count *= 2)
      if (Status ok = addTile(micro::TileTranspose{}, element, lineBytes / unit,
                              count, true);
          !ok)
        return ok;
    return Done{};
  }

  /// Elements of 16 bytes are put side by side in registers. Of few rows or
  /// columns there are tiles too.
  Status addLanes() {
    if (facts.vectorBytes < laneBytes)
      return Done{};
    const std::pair<int64_t, int64_t> tiles[] = {
        {laneTile, laneTile}, {2, laneTile}, {laneTile, 2}, {3, laneTile}};
    for (auto [rows, columns] : tiles)
      if (Status ok =
              addTile(micro::TileTranspose{}, laneBytes, rows, columns, false);
          !ok)
        return ok;
    if (facts.streamingStores)
      return addTile(micro::Scalar{}, laneBytes, laneTile, laneTile, true);
    return Done{};
  }

  static KernelEmitter::Stores storesOf(bool streaming) {
    return streaming ? KernelEmitter::Stores::Streaming
                     : KernelEmitter::Stores::Plain;
  }

  /// Of a tile anywhere: the shim does not know how it is aligned.
  TileWork workOf(const Network &network) const {
    return tileWork(network, laneBytes, laneBytes, facts, facts);
  }

  /// A tile with tables on both sides, and one whose rows are a stride apart,
  /// which most are.
  Status addTile(MicroKernel kernel, int64_t element, int64_t rows,
                 int64_t columns, bool streaming) {
    Schedule schedule;
    schedule.kernel = std::move(kernel);
    schedule.tile = {columns, rows};
    // Lines go out in one piece.
    schedule.streaming = streaming;
    schedule.vectorBytes =
        facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
    Result<Problem> problem = Problem::makeWithByteStrides(
        element, {rows, columns}, {1, 0}, {tableStride, element},
        {tableStride, element});
    if (!problem)
      return problem.error();
    Result<Network> network = tileNetwork(*problem, schedule, Places::Nominal);
    if (!network)
      return network.error();
    if (streaming && !network->storesWholeLines(lineBytes))
      return Done{};
    const int64_t rowBytes = columns * element;
    const TileWork work = workOf(*network);
    auto add = [&](Spacing spacing) {
      emitter.emitNetwork(entry(KernelFamily::Transpose, element, rows, columns,
                                streaming, spacing == Spacing::Even, work),
                          *network, {spacing, Spacing::Table},
                          storesOf(streaming),
                          /*prefetches=*/facts.streamingStores);
    };
    add(Spacing::Table);
    if (is<micro::TileTranspose>(schedule) && rowBytes >= laneBytes &&
        std::has_single_bit(uint64_t(element)))
      add(Spacing::Even);
    return Done{};
  }

  /// Pixels of few channels to planes and back, in the tile that Plan would
  /// take; and in the smallest, for tensors that are smaller than that.
  Status addInterleaves(int64_t element, int64_t count) {
    for (bool smallest : {false, true})
      for (KernelFamily family : {KernelFamily::Split, KernelFamily::Join})
        if (Status ok = addInterleave(family, element, count, smallest); !ok)
          return ok;
    return Done{};
  }

  Status addInterleave(KernelFamily family, int64_t element, int64_t count,
                       bool smallest) {
    constexpr int64_t many = 1 << 12;
    constexpr size_t manyFound = 1000;
    TargetFacts with = facts;
    if (smallest)
      with.vectorBytes = laneBytes;
    bool split = family == KernelFamily::Split;
    Result<Problem> problem =
        split ? Problem::makeWithByteStrides(element, {many, count}, {1, 0},
                                             {count * element, element},
                                             {tableStride, element})
              : Problem::makeWithByteStrides(element, {count, many}, {1, 0},
                                             {tableStride, element},
                                             {count * element, element});
    if (!problem)
      return problem.error();
    // Whatever does it in registers with all channels together.
    const std::vector<Schedule> found = candidates(*problem, with, manyFound);
    const auto suits = std::ranges::find_if(found, [&](const Schedule &one) {
      return !one.panel && !is<micro::TileTranspose>(one) &&
             !is<micro::Scalar>(one) && one.tile[split ? 0 : 1] == count;
    });
    if (suits == found.end())
      return Done{};
    Schedule schedule = *suits;
    schedule.streaming = false;
    int64_t &groups = schedule.tile[split ? 1 : 0];
    if (smallest && is<micro::Interleave>(schedule))
      groups = laneBytes / element;
    Result<Network> network = tileNetwork(*problem, schedule, Places::Nominal);
    if (!network)
      return network.error();
    int64_t stretch = split ? groups * element : groups * element * count;
    for (bool streaming : {false, true}) {
      if (streaming && (!facts.streamingStores || stretch % lineBytes != 0 ||
                        !network->storesWholeLines(lineBytes)))
        continue;
      std::string name = entry(family, element, groups, count, streaming,
                               /*evenRows=*/false, workOf(*network));
      if (std::count_if(kernels.begin(), kernels.end(),
                        [&](const Kernel &k) { return k.name == name; }) > 1) {
        kernels.pop_back();
        continue;
      }
      const KernelSides sides =
          split ? KernelSides{Spacing::Constant, Spacing::Table}
                : KernelSides{Spacing::Table, Spacing::Constant};
      emitter.emitNetwork(name, *network, sides, storesOf(streaming),
                          /*prefetches=*/facts.streamingStores && !streaming);
    }
    return Done{};
  }

  void addRuns() {
    const int64_t widest =
        facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
    for (int64_t width = 1; width <= widest; width *= 2)
      for (int64_t pieces = 1; pieces <= (width < widest ? 2 : maxRunPieces);
           ++pieces)
        emitter.emitRun(entry(KernelFamily::Run, width, pieces, 1, false),
                        width, pieces, false);
    if (!facts.streamingStores)
      return;
    const int64_t width = std::min(widest, lineBytes);
    for (int64_t lines = 1; lines <= maxStreamedLines; ++lines) {
      const int64_t pieces = lines * lineBytes / width;
      emitter.emitRun(entry(KernelFamily::Run, width, pieces, 1, true), width,
                      pieces, true);
    }
    emitter.emitStream(entry(KernelFamily::Stream, width, 1, 1, true), width);
  }

  struct Kernel {
    KernelFamily family;
    int64_t element, rows, columns;
    bool streaming, evenRows;
    TileWork work;
    std::string name;
  };

  const Target &target;
  const TargetFacts &facts;
  KernelEmitter emitter;
  std::vector<Kernel> kernels;
};

/// The facts that the shim plans with, as a constant expression.
std::string spellFacts(const TargetFacts &facts) {
  std::string text = "[] {\n      TargetFacts facts;";
  visitFacts(facts, [&](const char *name, const auto &value) {
    // How far moves reach is settled in the kernels.
    if constexpr (!requires { value.back; })
      text += std::string("\n      facts.") + name + " = " +
              std::to_string(value) + ";";
  });
  return text + "\n      return facts;\n    }()";
}

std::string SetBuilder::table() const {
  std::string set = genericSetName(target);
  std::string text = "// Made by permc. Do not edit.\n\n"
                     "#include \"permc/Runtime/GenericKernel.h\"\n\n"
                     "using namespace permc;\n\nextern \"C\" {\n";
  for (const Kernel &kernel : kernels)
    text += "[[gnu::visibility(\"hidden\")]] void " + kernel.name +
            "(const char *, char *, const KernelCall *);\n";
  text += "}\n\nstatic const GenericKernelInfo list[] = {\n";
  for (const Kernel &kernel : kernels) {
    std::string family = familyName(kernel.family);
    family[0] = static_cast<char>(std::toupper(family[0]));
    text +=
        "    {KernelFamily::" + family + ", " + std::to_string(kernel.element) +
        ", " + std::to_string(kernel.rows) + ", " +
        std::to_string(kernel.columns) + ", " +
        (kernel.streaming ? "true" : "false") + ", " +
        (kernel.evenRows ? "true" : "false") + ", {" +
        std::to_string(kernel.work.cycles) + ", " +
        std::to_string(kernel.work.start) + ", " +
        std::to_string(kernel.work.instructions) + "}, " + kernel.name + "},\n";
  }
  return text + "};\n\nnamespace permc {\nextern const GenericKernelSet " +
         set + ";\nconst GenericKernelSet " + set + " = {\n    \"" +
         target.name + "\",\n    " + spellFacts(target.facts) +
         ",\n    list, sizeof list / sizeof *list};\n} // namespace permc\n";
}

} // namespace

std::string permc::genericSetName(const Target &target) {
  return "kernels_" + identifier(target.name);
}

Result<GenericSources> permc::makeGenericKernels(const Target &target) {
  if (target.route != Target::Route::Object)
    return Error{Cause::Unsupported, "the target '" + target.name +
                                         "' makes C source; expected one that "
                                         "makes objects"};
  Codegen codegen;
  Result<Backend *> backend = codegen.backendFor(target);
  if (!backend)
    return backend.error();
  llvm::LLVMContext context;
  llvm::Module module("permc_rt_" + target.name, context);
  (*backend)->prepare(module);
  SetBuilder builder(target, module);
  if (Status ok = builder.build(); !ok)
    return ok.error();
  Result<std::string> assembly = (*backend)->emitAssembly(module);
  if (!assembly)
    return assembly.error();
  return GenericSources{std::move(*assembly), builder.table()};
}
