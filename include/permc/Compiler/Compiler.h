//===- Compiler.h - from a request to an artifact ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one pipeline. The ahead-of-time tool writes its artifacts to files, the
// JIT loads the object it makes.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_COMPILER_COMPILER_H
#define PERMC_COMPILER_COMPILER_H

#include "permc/Plan/Schedule.h"
#include "permc/Plan/ScheduleReasons.h"
#include "permc/Plan/Simplify.h"
#include "permc/Plan/Variants.h"
#include "permc/Targets/Target.h"

#include <memory>
#include <string>
#include <vector>

namespace permc {

enum class SourceForm;

/// One kernel to make.
struct Request {
  std::string name; ///< the kernel's symbol, a C identifier
  Problem problem;
  std::string element; ///< the element type as the user spelled it
  Target target;
  /// A schedule to use instead of the chosen one, as `#permc.schedule<...>`.
  std::string schedule;
  /// If some dims come with the call. `problem` has 1 in their place then.
  std::optional<DynamicProblem> dynamic = {};
  /// The dynamic dims of shapes that get static kernels within this one.
  std::vector<Dims> specialized = {};
  /// With `schedule`: another to use where dst does not begin with a line.
  /// Empty: the one that Plan chooses, if any.
  std::string unaligned = {};
  /// Better levels of `target`, rising (see findTargets): the kernel takes the
  /// best that the CPU it runs on has.
  std::vector<Target> better = {};

  /// One request for each level, by itself.
  std::vector<Request> levels() const;
  /// As findTargets takes them.
  std::string targetNames() const;
};

/// A request for a kernel with dynamic dims.
Request makeRequest(std::string name, DynamicProblem problem,
                    std::string element, Target target,
                    std::vector<Dims> specialized = {});

enum class Emit {
  Object,
  Assembly,
  LLVMIR,
  MLIR,
  C,
  MliC, ///< C that defines embARC MLI's mli_krn_permute_* by the kernels
  Header,
  Library
};

struct Artifact {
  std::string bytes;     ///< the file's contents
  int64_t textBytes = 0; ///< machine code, when there is any
  /// CPU time spent making it: what else the machine did meanwhile is no part.
  double milliseconds = 0;
};

/// What was decided for a request, before any code is made.
struct Decisions {
  std::vector<SimplifyStep> steps;
  Problem canonical;
  Schedule schedule;
  /// Instead, for a dst that does not begin with a line.
  std::optional<Schedule> unaligned = std::nullopt;
  /// Of `schedule`, if nobody wrote it.
  ScheduleReasons reasons = {};
};

/// The same for a request with dynamic dims.
struct DynamicDecisions {
  std::vector<DynamicStep> steps;
  DynamicProblem canonical;
  std::vector<Variant> variants;
};

/// Compiles requests. Keeps an MLIR context and LLVM target machines alive, so
/// the second kernel is cheaper than the first. One thread at a time; several
/// compilers on several threads do not meet.
class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(Compiler &&) noexcept;

  Result<Decisions> decide(const Request &request);
  static Result<DynamicDecisions> decideDynamic(const Request &request);

  /// One file for all requests; their targets must be of one machine, and for
  /// MLIR and C one target. `stopAfter` names a pass ("permc-fold") and needs
  /// Emit::MLIR.
  Result<Artifact> compile(const std::vector<Request> &requests, Emit emit,
                           const std::string &stopAfter = {});

private:
  Result<std::string> emitSource(const std::vector<Request> &requests,
                                 SourceForm form);

  struct State;
  std::unique_ptr<State> state;
};

/// LLVM's back end for this machine, ready to be asked for. Any thread may call
/// it, any number of times.
void initializeNativeTarget();

/// The objects of all requests, in their order, made on all CPUs: each by
/// itself, so that a library has one member a kernel.
Result<std::vector<Artifact>>
compileObjects(const std::vector<Request> &requests);

/// The static library of what compileObjects made for the same requests.
Result<std::string> makeLibrary(const std::vector<Request> &requests,
                                const std::vector<Artifact> &objects);

/// The C header that declares the kernels: no dependency but <stdint.h>.
/// `stem` is the file's name without its ending. `more` is C to follow the
/// kernels.
std::string writeHeader(const std::vector<Request> &requests,
                        const std::string &stem, const std::string &more = {});

/// `text` as part of a C identifier.
std::string identifierFor(const std::string &text);

/// The schedule as a person reads and writes it: `#permc.schedule<...>`.
std::string spellSchedule(const Schedule &schedule);

} // namespace permc

#endif // PERMC_COMPILER_COMPILER_H
