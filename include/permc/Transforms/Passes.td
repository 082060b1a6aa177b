//===- Passes.td - permc's passes --------------------------*- tablegen -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TRANSFORMS_PASSES_TD
#define PERMC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Other dialects
//===----------------------------------------------------------------------===//

def ImportTransposesPass : Pass<"permc-import-transposes"> {
  let summary = "Turn other dialects' transposes into permc.permute";
  let description = [{
    Takes `linalg.transpose`, `tosa.transpose`, a `linalg.generic` that yields
    its input, and `linalg.pack` and `linalg.unpack` that neither pad nor cut.
    Memory may have strides; dims may be dynamic where it is dense. A tensor's
    permutation goes through buffers, for a bufferization that follows. All
    else is left alone; transposes among it that permc has no kernels for, of
    memory whose strides are not static say, get a remark.
    ```mlir
    linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>)
        permutation = [1, 0]
    // becomes
    %0 = permc.bytes %a : memref<4x8xf32> to memref<128xi8>
    %1 = permc.bytes %b : memref<8x4xf32> to memref<128xi8>
    permc.permute %0, %1 : memref<128xi8>, memref<128xi8>
        by #permc.problem<element = 4, shape = [4, 8], perm = [1, 0]>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect",
                           "::permc::PermcDialect"];
}

def LowerTransposesPass : Pass<"permc-lower-transposes", "::mlir::ModuleOp"> {
  let summary = "Replace transposes by calls of compiled kernels";
  let description = [{
    Imports the transposes of the module, and replaces each by a call of a
    kernel for the `target`. Equal permutations share one. The kernels become
    functions of the module, in the LLVM dialect; with `library=FILE` they are
    compiled into that static library instead, and only declared.
    ```mlir
    linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>)
        permutation = [1, 0]
    // becomes
    llvm.call @permute_4x8xf32_10(%pa, %pb) : (!llvm.ptr, !llvm.ptr) -> ()
    ```
    Run it before bufferization, or on memrefs; MLIR's own passes lower the
    rest.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"native\"",
           "the machine, as 'permc targets' lists them">,
    Option<"library", "library", "std::string", "",
           "a static library to write, for kernels that are declared only">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect",
                           "::permc::PermcDialect"];
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

def FlipPass : Pass<"permc-flip"> {
  let summary = "Step through dst forwards";
  let description = [{
    A dim with a negative stride in dst is turned round on both sides. Buffers
    begin with their lowest byte whatever the signs of strides, so that no
    offset is needed.
    ```mlir
    #permc.problem<element = 4, shape = [9], perm = [0], dst_strides = [-4]>
    // becomes
    #permc.problem<element = 4, shape = [9], perm = [0], src_strides = [-4]>
    ```
  }];
}

def SqueezePass : Pass<"permc-squeeze"> {
  let summary = "Drop dims of size 1";
  let description = [{
    ```mlir
    #permc.problem<element = 4, shape = [1, 9, 1, 4], perm = [3, 0, 1, 2]>
    // becomes
    #permc.problem<element = 4, shape = [9, 4], perm = [1, 0]>
    ```
    A problem with a dim of size 0 becomes the empty problem, `shape = [0]`.
  }];
}

def MergePass : Pass<"permc-merge"> {
  let summary = "Merge dims that stay neighbours";
  let description = [{
    Dims next to each other in the same order on both sides, without a gap
    between them, are one dim.
    ```mlir
    #permc.problem<element = 4, shape = [8, 9, 4, 6], perm = [2, 3, 0, 1]>
    // becomes
    #permc.problem<element = 4, shape = [72, 24], perm = [1, 0]>
    ```
  }];
}

def FoldPass : Pass<"permc-fold"> {
  let summary = "Fold a small last dim into the element";
  let description = [{
    A last dim that stays last and is contiguous becomes part of the element if
    that has at most `limit` bytes afterwards.
    ```mlir
    #permc.problem<element = 1, shape = [20, 8, 4], perm = [1, 0, 2]>
    // becomes
    #permc.problem<element = 4, shape = [20, 8], perm = [1, 0]>
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "8",
                        "bytes an element may reach, if no target is named">];
}

