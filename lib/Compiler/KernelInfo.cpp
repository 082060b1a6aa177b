//===- KernelInfo.cpp - what a kernel says of itself ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the constant `NAME_info`, a `permc_kernel` as include/permc-c/kernel.h
// declares it, field by field in the same order.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace permc;

namespace {

class InfoBuilder {
public:
  InfoBuilder(llvm::Module &module, const Request &request)
      : module(module), context(module.getContext()), request(request) {}

  void build() {
    const Problem &problem = request.problem;
    // Filled with the struct's size once all fields are known.
    fields.push_back(nullptr);
    word(problem.rank());
    word(problem.elementBytes());
    word(request.target.facts.lineBytes);
    wide(problem.srcSpan());
    wide(problem.dstSpan());
    list("shape", problem.shape());
    list("perm", problem.perm());
    list("src_strides", problem.srcStrides());
    list("dst_strides", problem.dstStrides());
    text("name", request.name);
    text("element", request.element);
    text("target", request.target.resolvedName());
    fields.push_back(module.getFunction(request.name));
    fields.push_back(module.getFunction(request.name + "_part"));
    finish();
  }

private:
  void word(int64_t value) {
    fields.push_back(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  }
  void wide(int64_t value) {
    fields.push_back(
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
  }
  void text(llvm::StringRef field, llvm::StringRef value) {
    addConstant(field, llvm::ConstantDataArray::getString(context, value));
  }
  void list(llvm::StringRef field, const Dims &values) {
    llvm::SmallVector<uint64_t> words(values.begin(), values.end());
    addConstant(field, llvm::ConstantDataArray::get(context, words));
  }

  void addConstant(llvm::StringRef field, llvm::Constant *value) {
    auto *global =
        new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, value,
                                 "." + request.name + "." + field);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    fields.push_back(global);
  }

  void finish() {
    llvm::SmallVector<llvm::Type *> types{llvm::Type::getInt32Ty(context)};
    for (size_t i = 1; i < fields.size(); ++i)
      types.push_back(fields[i]->getType());
    auto *type = llvm::StructType::get(context, types);
    fields[0] = llvm::ConstantInt::get(
        types[0], module.getDataLayout().getTypeAllocSize(type));
    new llvm::GlobalVariable(
        module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantStruct::get(type, fields), request.name + "_info");
  }

  llvm::Module &module;
  llvm::LLVMContext &context;
  const Request &request;
  std::vector<llvm::Constant *> fields;
};

} // namespace

void permc::addKernelInfo(llvm::Module &module, const Request &request) {
  InfoBuilder(module, request).build();
}
