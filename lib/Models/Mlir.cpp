//===- Mlir.cpp - MLIR files ----------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations have no names: a layer is called by its function, its operation
// and a number. Operations of dialects that nobody registered are passed over
// where they are written in the generic form.
//
// MLIR's parser takes nesting as deep as the stack is. So a file is parsed
// once in a process of its own before it is parsed here.
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"
#include "Readers.h"

#include "permc/Transforms/RecognizePermute.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace permc;
using mlir::ShapedType;

namespace {

/// What parsing may take beside a multiple of the file.
constexpr size_t parseBytes = size_t(2) << 30, bytesPerByte = 256;
constexpr unsigned parseSeconds = 120;

/// Remembers the first error and where it is.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (!text.empty() ||
              diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return;
          if (auto at = diagnostic.getLocation()
                            ->findInstanceOf<mlir::FileLineColLoc>())
            text = at.getFilename().str() + ":" + std::to_string(at.getLine()) +
                   ":" + std::to_string(at.getColumn()) + ": ";
          text += diagnostic.str();
        }) {}
  const std::string &str() const { return text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

ModelShape shapeOf(mlir::Type type) {
  auto shaped = llvm::dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return std::nullopt;
  Dims shape;
  for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
    shape.push_back(shaped.isDynamicDim(dim) ? dynamicDim
                                             : shaped.getDimSize(dim));
  return shape;
}

/// XLA's transpose, whose dialects are not part of MLIR: in the generic form it
/// can be read without them.
std::optional<RecognizedPermute> recognizeUnregistered(mlir::Operation *op) {
  const llvm::StringRef name = op->getName().getStringRef();
  if ((name != "mhlo.transpose" && name != "stablehlo.transpose") ||
      op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  const mlir::Attribute given = op->getAttr("permutation");
  Dims order;
  if (auto list = llvm::dyn_cast_if_present<mlir::DenseI64ArrayAttr>(given))
    order.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  else if (auto dense =
               llvm::dyn_cast_if_present<mlir::DenseIntElementsAttr>(given))
    for (const llvm::APInt &axis : dense)
      order.push_back(axis.getBitWidth() <= 64 ? axis.getSExtValue() : -1);
  auto srcType = llvm::dyn_cast<ShapedType>(op->getOperand(0).getType()),
       dstType = llvm::dyn_cast<ShapedType>(op->getResult(0).getType());
  if (!srcType || !dstType || !srcType.hasRank() || !dstType.hasRank() ||
      !checkPermutation(order, srcType.getRank()))
    return std::nullopt;
  return RecognizedPermute{op->getOperand(0), {},   srcType, dstType,
                           *shapeOf(srcType), order};
}

/// The name that the writer of bytecode has put behind the version; empty if
/// there is none that could be shown.
std::string producerOf(llvm::MemoryBufferRef bytecode) {
  constexpr size_t magicAndVersion = 5, longest = 100;
  const llvm::StringRef rest =
      bytecode.getBuffer().drop_front(magicAndVersion).take_front(longest);
  const llvm::StringRef name = rest.take_until([](char c) { return c == 0; });
  return name.size() < rest.size() && llvm::all_of(name, llvm::isPrint)
             ? name.str()
             : "";
}

/// What cannot be parsed may be right in another version of MLIR, which has no
/// promises to keep.
std::string versionHint(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  const std::string producer =
      file && mlir::isBytecode(**file) ? producerOf(**file) : "";
  return "; permc reads the MLIR of LLVM " LLVM_VERSION_STRING +
         (producer.empty()
              ? std::string(", and other versions write some operations in "
                            "other ways")
              : ", and this file is by '" + producer + "'");
}

class MlirReader {
public:
  explicit MlirReader(const std::string &path) { model.path = path; }

  Result<Model> read() {
    auto file = llvm::MemoryBuffer::getFile(model.path);
    if (!file)
      return Error{Cause::BadFile, "cannot read '" + model.path +
                                       "': " + file.getError().message()};
    const size_t size = (*file)->getBufferSize();
    auto answer = runIsolated([&] { return parse(); },
                              parseBytes + bytesPerByte * size, parseSeconds);
    if (!answer)
      return Error{Cause::BadFile,
                   model.path + ": MLIR's parser gave up; the file is nested "
                                "too deep, or takes too much memory or time"};
    if (!answer->empty())
      return Error{Cause::BadFile, *answer};
    if (std::string error = parse(); !error.empty())
      return Error{Cause::BadFile, error};
    model.format = "MLIR";
    module->walk<mlir::WalkOrder::PreOrder>(
        [&](mlir::Operation *op) { readOperation(op); });
    model.files = {model.path};
    return std::move(model);
  }

private:
  /// Why the file could not be parsed; empty if it could.
  std::string parse() {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    context.emplace(registry, mlir::MLIRContext::Threading::DISABLED);
    context->allowUnregisteredDialects();
    FirstError error(*context);
    module = mlir::parseSourceFile<mlir::ModuleOp>(
        model.path, mlir::ParserConfig(&*context));
    if (module)
      return "";
    const llvm::StringRef why = llvm::StringRef(error.str()).rtrim();
    if (why.contains("not found for custom op"))
      return why.str() + "; operations of dialects that are not MLIR's own are "
                         "read in the generic form only, which tools print "
                         "with --mlir-print-op-generic";
    return (why.empty() ? model.path + ": this is not MLIR" : why.str()) +
           versionHint(model.path);
  }

  void readOperation(mlir::Operation *op) {
    if (llvm::isa<mlir::tensor::CollapseShapeOp, mlir::tensor::ExpandShapeOp,
                  mlir::tensor::ReshapeOp, mlir::tosa::ReshapeOp>(op)) {
      const mlir::Value from = op->getOperand(0), to = op->getResult(0);
      model.reshapes.push_back({nameOf(op), shapeOf(from.getType()),
                                shapeOf(to.getType()), valueOf(from),
                                valueOf(to)});
      return;
    }
    auto permute = recognizePermute(op);
    if (!permute)
      permute = recognizeUnregistered(op);
    if (!permute)
      return;
    ModelLayer layer;
    layer.name = nameOf(op);
    layer.op = op->getName().getStringRef().str();
    const mlir::Type element = permute->srcType.getElementType();
    layer.element = elementNameOf(element);
    layer.inputShape = shapeOf(permute->srcType);
    layer.outputShape = shapeOf(permute->dstType);
    layer.view = permute->view;
    layer.order = permute->order;
    layer.inStrides = permute->srcStrides;
    layer.outStrides = permute->dstStrides;
    if (layer.element.empty()) {
      llvm::raw_string_ostream(layer.reason)
          << "elements of the type " << element << " cannot be moved as bytes";
    }
    if (layer.reason.empty() && !permute->obstacle.empty())
      layer.reason = "run-time: permc_rt (" + permute->obstacle + ")";
    layer.input = valueOf(permute->src);
    // Who reads memory is not known.
    layer.output = op->getNumResults() == 1 ? valueOf(op->getResult(0))
                                            : newValue(/*uses=*/2);
    model.layers.push_back(std::move(layer));
  }

  /// "main/linalg.transpose#0".
  std::string nameOf(mlir::Operation *op) {
    std::string name;
    for (mlir::Operation *outer = op->getParentOp(); outer;
         outer = outer->getParentOp())
      if (auto symbol = outer->getAttrOfType<mlir::StringAttr>(
              mlir::SymbolTable::getSymbolAttrName()))
        name = symbol.str() + "/" + name;
    name += op->getName().getStringRef();
    return name + "#" + std::to_string(numbers[name]++);
  }

  ValueId newValue(unsigned uses) {
    model.uses.push_back(uses);
    return static_cast<ValueId>(model.uses.size() - 1);
  }

  ValueId valueOf(mlir::Value value) {
    auto [found, isNew] = values.try_emplace(value, 0);
    if (isNew)
      found->second = newValue(static_cast<unsigned>(
          std::distance(value.use_begin(), value.use_end())));
    return found->second;
  }

  Model model;
  std::optional<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::DenseMap<mlir::Value, ValueId> values;
  std::map<std::string, unsigned> numbers;
};

} // namespace

Result<Model> permc::readMlir(const std::string &path) {
  return MlirReader(path).read();
}
