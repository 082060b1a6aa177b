//===- VectorPairs.cpp - moves of two vectors on AArch64 ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %a:fpr128, %b:fpr128 = LDNPQi %p, -64   ->   ... = LDPQi %p, -64
//   STNPQi %a, %b, %p, 32                   ->   STPQi %a, %b, %p, 32
//
//===----------------------------------------------------------------------===//

#include "VectorPairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"

namespace {

/// A move of two vectors with the hint, and the one with the same operands
/// without it. The names are all that is public of a back end's opcodes.
struct Pair {
  llvm::StringLiteral hinted, plain;
};
constexpr Pair pairs[] = {{"LDNPQi", "LDPQi"}, {"STNPQi", "STPQi"}};

/// How the names of loads begin that fill two to four registers, one after the
/// other.
constexpr llvm::StringLiteral loadsOfSeveral[] = {"LD1Two", "LD1Three",
                                                  "LD1Four"};

/// How those of lookups in tables begin, and of structure stores, before which
/// the lowering puts what they take.
constexpr llvm::StringLiteral lookup = "TBLv16i8", structureStore = "ST4Four";

/// Exchanging one opcode for another, or marking a function, changes nothing
/// that other passes know.
class HarmlessPass : public llvm::MachineFunctionPass {
public:
  using MachineFunctionPass::MachineFunctionPass;

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

protected:
  static const llvm::TargetInstrInfo &
  instructionsOf(const llvm::MachineFunction &function) {
    return *function.getSubtarget().getInstrInfo();
  }
};

class PlainPairs : public HarmlessPass {
public:
  static char ID;
  PlainPairs() : HarmlessPass(ID) {}

  llvm::StringRef getPassName() const override { return "Plain pairs"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &known = instructionsOf(function);
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &instruction : block)
        for (const Pair &pair : pairs)
          if (known.getName(instruction.getOpcode()) == pair.hinted)
            changed |= replace(instruction, pair.plain, known);
    return changed;
  }

private:
  static bool replace(llvm::MachineInstr &instruction, llvm::StringRef name,
                      const llvm::TargetInstrInfo &known) {
    for (unsigned opcode = 0; opcode < known.getNumOpcodes(); ++opcode)
      if (known.getName(opcode) == name) {
        instruction.setDesc(known.get(opcode));
        return true;
      }
    return false;
  }
};

/// What is not to be optimized is what the scheduler asks about before it
/// starts.
class HoldOrder : public HarmlessPass {
public:
  static char ID;
  HoldOrder() : HarmlessPass(ID) {}

  llvm::StringRef getPassName() const override { return "Hold order"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &known = instructionsOf(function);
    auto has = [&](llvm::function_ref<bool(llvm::StringRef)> wanted) {
      return llvm::any_of(function, [&](const llvm::MachineBasicBlock &block) {
        return llvm::any_of(block, [&](const llvm::MachineInstr &instruction) {
          return wanted(known.getName(instruction.getOpcode()));
        });
      });
    };
    auto starts = [&](llvm::StringRef start) {
      return has([=](llvm::StringRef name) { return name.starts_with(start); });
    };
    if (llvm::any_of(loadsOfSeveral, starts) ||
        llvm::any_of(pairs,
                     [&](const Pair &pair) {
                       return has([&](llvm::StringRef name) {
                         return name == pair.plain;
                       });
                     }) ||
        (starts(lookup) && starts(structureStore)))
      function.getFunction().addFnAttr(llvm::Attribute::OptimizeNone);
    return false;
  }
};

class ReleaseOrder : public HarmlessPass {
public:
  static char ID;
  ReleaseOrder() : HarmlessPass(ID) {}

  llvm::StringRef getPassName() const override { return "Release order"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    function.getFunction().removeFnAttr(llvm::Attribute::OptimizeNone);
    return false;
  }
};

char PlainPairs::ID = 0, HoldOrder::ID = 0, ReleaseOrder::ID = 0;

} // namespace

llvm::Pass *permc::createPlainPairsPass() { return new PlainPairs; }
llvm::Pass *permc::createHoldOrderPass() { return new HoldOrder; }
llvm::Pass *permc::createReleaseOrderPass() { return new ReleaseOrder; }
