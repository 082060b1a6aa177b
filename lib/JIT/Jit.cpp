//===- Jit.cpp - kernels in this process ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The object that the ahead-of-time tool would write is linked into memory
// instead. It is made for the canonical problem, whose bytes lie where those of
// the request lie; what a kernel says of itself is made anew for each request.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Jit.h"

#include "CodeLoader.h"
#include "DiskCache.h"
#include "KernelCache.h"
#include "KernelKey.h"

#include "permc/Frontend/MachineFile.h"
#include "permc/JIT/Host.h"
#include "permc/Threads/ForkGuard.h"

#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>

using namespace permc;

namespace {

/// The symbol of every kernel compiled here; each has a library of its own.
constexpr const char *kernelSymbol = "permc_kernel";

/// A kernel's description with all that it points to.
struct Description {
  permc_kernel info;
  Dims shape, perm, srcStrides, dstStrides; ///< in elements
  std::string name, element, target;
  std::shared_ptr<const Code> code;
};

/// What `code` is in the terms of `request`.
std::shared_ptr<const permc_kernel> describe(const Request &request,
                                             std::shared_ptr<const Code> code) {
  const Problem &problem = request.problem;
  const int64_t element = problem.elementBytes();
  auto made = std::make_shared<Description>();
  made->shape = problem.shape();
  made->perm = problem.perm();
  made->srcStrides = problem.srcStrides();
  made->dstStrides = problem.dstStrides();
  made->name = request.name;
  made->element = request.element;
  made->target = request.target.resolvedName();
  made->info = code->kernel(); // entry points, alignment
  permc_kernel &info = made->info;
  info.size = sizeof info;
  info.rank = problem.rank();
  info.element_bytes = uint32_t(element);
  info.src_bytes = uint64_t(problem.srcSpan());
  info.dst_bytes = uint64_t(problem.dstSpan());
  info.shape = made->shape.data();
  info.perm = made->perm.data();
  info.src_strides = made->srcStrides.data();
  info.dst_strides = made->dstStrides.data();
  info.name = made->name.c_str();
  info.element = made->element.c_str();
  info.target = made->target.c_str();
  made->code = std::move(code);
  return {made, &made->info};
}

} // namespace

struct Jit::State {
  State(int64_t cacheBytes, std::shared_ptr<CodeLoader> loader,
        std::unique_ptr<DiskCache> disk)
      : loader(std::move(loader)), disk(std::move(disk)), cache(cacheBytes),
        guard({[this] { lockAll(); }, [this] { unlockAll(); },
               [this] {
                 cache.forgetFlights();
                 unlockAll();
               }}) {}

  // No thread takes one of these while it holds another.
  void lockAll() {
    compiling.lock();
    loader->mutex().lock();
    cache.mutex().lock();
  }
  void unlockAll() {
    cache.mutex().unlock();
    loader->mutex().unlock();
    compiling.unlock();
  }

  Result<std::shared_ptr<const Code>> make(const Problem &canonical,
                                           const Request &request,
                                           const std::string &key);
  Status checkRuns(const Target &target);
  Status readMachine(const std::string &path);
  Status applyMachine(Target &target) const;
  Result<std::string> compile(const Problem &canonical, const Request &request);

  std::mutex compiling; ///< guards the next two
  /// Made when it is first needed: a process that finds all its kernels on disk
  /// never pays for it.
  std::optional<Compiler> compiler;
  std::set<std::string> runnable; ///< targets known to run here

  const std::shared_ptr<CodeLoader> loader;
  const std::unique_ptr<DiskCache> disk; ///< null for none
  KernelCache cache;
  /// Its text, as it was when the Jit was made; both empty for none.
  std::string machineFile, machineText;
  std::atomic<uint64_t> compiled = 0, readFromDisk = 0;

  ForkGuard guard;
};

Status Jit::State::checkRuns(const Target &target) {
  std::lock_guard<std::mutex> lock(compiling);
  const std::string machine =
      target.triple + "/" + target.cpu + "/" + target.features;
  if (runnable.contains(machine))
    return Done{};
  if (Status ok = checkRunsHere(target); !ok)
    return ok;
  runnable.insert(machine);
  return Done{};
}

