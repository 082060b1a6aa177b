// A stock mlir-opt lowers transposes through the plugin and mlir-runner runs
// them; without the plugin the same module prints the same.

// REQUIRES: mlir-runner, no-sanitizer

// DEFINE: %{lower} = func.func(tosa-to-linalg-named, tosa-to-linalg), one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}, func.func(convert-linalg-to-loops), expand-strided-metadata, lower-affine, convert-scf-to-cf, convert-cf-to-llvm, convert-arith-to-llvm, convert-func-to-llvm, finalize-memref-to-llvm, convert-index-to-llvm, reconcile-unrealized-casts
// DEFINE: %{plugin} = --load-dialect-plugin=%libdir/permc_mlir.so --load-pass-plugin=%libdir/permc_mlir.so

// RUN: mlir-opt %{plugin} --pass-pipeline='builtin.module(permc-lower-transposes, %{lower})' %s -o %t.with.mlir
// RUN: FileCheck %s --check-prefix=CALLS < %t.with.mlir
// RUN: mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-runner-libs %t.with.mlir > %t.with.txt
// RUN: mlir-opt --pass-pipeline='builtin.module(%{lower})' %s -o %t.without.mlir
// RUN: mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-runner-libs %t.without.mlir > %t.without.txt
// The addresses that it prints differ.
// RUN: sed 's/base@ = [^ ]*/base/' %t.with.txt > %t.with.values
// RUN: sed 's/base@ = [^ ]*/base/' %t.without.txt > %t.without.values
// RUN: diff %t.with.values %t.without.values
// RUN: FileCheck %s < %t.with.values

// The same with kernels in a library beside the module.
// RUN: mlir-opt %{plugin} --pass-pipeline='builtin.module(permc-lower-transposes{library=%t.a}, %{lower})' %s -o %t.calls.mlir
// RUN: FileCheck %s --check-prefix=LIBRARY < %t.calls.mlir
// RUN: %cc -shared -o %t.so -Wl,--whole-archive %t.a -Wl,--no-whole-archive
// RUN: mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-runner-libs,%t.so %t.calls.mlir > %t.calls.txt
// RUN: sed 's/base@ = [^ ]*/base/' %t.calls.txt > %t.calls.values
// RUN: diff %t.calls.values %t.without.values

// CALLS-COUNT-2: llvm.call @permute_5x7xbytes4_10
// CALLS: llvm.call @permute_NxNxbytes4_10
// CALLS: llvm.func internal @permute_5x7xbytes4_10
// LIBRARY: llvm.func @permute_5x7xbytes4_10(!llvm.ptr, !llvm.ptr){{$}}

// CHECK: rank = 2 offset = 0 sizes = [7, 5]
// CHECK: [0, 10, 20, 30, 40]
// CHECK: [1, 11, 21, 31, 41]
// CHECK: sizes = [7, 5]
// CHECK: sizes = [7, 5]
// CHECK: [6, 16, 26, 36, 46]
// CHECK: sizes = [3, 2]
// CHECK: [12, 22]

func.func private @printMemrefF32(memref<*xf32>)

func.func @print(%t: tensor<7x5xf32>) {
  %m = bufferization.to_buffer %t : tensor<7x5xf32> to memref<7x5xf32>
  %u = memref.cast %m : memref<7x5xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.transpose ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) permutation = [1, 0]
  return
}

// Columns 1 to 3 of rows 1 and 2.
func.func @strided(%a: memref<5x7xf32>, %b: memref<3x2xf32>) {
  %part = memref.subview %a[1, 1][2, 3][1, 1] : memref<5x7xf32> to memref<2x3xf32, strided<[7, 1], offset: 8>>
  linalg.transpose ins(%part : memref<2x3xf32, strided<[7, 1], offset: 8>>) outs(%b : memref<3x2xf32>) permutation = [1, 0]
  return
}

func.func @main() {
  %e = tensor.empty() : tensor<5x7xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x7xf32>) {
  ^bb0(%x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %n = arith.index_cast %l : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<5x7xf32>
  %o = tensor.empty() : tensor<7x5xf32>
  %t = linalg.transpose ins(%a : tensor<5x7xf32>) outs(%o : tensor<7x5xf32>) permutation = [1, 0]
  call @print(%t) : (tensor<7x5xf32>) -> ()
  %s = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<5x7xf32>) -> tensor<7x5xf32>
  call @print(%s) : (tensor<7x5xf32>) -> ()

  %m = bufferization.to_buffer %a : tensor<5x7xf32> to memref<5x7xf32>
  %anyA = memref.cast %m : memref<5x7xf32> to memref<?x?xf32>
  %b = memref.alloc() : memref<7x5xf32>
  %anyB = memref.cast %b : memref<7x5xf32> to memref<?x?xf32>
  call @dynamic(%anyA, %anyB) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  %u = memref.cast %b : memref<7x5xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()

  %c = memref.alloc() : memref<3x2xf32>
  call @strided(%m, %c) : (memref<5x7xf32>, memref<3x2xf32>) -> ()
  %v = memref.cast %c : memref<3x2xf32> to memref<*xf32>
  call @printMemrefF32(%v) : (memref<*xf32>) -> ()
  return
}