def UnfoldPass : Pass<"permc-unfold"> {
  let summary = "Turn a large element into a last dim";
  let description = [{
    An element of more than `limit` bytes is moved as a run of the largest
    power-of-two words that divide it.
    ```mlir
    #permc.problem<element = 96, shape = [20, 8], perm = [1, 0]>
    // becomes
    #permc.problem<element = 32, shape = [20, 8, 3], perm = [1, 0, 2]>
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "64",
                        "bytes an element may have">];
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

def SchedulePass : Pass<"permc-schedule"> {
  let summary = "Choose how each problem is carried out";
  let description = [{
    Attaches the schedule that Plan chooses for the problem and the machine: the
    target that the module names by `permc.target`, or else that of the options.
    Operations that already have one keep it.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "width of the machine's vectors, 0 for none">,
    Option<"streamingStores", "streaming-stores", "bool", "false",
           "whether the machine has non-temporal stores">
  ];
}

def SplitPartsPass : Pass<"permc-split-parts", "::mlir::ModuleOp"> {
  let summary = "Give each kernel its _part entry point";
  let description = [{
    Moves the body of each public kernel into a private function over a box, and
    makes two entry points that call it: NAME over everything, and NAME_part over
    one share. Shares meet where a line of dst begins, as Plan's split says.
    ```mlir
    func.func @k(%src: memref<64xi8>, %dst: memref<64xi8>)
    // becomes
    func.func private @k.box(%src: ..., %dst: ..., %begin: index, %end: index)
    func.func @k(%src: ..., %dst: ...)
    func.func @k_part(%src: ..., %dst: ..., %part: i32, %parts: i32)
    ```
    A kernel that cannot be split keeps its body, and part 0 runs all of it. A
    private function counts as a kernel if it is marked `permc.kernel`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandDynamicPass : Pass<"permc-expand-dynamic", "::mlir::ModuleOp"> {
  let summary = "Give kernels with dynamic dims their variants";
  let description = [{
    Each function that is nothing but one `permc.dynamic_permute` becomes two
    entry points. NAME_part reads the dims, and runs its share of the first of
    Plan's variants whose guards hold: a `permc.permute` of a nominal problem,
    with the actual sizes and strides as operands. NAME is part 0 of 1.
    ```mlir
    func.func @k(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>)
    // becomes
    func.func @k(%src: ..., %dst: ..., %dims: ...)
    func.func @k_part(%src: ..., %dst: ..., %dims: ..., %part: i32, %parts: i32)
    ```
    Static kernels that the operation is `specialized` by are called instead
    where the dims are theirs.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "width of the machine's vectors, 0 for none">,
    Option<"streamingStores", "streaming-stores", "bool", "false",
           "whether the machine has non-temporal stores">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

def LowerToLoopsPass : Pass<"permc-lower-to-loops"> {
  let summary = "Carry out schedules as loops over vector moves";
  let description = [{
    Replaces each scheduled `permc.permute` by its loop nest. Offsets are bytes;
    tiles are explicit loads, shuffles and stores. Running a canonicaliser
    afterwards would undo the shuffles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertToLLVMPass : Pass<"permc-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert lowered kernels to the LLVM dialect";
  let description = [{
    One conversion for all that `permc-lower-to-loops` leaves. A byte buffer
    becomes a bare pointer, so that a kernel's signature is the C one.
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", "64",
           "width of index arithmetic">,
    Option<"integerBits", "integer-bits", "unsigned", "64",
           "widest move that is one of an integer, not of a vector">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def ConvertToEmitCPass : Pass<"permc-convert-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Convert scheduled kernels to C in the EmitC dialect";
  let description = [{
    Each kernel becomes a static function `NAME_words` of loops over pointers
    and, where that one relies on aligned buffers or on the byte order, a second
    one, `NAME_elements`, that does not. Takes kernels as `permc-schedule`
    leaves them, with a schedule for words. Where the schedule counts units both
    take a range of them.
    ```mlir
    func.func @k(%src: memref<64xi8>, %dst: memref<64xi8>)
    // becomes
    emitc.func @k_words(...)
    emitc.func @k_elements(...)
    ```
  }];
  let options = [
    Option<"wordBytes", "word-bytes", "int64_t", "4",
           "width of the machine's words: 4, or 8 where it moves pairs">,
    Option<"unalignedWords", "unaligned-words", "bool", "false",
           "whether words may be at any address">
  ];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

#endif // PERMC_TRANSFORMS_PASSES_TD
