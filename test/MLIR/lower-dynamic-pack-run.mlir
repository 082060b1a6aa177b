// A linalg.pack whose dims and one of whose tiles come with the call, executed.

// REQUIRES: mlir-runner, no-sanitizer

// RUN: mlir-opt --load-dialect-plugin=%libdir/permc_mlir.so --load-pass-plugin=%libdir/permc_mlir.so --pass-pipeline='builtin.module(permc-lower-transposes, one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}, func.func(convert-linalg-to-loops), expand-strided-metadata, lower-affine, convert-scf-to-cf, convert-cf-to-llvm, convert-arith-to-llvm, convert-func-to-llvm, finalize-memref-to-llvm, convert-index-to-llvm, reconcile-unrealized-casts)' %s -o %t.mlir
// RUN: mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-runner-libs %t.mlir | FileCheck %s

// 4x6 in tiles of 2x3, the columns first: [column tile][row tile][3][2].
// CHECK: sizes = [2, 2, 3, 2]
// CHECK: [0, 10],
// CHECK-NEXT: [1, 11],
// CHECK-NEXT: [2, 12]
// CHECK: [20, 30],
// CHECK-NEXT: [21, 31],
// CHECK-NEXT: [22, 32]
// CHECK: [3, 13],
// CHECK-NEXT: [4, 14],
// CHECK-NEXT: [5, 15]
// CHECK: [23, 33],
// CHECK-NEXT: [24, 34],
// CHECK-NEXT: [25, 35]

func.func private @printMemrefF32(memref<*xf32>)

func.func @pack(%a: tensor<?x?xf32>, %tile: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rows = tensor.dim %a, %zero : tensor<?x?xf32>
  %columns = tensor.dim %a, %one : tensor<?x?xf32>
  %down = arith.divui %rows, %two : index
  %across = arith.divui %columns, %tile : index
  %o = tensor.empty(%across, %down, %tile) : tensor<?x?x?x2xf32>
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%tile, 2] into %o
      : tensor<?x?xf32> -> tensor<?x?x?x2xf32>
  %m = bufferization.to_buffer %0 : tensor<?x?x?x2xf32> to memref<?x?x?x2xf32>
  %u = memref.cast %m : memref<?x?x?x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func @main() {
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xf32>) {
  ^bb0(%x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %n = arith.index_cast %l : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x6xf32>
  %any = tensor.cast %a : tensor<4x6xf32> to tensor<?x?xf32>
  %three = arith.constant 3 : index
  call @pack(%any, %three) : (tensor<?x?xf32>, index) -> ()
  return
}
