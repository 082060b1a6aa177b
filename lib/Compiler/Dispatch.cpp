//===- Dispatch.cpp - kernels for several levels of one machine -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for x86-64-v2 and x86-64-v4 is these functions (and the same with
// _part):
//
//   NAME.x86_64_v2, NAME.x86_64_v4   the kernel of each level
//   NAME                             jumps to one of them
//   NAME.first                       asks the CPU, and jumps back to NAME
//
// NAME compares a number in memory and jumps: no pointer to a function is kept
// where it could be overwritten, and no relocation is left to the loader. That
// number is 0 until the first call. Threads that call at once may all ask, and
// all store the same.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace permc;

/// What a target's levelQuery defines.
static constexpr llvm::StringLiteral levelName = "__permc_cpu_level_v1",
                                     queryName = "__permc_find_cpu_level_v1";

/// How the names of a level's functions end: no C program can have such names,
/// and every assembler can.
static std::string suffixOf(const Target &target) {
  std::string name = target.name;
  llvm::replace(name, '-', '_');
  return "." + name;
}

static void fixTarget(llvm::Function &function, const Target &target) {
  function.addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty())
    function.addFnAttr("target-features", target.features);
}

void permc::fixTarget(llvm::Module &module, const Target &target) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      ::fixTarget(function, target);
}

void permc::markLevel(llvm::Module &module, const Request &level) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setName(function.getName() + suffixOf(level.target));
}

/// Adds what asks the CPU, unless it is there.
static Status addQuery(llvm::Module &module, const Target &target) {
  if (module.getFunction(queryName))
    return Done{};
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> query = llvm::parseAssemblyString(
      llvm::StringRef(target.levelQuery), diagnostic, module.getContext());
  if (!query)
    return Error{Cause::Internal,
                 "what finds out the level of " + target.name +
                     " is no LLVM IR: " + diagnostic.getMessage().str()};
  query->setTargetTriple(module.getTargetTriple());
  query->setDataLayout(module.getDataLayout());
  // Only what is asked for is linked of what may be there twice.
  module.getOrInsertFunction(queryName,
                             llvm::Type::getVoidTy(module.getContext()));
  if (llvm::Linker::linkModules(module, std::move(query)))
    return Error{Cause::Internal, "what finds out the level of " + target.name +
                                      " could not be joined with the rest"};
  return Done{};
}

namespace {

/// Makes NAME or NAME_part.
class Dispatcher {
public:
  Dispatcher(llvm::Module &module, const Request &request,
             const std::string &name)
      : module(module), request(request), name(name),
        type(levelFunction(request.target)->getFunctionType()),
        builder(module.getContext()) {}

  void build() {
    // Not earlier: what only its own module sees is not linked unless it is
    // called there.
    for (const Request &level : request.levels())
      levelFunction(level.target)
          ->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::Function *entry =
        define(name, llvm::GlobalValue::ExternalLinkage, "entry");
    llvm::Function *first =
        define(name + ".first", llvm::GlobalValue::InternalLinkage, "entry");
    first->addFnAttr(llvm::Attribute::Cold);
    builder.CreateCall(module.getFunction(queryName));
    jumpTo(entry, first);

    builder.SetInsertPoint(&entry->getEntryBlock());
    llvm::LoadInst *level = builder.CreateLoad(
        builder.getInt32Ty(), module.getNamedValue(levelName), "level");
    level->setAtomic(llvm::AtomicOrdering::Monotonic);
    // Best first. What is not known yet is below all levels: the test for it
    // costs the lowest level only.
    for (size_t i = request.better.size(); i-- > 0;)
      jumpIf(builder.CreateICmpSGE(level,
                                   builder.getInt32(request.better[i].level)),
             levelFunction(request.better[i]), entry, /*likely=*/true);
    jumpIf(builder.CreateICmpEQ(level, builder.getInt32(0)), first, entry,
           /*likely=*/false);
    jumpTo(levelFunction(request.target), entry);
  }

private:
  llvm::Function *levelFunction(const Target &target) {
    return module.getFunction(name + suffixOf(target));
  }

  llvm::Function *define(const std::string &symbol,
                         llvm::GlobalValue::LinkageTypes linkage,
                         const char *block) {
    auto *function = llvm::Function::Create(type, linkage, symbol, module);
    fixTarget(*function, request.target);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), block, function));
    return function;
  }

  /// Goes on in `callee` with the same arguments.
  void jumpTo(llvm::Function *callee, llvm::Function *from) {
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Argument &argument : from->args())
      arguments.push_back(&argument);
    llvm::CallInst *call = builder.CreateCall(callee, arguments);
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    builder.CreateRetVoid();
  }

  void jumpIf(llvm::Value *condition, llvm::Function *callee,
              llvm::Function *from, bool likely) {
    llvm::MDBuilder weights(module.getContext());
    auto *jump = llvm::BasicBlock::Create(module.getContext(), "", from);
    auto *next = llvm::BasicBlock::Create(module.getContext(), "", from);
    builder.CreateCondBr(condition, jump, next,
                         likely ? weights.createLikelyBranchWeights()
                                : weights.createUnlikelyBranchWeights());
    builder.SetInsertPoint(jump);
    jumpTo(callee, from);
    builder.SetInsertPoint(next);
  }

  llvm::Module &module;
  const Request &request;
  const std::string name;
  llvm::FunctionType *type;
  llvm::IRBuilder<> builder;
};

} // namespace

Status permc::addDispatch(llvm::Module &module, const Request &request) {
  if (auto ok = addQuery(module, request.target); !ok)
    return ok;
  for (const char *suffix : {"", "_part"})
    Dispatcher(module, request, request.name + suffix).build();
  return Done{};
}