Result<std::string> Jit::State::compile(const Problem &canonical,
                                        const Request &request) {
  Request plain{kernelSymbol, canonical,
                "bytes" + std::to_string(canonical.elementBytes()),
                request.target, request.schedule};
  plain.unaligned = request.unaligned;
  std::lock_guard<std::mutex> lock(compiling);
  if (!compiler)
    compiler.emplace();
  Result<Artifact> object = compiler->compile({plain}, Emit::Object);
  if (!object)
    return object.error();
  ++compiled;
  return std::move(object->bytes);
}

Result<std::shared_ptr<const Code>> Jit::State::make(const Problem &canonical,
                                                     const Request &request,
                                                     const std::string &key) {
  if (Status ok = checkRuns(request.target); !ok)
    return ok.error();
  if (disk)
    if (std::optional<std::string> object = disk->read(key))
      // What a damaged file still lets through the linker finds.
      if (auto code = loader->load(*object, kernelSymbol)) {
        ++readFromDisk;
        return code;
      }
  Result<std::string> object = compile(canonical, request);
  if (!object)
    return object.error();
  auto code = loader->load(*object, kernelSymbol);
  if (code && disk)
    disk->write(key, *object);
  return code;
}

Jit::Jit() = default;
Jit::~Jit() = default;

Result<std::unique_ptr<Jit>> Jit::create(const JitOptions &options) {
  std::unique_ptr<DiskCache> disk;
  if (!options.cacheDirectory.empty()) {
    auto opened =
        DiskCache::open(options.cacheDirectory, options.cacheDirectoryBytes);
    if (!opened)
      return opened.error();
    disk = std::move(*opened);
  }
  auto loader = CodeLoader::create();
  if (!loader)
    return loader.error();
  std::unique_ptr<Jit> jit(new Jit);
  jit->state = std::make_unique<State>(options.cacheBytes, std::move(*loader),
                                       std::move(disk));
  if (Status ok = jit->state->readMachine(options.machineFile); !ok)
    return ok.error();
  return jit;
}

/// What is wrong with the file is said now, and not with the first kernel.
Status Jit::State::readMachine(const std::string &path) {
  if (path.empty())
    return Done{};
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return Error{Cause::BadFile, "cannot read the machine '" + path +
                                     "': " + text.getError().message()};
  machineFile = path;
  machineText = (*text)->getBuffer().str();
  auto native = permc::findTarget("native");
  if (!native)
    return native.error();
  return applyMachine(*native);
}

Status Jit::State::applyMachine(Target &target) const {
  if (machineFile.empty())
    return Done{};
  auto machine = parseMachine(machineText, machineFile, target.facts);
  if (!machine)
    return machine.error();
  static_cast<Machine &>(target.facts) = *machine;
  return Done{};
}

Result<Target> Jit::findTarget(std::string_view name) const {
  auto target = permc::findTarget(name);
  if (target)
    if (Status ok = state->applyMachine(*target); !ok)
      return ok.error();
  return target;
}

Result<Kernel> Jit::compile(const Request &request) {
  if (request.dynamic)
    return Error{Cause::Unsupported,
                 request.name + " has dynamic dims, " +
                     spellShape(request.dynamic->shape()) +
                     "; expected a static shape: the JIT makes a kernel for "
                     "each"};
  constexpr int64_t maxElement = UINT32_MAX; // permc_kernel has 32 bits for it
  if (request.problem.elementBytes() > maxElement)
    return Error{Cause::BadElement,
                 "an element of " +
                     std::to_string(request.problem.elementBytes()) +
                     " bytes; expected at most " + std::to_string(maxElement)};
  const Problem canonical =
      canonicalize(request.problem, request.target.facts.foldLimit);
  const std::string key = kernelKey(canonical, request);
  auto code = state->cache.get(
      key, [&] { return state->make(canonical, request, key); });
  if (!code)
    return code.error();
  return Kernel(::describe(request, std::move(*code)));
}

Result<Kernel> Jit::load(const std::string &object, const std::string &name) {
  auto code = state->loader->load(object, name);
  if (!code)
    return code.error();
  const permc_kernel *info = &(*code)->kernel();
  return Kernel(std::shared_ptr<const permc_kernel>(std::move(*code), info));
}

JitStatistics Jit::statistics() {
  KernelCache::Counts cached = state->cache.counts();
  return {state->compiled,  state->readFromDisk, cached.hits,
          cached.evictions, cached.kernels,      cached.bytes};
}
