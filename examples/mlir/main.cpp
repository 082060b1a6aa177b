// A compiler with passes of its own and permc's among them: transposes become
// calls of kernels that are functions of the module.
//
//   mlir [FILE.mlir]    without a file a module that it has with it

#include <permc/Dialect/Permute/Permute.h>
#include <permc/Transforms/Passes.h>

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tosa/IR/TosaOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>

#include <cstdio>

static const char *const module = R"mlir(
func.func @heads(%src: memref<8x128x12x64xf16>,
                 %dst: memref<8x12x128x64xf16>) {
  linalg.transpose ins(%src : memref<8x128x12x64xf16>)
      outs(%dst : memref<8x12x128x64xf16>) permutation = [0, 2, 1, 3]
  return
}
)mlir";

/// Passes of one's own would stand before and after.
static void buildPipeline(mlir::OpPassManager &passes) {
  permc::LowerTransposesPassOptions options;
  options.target = "x86-64-v3";
  passes.addPass(permc::createLowerTransposesPass(options));
}

int main(int argc, char **argv) {
  mlir::PassPipelineRegistration<> registration(
      "lower-net", "What this compiler does to a network", buildPipeline);

  mlir::DialectRegistry registry;
  registry.insert<permc::PermcDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect,
                  mlir::tensor::TensorDialect, mlir::tosa::TosaDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> net =
      argc > 1 ? mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context)
               : mlir::parseSourceString<mlir::ModuleOp>(module, &context);
  if (!net)
    return 1;

  mlir::PassManager passes(&context);
  if (mlir::failed(mlir::parsePassPipeline("lower-net", passes)) ||
      mlir::failed(passes.run(*net)))
    return 1;
  unsigned calls = 0;
  net->walk([&](mlir::LLVM::CallOp call) {
    calls += call->getParentOfType<mlir::func::FuncOp>() != nullptr;
  });
  net->print(llvm::outs());
  std::fprintf(stderr, "%u transposes are calls now\n", calls);
  return argc > 1 || calls == 1 ? 0 : 1;
}
