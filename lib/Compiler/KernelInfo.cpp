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

#include "permc-c/kernel.h"

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
    // Filled with the struct's size once all fields are known.
    fields.push_back(nullptr);
    if (request.dynamic)
      describeDynamic(*request.dynamic);
    else
      describeStatic(request.problem);
    finish();
  }

private:
  void describeStatic(const Problem &problem) {
    word(problem.rank());
    word(problem.elementBytes());
    word(request.target.facts.lineBytes);
    wide(problem.srcSpan());
    wide(problem.dstSpan());
    list("shape", problem.shape());
    list("perm", problem.perm());
    list("src_strides", problem.srcStrides());
    list("dst_strides", problem.dstStrides());
    names();
    entries(request.name);
    word(0);
    fields.push_back(none()); // dynamic_axes
    entries("");
  }

  void describeDynamic(const DynamicProblem &problem) {
    int64_t element = problem.elementBytes();
    Dims shape, srcStrides, dstStrides, axes(problem.dynamicDims());
    for (const DynamicSize &size : problem.shape())
      shape.push_back(staticOr(size, 1, -1)); // PERMC_DYNAMIC
    for (const DynamicSize &stride : problem.srcByteStrides())
      srcStrides.push_back(staticOr(stride, element, PERMC_DYNAMIC_STRIDE));
    for (const DynamicSize &stride : problem.dstByteStrides())
      dstStrides.push_back(staticOr(stride, element, PERMC_DYNAMIC_STRIDE));
    for (unsigned k = 0; k < problem.dynamicDims(); ++k)
      axes[k] = problem.placeOf(k);
    word(problem.rank());
    word(element);
    word(request.target.facts.lineBytes);
    wide(0);
    wide(0);
    list("shape", shape);
    list("perm", problem.perm());
    list("src_strides", srcStrides);
    list("dst_strides", dstStrides);
    names();
    entries("");
    word(problem.dynamicDims());
    list("dynamic_axes", axes);
    entries(request.name);
  }

  /// A size or stride of a description, which is in units of `unit`.
  static int64_t staticOr(const DynamicSize &size, int64_t unit,
                          int64_t dynamic) {
    return size.isStatic() ? size.factor / unit : dynamic;
  }

  void names() {
    text("name", request.name);
    text("element", request.element);
    text("target", request.targetNames());
  }

  llvm::Constant *none() {
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  }

  /// The whole and the part; without a name there are none.
  void entries(const std::string &name) {
    for (const char *suffix : {"", "_part"})
      fields.push_back(name.empty() ? none()
                                    : module.getFunction(name + suffix));
  }

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
