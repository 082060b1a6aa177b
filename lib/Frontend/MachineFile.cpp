//===- MachineFile.cpp - a machine's quantities in a file -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing go by the table of keys. What a value may be goes by
// its unit; what values may be together is checked once all are read, for some
// of them are the target's.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/MachineFile.h"

#include "YamlTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <bit>
#include <charconv>
#include <cmath>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// What values of a unit may be. The bounds keep what is calculated from them
/// within 63 bits; no machine comes near.
struct Range {
  StringRef unit;
  double least, most;
};
constexpr Range ranges[] = {
    {"bytes", 1, 1e12},       {"ways", 1, 1024},  {"pages", 1, 1e9},
    {"ns", 0.001, 1e6},       {"cycles", 0, 1e6}, {"streams", 1, 1e6},
    {"instructions", 1, 1e6},
};

const Range &rangeOf(const MachineKey &key) {
  return *llvm::find_if(
      ranges, [&](const Range &range) { return range.unit == key.unit; });
}

/// "a whole number of bytes from 1 to 1e+12".
std::string expectedOf(const MachineKey &key, bool isWhole) {
  const Range &range = rangeOf(key);
  return std::string(isWhole ? "a whole number of " : "a number of ") +
         key.unit + " from " + spellQuantity(range.least) + " to " +
         spellQuantity(range.most);
}

/// Two names that are a letter or two apart are likely the same.
constexpr unsigned maxDistance = 2;

class MachineReader {
public:
  MachineReader(const YamlNode &root, const std::string &path,
                const Machine &machine)
      : root(root), path(path), machine(machine) {}

  Result<Machine> read() {
    if (root.kind != YamlNode::Mapping)
      return fail(root, "this is no machine; expected lines such as 'l2Ns: "
                        "0.3', as 'permc calibrate' writes them");
    for (const YamlNode &node : root.children)
      if (Status ok = take(node); !ok)
        return ok.error();
    if (Status ok = checkTogether(); !ok)
      return ok.error();
    return machine;
  }

private:
  Error fail(const YamlNode &node, const Twine &message) const {
    return errorAt(path, node.place, Cause::BadFile, message.str());
  }

  Status take(const YamlNode &node) {
    Status status = unknown(node);
    visitMachine(machine, [&](const MachineKey &key, auto &value) {
      if (node.key == key.name)
        status = takeValue(node, key, value);
    });
    return status;
  }

  template <typename Value>
  Status takeValue(const YamlNode &node, const MachineKey &key, Value &value) {
    constexpr bool isWhole = std::is_integral_v<Value>;
    const StringRef text = node.text;
    const Range &range = rangeOf(key);
    double number = 0;
    if (node.kind != YamlNode::Scalar || text.getAsDouble(number) ||
        !(number >= range.least && number <= range.most) ||
        (isWhole && number != std::floor(number)))
      return fail(node,
                  "'" + node.key + "' is " +
                      (node.kind == YamlNode::Scalar ? "'" + node.text + "'"
                                                     : "no number") +
                      "; expected " + expectedOf(key, isWhole));
    value = static_cast<Value>(number);
    return Done{};
  }

  Status unknown(const YamlNode &node) const {
    std::string known, nearest;
    unsigned least = maxDistance + 1;
    visitMachine(machine, [&](const MachineKey &key, auto &) {
      known += (known.empty() ? "" : ", ") + std::string(key.name);
      const unsigned distance =
          StringRef(key.name).edit_distance_insensitive(node.key);
      if (distance < least) {
        least = distance;
        nearest = std::string(key.name);
      }
    });
    return fail(node,
                "unknown key '" + node.key + "'; " +
                    (nearest.empty() ? "expected one of " + known
                                     : "did you mean '" + nearest + "'?"));
  }

  /// Where the file names one of these, or begins.
  const YamlNode &nodeOf(std::initializer_list<StringRef> keys) const {
    for (StringRef key : keys)
      if (const YamlNode *node = root.find(key))
        return *node;
    return root;
  }

  Status checkTogether() const {
    const auto line = static_cast<uint64_t>(machine.lineBytes);
    if (!std::has_single_bit(line) || line < 16 || line > 4096)
      return fail(nodeOf({"lineBytes"}),
                  "'lineBytes' is " + Twine(line) +
                      "; expected a power of two from 16 to 4096");
    if (Status ok =
            checkCache("l1Bytes", machine.l1Bytes, "l1Ways", machine.l1Ways);
        !ok)
      return ok;
    if (Status ok =
            checkCache("l2Bytes", machine.l2Bytes, "l2Ways", machine.l2Ways);
        !ok)
      return ok;
    if (Status ok =
            checkRises("l1Bytes", machine.l1Bytes, "l2Bytes", machine.l2Bytes);
        !ok)
      return ok;
    return checkRises("l2Bytes", machine.l2Bytes, "l3Bytes", machine.l3Bytes);
  }

  Status checkCache(StringRef bytesKey, int64_t bytes, StringRef waysKey,
                    int64_t ways) const {
    if (ways == 0 || bytes == 0 || bytes % (ways * machine.lineBytes) == 0)
      return Done{};
    return fail(nodeOf({bytesKey, waysKey}),
                bytesKey + " " + Twine(bytes) + " with " + waysKey + " " +
                    Twine(ways) + "; expected a multiple of " + waysKey +
                    " times lineBytes, " + Twine(ways * machine.lineBytes));
  }

  /// Some targets have no second or third cache.
  Status checkRises(StringRef insideKey, int64_t inside, StringRef outsideKey,
                    int64_t outside) const {
    if (inside == 0 || outside == 0 || inside <= outside)
      return Done{};
    return fail(nodeOf({insideKey, outsideKey}),
                insideKey + " " + Twine(inside) + " is more than " +
                    outsideKey + " " + Twine(outside) +
                    "; expected each cache to be as large as the one before, "
                    "or larger");
  }

  const YamlNode &root;
  const std::string &path;
  Machine machine;
};

} // namespace

Result<Machine> permc::parseMachine(std::string_view text,
                                    const std::string &path,
                                    const Machine &machine) {
  auto root = parseYaml(text, path);
  if (!root)
    return root.error();
  return MachineReader(*root, path, machine).read();
}

Result<Machine> permc::readMachineFile(const std::string &path,
                                       const Machine &machine) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return Error{Cause::BadFile, "cannot read the machine '" + path +
                                     "': " + buffer.getError().message()};
  return parseMachine((*buffer)->getBuffer(), path, machine);
}

std::string permc::spellQuantity(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, std::end(text), value);
  return {text, end};
}

std::string permc::spellMachine(
    const Machine &machine, const std::string &firstLine,
    const std::function<std::string(const MachineKey &)> &note) {
  constexpr size_t commentColumn = 30;
  std::string text = "# " + firstLine + "\n";
  visitMachine(machine, [&](const MachineKey &key, const auto &value) {
    // 0 is "not known", which is said by saying nothing.
    if (value == 0)
      return;
    std::string line = std::string(key.name) + ": " +
                       spellQuantity(static_cast<double>(value));
    line.resize(std::max(line.size() + 1, commentColumn), ' ');
    const std::string more = note(key);
    text += line + "# " + key.unit + ": " + key.description +
            (more.empty() ? "" : "; " + more) + "\n";
  });
  return text;
}
