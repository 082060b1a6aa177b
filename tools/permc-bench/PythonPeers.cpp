//===- PythonPeers.cpp - numpy and torch, in a process of their own -------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A peer in Python has buffers of its own, filled with the same bytes, and
// times its calls itself, but only when it is its turn: it takes part in the
// rounds like the others. The other side is benchmarks/python_peers.py.
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

#include "Subprocess.h"

#include "llvm/Support/CRC.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using namespace permc::bench;
namespace json = llvm::json;

namespace {

class PythonPeer : public Peer {
public:
  PythonPeer(std::string name, std::unique_ptr<Subprocess> process)
      : name(std::move(name)), process(std::move(process)) {}

  Result<std::optional<Competitor>> enter(const Case &one,
                                          const Workspace &workspace) override;

private:
  /// What the process answers to `request`; nothing after it died.
  std::optional<json::Object> ask(json::Object request);
  double time(int64_t calls);

  std::string name;
  std::unique_ptr<Subprocess> process;
};

std::optional<json::Object> PythonPeer::ask(json::Object request) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(request));
  if (!process->writeLine(text))
    return std::nullopt;
  const auto line = process->readLine();
  if (!line)
    return std::nullopt;
  auto answer = json::parse(*line);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return std::nullopt;
  }
  json::Object *object = answer->getAsObject();
  return object ? std::optional(std::move(*object)) : std::nullopt;
}

double PythonPeer::time(int64_t calls) {
  const auto answer = ask(json::Object{{"time", calls}});
  const auto seconds = answer ? answer->getNumber("seconds") : std::nullopt;
  if (!seconds) {
    llvm::errs() << "permc-bench: error: the process of " << name << " died\n";
    std::exit(1);
  }
  return *seconds;
}

Result<std::optional<Competitor>>
PythonPeer::enter(const Case &one, const Workspace &workspace) {
  const Problem &problem = one.problem;
  const auto answer = ask(json::Object{{"shape", json::Array(problem.shape())},
                                       {"perm", json::Array(problem.perm())},
                                       {"elem_bytes", problem.elementBytes()},
                                       {"dst_offset", workspace.dstOffset()}});
  const auto crc = answer ? answer->getInteger("crc") : std::nullopt;
  if (!crc)
    return std::optional<Competitor>(); // a type it does not have
  const llvm::ArrayRef<uint8_t> want(
      reinterpret_cast<const uint8_t *>(workspace.want()),
      size_t(problem.bytesMoved()));
  if (*crc != int64_t(llvm::crc32(want)))
    return Error{Cause::VerifyFailed, name + " gives another result"};
  return std::optional(Competitor{name,
                                  {},
                                  [this](int64_t calls) { return time(calls); },
                                  answer->getNumber("seconds").value_or(0)});
}

/// The first Python that can import what the peer needs: Debian's own one has
/// Debian's packages, and need not be first on PATH.
Result<std::unique_ptr<Peer>> startPython(const std::string &name,
                                          unsigned threads) {
  std::vector<std::string> pythons = {"/usr/bin/python3"};
  if (auto found = llvm::sys::findProgramByName("python3"))
    pythons.push_back(*found);
  std::string why = "no python3";
  for (const std::string &python : pythons) {
    auto process = Subprocess::start(
        {python, PERMC_BENCH_PYTHON_PEERS, name, std::to_string(threads)});
    if (!process)
      continue;
    const auto line = (*process)->readLine();
    if (line == "ready")
      return std::unique_ptr<Peer>(
          std::make_unique<PythonPeer>(name, std::move(*process)));
    if (line && !line->empty())
      why = *line;
  }
  return Error{Cause::Unsupported, why};
}

} // namespace

Result<std::unique_ptr<Peer>> bench::startNumpy(unsigned threads) {
  if (threads != 1)
    return Error{Cause::Unsupported, "it has one thread only"};
  return startPython("numpy", threads);
}

Result<std::unique_ptr<Peer>> bench::startTorch(unsigned threads) {
  return startPython("torch", threads);
}
