//===- TargetFamily.h - what a folder of targets brings ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that the rest of permc knows of the code in a folder of codegen_targets.
// A family whose machines differ in facts only overrides nothing but
// `addTargets`.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TARGETS_TARGETFAMILY_H
#define PERMC_TARGETS_TARGETFAMILY_H

#include "permc/Lowering/ConvertMoves.h"
#include "permc/Lowering/EmitMoves.h"
#include "permc/Targets/Target.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>

namespace llvm {
class Pass;
class Triple;
} // namespace llvm

namespace permc {

/// A tile that is to be carried out in a target's own instructions. A site, and
/// all that it refers to, outlives the tiles that are made for it: they keep a
/// reference, and it cannot be copied.
struct TileSite {
  /// From one tile to the next along the innermost loop, in bytes.
  struct Step {
    int64_t src, dst;
  };

  TileSite(mlir::ImplicitLocOpBuilder &b, Constants &constant,
           const Problem &problem, const Schedule &schedule,
           const Network &network, std::optional<Step> next)
      : b(b), constant(constant), problem(problem), schedule(schedule),
        network(network), next(next) {}
  TileSite(const TileSite &) = delete;
  TileSite &operator=(const TileSite &) = delete;

  /// Stands in front of the loops when a tile is made, then where it is to be.
  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  const Problem &problem;
  const Schedule &schedule;
  /// Its moves and shuffles; none if it is scalable.
  const Network &network;
  const std::optional<Step> next; ///< none: there is no loop
};

/// Whether a schedule is for instructions that only a target's family knows:
/// gathers, scalable vectors, pairs of words or vectors, tables, several
/// registers at once, structure moves that step along.
inline bool needsOwnTile(const Schedule &schedule) {
  const auto &streams = fieldsOf<micro::Interleave>(schedule);
  return is<micro::Gather>(schedule) || isScalable(schedule) ||
         pairAlignment(schedule) || movesVectorPairs(schedule) ||
         streams.tables || streams.vectorsPerLoad || streams.vectorsPerStore ||
         streams.lastLane || streams.structuresStep;
}

/// Code that moves one tile, wherever it is.
class OwnTile {
public:
  virtual ~OwnTile() = default;
  /// What src must be aligned to. Where it is not, the tile's network is
  /// carried out as on any machine.
  virtual int64_t srcAlignment() const { return 1; }
  virtual void emit(Place src, Place dst) = 0;
};

/// Code that moves one tile after the other, and whose addresses run along with
/// the loop.
class SteppingTile {
public:
  using Addresses = llvm::SmallVector<mlir::Value>;

  virtual ~SteppingTile() = default;
  /// Those of the tile whose first bytes are at `src` and `dst`.
  virtual Addresses startAt(Place src, Place dst) = 0;
  /// The tile at `at`. Returns where the next one is.
  virtual Addresses emit(Addresses at) = 0;
};

/// What becomes of one of LLVM's back-end passes, and what comes with it. The
/// pass manager owns the passes.
struct BackendStep {
  std::vector<llvm::Pass *> before, after;
  bool runs = true;
};

/// A kernel of a source file: what was asked for, and what was decided.
struct SourceKernel {
  std::string name, element;
  const Target &target;
  const Problem &given;
  Problem canonical;
  Schedule schedule;
  std::string scheduleText; ///< as `#permc.schedule<...>`
};

/// What a source file defines: the kernels and what describes them, or embARC
/// MLI's functions by them.
enum class SourceForm { Kernels, Mli };

class TargetFamily {
public:
  virtual ~TargetFamily() = default;

  virtual void addTargets(std::vector<Target> &targets) const = 0;

  /// The code of a tile whose schedule says what not all targets can do
  /// (needsOwnTile). Null: nor can this one.
  virtual std::unique_ptr<OwnTile> makeTile(const TileSite &) const {
    return nullptr;
  }

  /// ... that steps along.
  virtual std::unique_ptr<SteppingTile>
  makeSteppingTile(const TileSite &) const {
    return nullptr;
  }

  /// What turns the moves of kernels into the LLVM dialect. The general one
  /// knows no moves of permc's own dialect.
  virtual std::unique_ptr<MoveConverter>
  makeMoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                    int64_t integerBits) const {
    return std::make_unique<MoveConverter>(context, indexBits, integerBits);
  }

  /// Adds the passes from scheduled problems to source code. Only for targets
  /// whose route is not an object.
  using AddPass = llvm::function_ref<void(std::unique_ptr<mlir::Pass>)>;
  virtual void addSourcePasses(const Target &, AddPass) const {}

  /// The file of kernels whose functions these passes have made.
  virtual Result<std::string>
  writeSource(mlir::ModuleOp, llvm::ArrayRef<SourceKernel>, SourceForm) const {
    return Error{Cause::Unsupported, "the target makes no source code"};
  }

  /// Asked for each pass of LLVM's back end, by its name.
  virtual BackendStep backendStep(const llvm::Triple &, llvm::StringRef) const {
    return {};
  }
};

/// Adds a family, which outlives all use of targets, beside those of
/// codegen_targets. Fails if it is there already, if one of its targets has the
/// name of another, and once targets have been asked for: who has seen the list
/// need not look again. Any thread may call it.
Status registerTargetFamily(const TargetFamily &family);

/// The same by one line, a static object of the family's folder: the program
/// ends with the message if it fails.
struct RegisterTargetFamily {
  explicit RegisterTargetFamily(const TargetFamily &family);
};

/// The folders of codegen_targets.
const TargetFamily &x86Family();
const TargetFamily &armFamily();
const TargetFamily &arcFamily();
const TargetFamily &cFamily();

} // namespace permc

#endif // PERMC_TARGETS_TARGETFAMILY_H
