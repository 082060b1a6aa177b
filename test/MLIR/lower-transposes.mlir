// What permc-lower-transposes leaves, and what it refuses.

// RUN: %permc-opt --permc-lower-transposes=target=x86-64-v3 --split-input-file --verify-diagnostics %s | FileCheck %s

// Equal permutations share a kernel; the offset of a memref is added.
// CHECK-LABEL: func.func @two
// CHECK: llvm.call @permute_4x8xbytes4_10(
// CHECK-LABEL: func.func @offset
// CHECK: %[[FAR:.*]] = arith.constant 3 : index
// CHECK: arith.muli %[[FAR]], %{{.*}} : index
// CHECK: llvm.call @permute_4x8xbytes4_10(
// CHECK: llvm.func internal @permute_4x8xbytes4_10(
// CHECK-NOT: permc.
func.func @two(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
  return
}
func.func @offset(%a: memref<4x8xi32, strided<[8, 1], offset: 3>>, %b: memref<8x4xi32>) {
  linalg.transpose ins(%a : memref<4x8xi32, strided<[8, 1], offset: 3>>) outs(%b : memref<8x4xi32>) permutation = [1, 0]
  return
}

// -----

// A module without transposes stays as it is.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: llvm.func
func.func @nothing() {
  return
}

// -----

// expected-error @+1 {{the module has a symbol @permute_4x8xbytes4_10 already, which a kernel needs}}
module {
  func.func private @permute_4x8xbytes4_10()
  func.func @taken(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
    linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
    return
  }
}
