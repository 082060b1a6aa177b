//===- FoldTupleCopies.cpp - registers used where they were loaded --------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %all:qqqqpr = VLD3q8...                %all:qqqqpr = VLD3q8...
//   %one:qpr = COPY %all.qsub_1      ->    VST1q8 ..., %all.qsub_1
//   VST1q8 ..., %one
//
//===----------------------------------------------------------------------===//

#include "FoldTupleCopies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace {

class FoldTupleCopies : public llvm::MachineFunctionPass {
public:
  static char ID;
  FoldTupleCopies() : MachineFunctionPass(ID) {}

  llvm::StringRef getPassName() const override { return "Fold tuple copies"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    registers = &function.getRegInfo();
    instructions = function.getSubtarget().getInstrInfo();
    classes = function.getSubtarget().getRegisterInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &instruction : llvm::make_early_inc_range(block))
        changed |= fold(instruction);
    return changed;
  }

private:
  bool fold(llvm::MachineInstr &copy) {
    if (!copy.isCopy())
      return false;
    const llvm::Register to = copy.getOperand(0).getReg();
    const llvm::Register tuple = copy.getOperand(1).getReg();
    const unsigned part = copy.getOperand(1).getSubReg();
    if (!to.isVirtual() || copy.getOperand(0).getSubReg() != 0 ||
        !tuple.isVirtual() || part == 0 || registers->use_empty(to) ||
        !llvm::all_of(registers->use_operands(to),
                      [&](const llvm::MachineOperand &use) {
                        return mayUse(use, tuple, part);
                      }))
      return false;
    for (llvm::MachineOperand &use :
         llvm::make_early_inc_range(registers->use_operands(to))) {
      use.setReg(tuple);
      use.setSubReg(part);
    }
    registers->clearKillFlags(tuple);
    copy.eraseFromParent();
    return true;
  }

  /// Whether the instruction of `use` takes that part of any such tuple.
  bool mayUse(const llvm::MachineOperand &use, llvm::Register tuple,
              unsigned part) const {
    const llvm::MachineInstr &user = *use.getParent();
    if (!user.mayStore() || user.isInlineAsm() || use.getSubReg() != 0 ||
        use.isTied() || use.isDebug())
      return false;
    const llvm::TargetRegisterClass *all = registers->getRegClass(tuple);
    const llvm::TargetRegisterClass *wanted = user.getRegClassConstraint(
        user.getOperandNo(&use), instructions, classes);
    return wanted &&
           classes->getMatchingSuperRegClass(all, wanted, part) == all;
  }

  llvm::MachineRegisterInfo *registers = nullptr;
  const llvm::TargetInstrInfo *instructions = nullptr;
  const llvm::TargetRegisterInfo *classes = nullptr;
};

char FoldTupleCopies::ID = 0;

} // namespace

llvm::Pass *permc::createFoldTupleCopiesPass() { return new FoldTupleCopies; }
