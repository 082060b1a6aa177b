//===- permc-opt.cpp - run permc's passes on MLIR -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

/// Leaves in the help what is permc's, and the few options that every use of it
/// needs; --help-hidden shows the hundreds that LLVM has.
static void hideForeignOptions() {
  constexpr llvm::StringLiteral kept[] = {"help",
                                          "version",
                                          "o",
                                          "split-input-file",
                                          "verify-diagnostics",
                                          "mlir-print-ir-after-all",
                                          "pass-pipeline",
                                          "allow-unregistered-dialect"};
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (!name.starts_with("permc-") && !llvm::is_contained(kept, name))
      option->setHiddenFlag(cl::Hidden);
}

/// The help is about permc's passes: MLIR's own are in that of mlir-opt.
static bool isAskedForHelp(int argc, char **argv) {
  return llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef word) {
    return word == "--help" || word == "-help" || word == "-h";
  });
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  if (!isAskedForHelp(argc, argv)) {
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::registerAllPasses();
  }
  registry.insert<permc::PermcDialect>();
  permc::registerPermcPasses();
  const std::string header = mlir::registerCLIOptions(
      "permc's optimizer driver; knows all of MLIR's dialects and passes too\n",
      registry);
  hideForeignOptions();
  auto [input, output] = mlir::parseCLIOptions(argc, argv, header);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
