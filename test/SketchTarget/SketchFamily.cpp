//===- SketchFamily.cpp - a family of targets from outside ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RISC-V as a folder of codegen_targets would begin: facts of a machine with
// 8-byte words, a planner that gathers, code of its own for such tiles, and a
// say in LLVM's back end. The last line registers it; nothing else in permc
// knows.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/TargetPlanner.h"
#include "permc/Targets/TargetFamily.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace permc;
using mlir::Value;

namespace {

/// Gathers eight rows of a column at a time.
struct SketchPlanner : TargetPlanner {
  std::string name() const override { return "sketch"; }

  std::optional<OwnMoves> tryTile(const Problem &problem,
                                  const TargetFacts &facts, size_t src,
                                  size_t dst) const override {
    constexpr int64_t rows = 8;
    Schedule schedule;
    schedule.kernel = micro::Gather{};
    schedule.vectorBytes = facts.wordBytes;
    schedule.tile.assign(problem.rank(), 1);
    schedule.tile[dst] = rows;
    if (problem.loopDims()[dst].size < rows || !gatherTile(problem, schedule))
      return std::nullopt;
    return OwnMoves{std::move(schedule), src, dst, "columns are gathered"};
  }
};

/// Columns element by element, behind a mark that is seen in assembly.
class MarkedGather : public OwnTile {
public:
  explicit MarkedGather(const TileSite &site)
      : b(site.b), constant(site.constant),
        tile(*gatherTile(site.problem, site.schedule)) {}

  void emit(Place src, Place dst) override {
    mlir::LLVM::InlineAsmOp::create(
        b, mlir::TypeRange(), mlir::ValueRange(), "# sketched gather",
        /*constraints=*/"", /*has_side_effects=*/true,
        /*is_align_stack=*/false, mlir::LLVM::TailCallKind::None,
        /*asm_dialect=*/{}, /*operand_attrs=*/{});
    auto type = mlir::VectorType::get({tile.elementBytes}, b.getI8Type());
    auto at = [&](const Place &place, int64_t bytes) -> Value {
      return mlir::arith::AddIOp::create(b, place.offset, constant(bytes));
    };
    for (const GatherTile::Column &column : tile.columns)
      for (int64_t row = 0; row < tile.rows; ++row) {
        Value element = mlir::vector::LoadOp::create(
            b, type, src.buffer, at(src, column.src + row * tile.rowStride));
        mlir::vector::StoreOp::create(
            b, element, dst.buffer,
            at(dst, column.dst + row * tile.elementBytes));
      }
  }

private:
  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  const GatherTile tile;
};

const SketchPlanner planner;

struct SketchFamily : TargetFamily {
  void addTargets(std::vector<Target> &targets) const override {
    Target target;
    target.name = "riscv64-sketch";
    target.family = "riscv";
    target.description = "RISC-V in a test";
    target.triple = "riscv64-unknown-linux-gnu";
    target.cpu = "generic-rv64";
    target.features = "+m,+unaligned-scalar-mem";
    target.facts.gatherLoads = true;
    target.facts.planner = &planner;
    targets.push_back(std::move(target));
  }

  std::unique_ptr<OwnTile> makeTile(const TileSite &site) const override {
    if (!is<micro::Gather>(site.schedule))
      return nullptr;
    return std::make_unique<MarkedGather>(site);
  }

  BackendStep backendStep(const llvm::Triple &,
                          llvm::StringRef name) const override {
    BackendStep step;
    step.runs = name != "Constant Hoisting";
    return step;
  }
};

const SketchFamily family;
const RegisterTargetFamily registered(family);

} // namespace
