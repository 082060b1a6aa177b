// RUN: %permc-opt --permc-import-transposes %s | FileCheck %s
// RUN: %permc-opt --permc-import-transposes %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mlir-opt --load-dialect-plugin=%libdir/permc_mlir.so --load-pass-plugin=%libdir/permc_mlir.so --pass-pipeline='builtin.module(permc-import-transposes)' %s | FileCheck %s

// REQUIRES: mlir-runner, no-sanitizer

// CHECK-LABEL: @memory
// CHECK: %[[A:.*]] = permc.bytes %{{.*}} : memref<4x8xf32> to memref<128xi8>
// CHECK: %[[B:.*]] = permc.bytes %{{.*}} : memref<8x4xf32> to memref<128xi8>
// CHECK: permc.permute %[[A]], %[[B]] {{.*}} by #permc.problem<element = 4, shape = [4, 8], perm = [1, 0]>
func.func @memory(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
  return
}

// CHECK-LABEL: @strided
// CHECK: to memref<224xi8>
// CHECK: permc.permute {{.*}} shape = [4, 8], perm = [1, 0], src_strides = [64, 4]>
func.func @strided(%a: memref<4x8xf32, strided<[16, 1], offset: 3>>, %b: memref<8x4xf32, strided<[4, 1], offset: ?>>) {
  linalg.transpose ins(%a : memref<4x8xf32, strided<[16, 1], offset: 3>>)
      outs(%b : memref<8x4xf32, strided<[4, 1], offset: ?>>) permutation = [1, 0]
  return
}

// CHECK-LABEL: @tosa
// CHECK: bufferization.to_buffer %{{.*}} read_only : tensor<2x3x4xf16>
// CHECK: memref.alloc() : memref<4x2x3xf16>
// CHECK: permc.permute {{.*}}element = 2, shape = [2, 3, 4], perm = [2, 0, 1]
// CHECK: bufferization.to_tensor {{.*}} restrict writable
func.func @tosa(%a: tensor<2x3x4xf16>) -> tensor<4x2x3xf16> {
  %0 = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf16>) -> tensor<4x2x3xf16>
  return %0 : tensor<4x2x3xf16>
}

// CHECK-LABEL: @dynamic
// CHECK: memref.alloca() : memref<2xi64>
// CHECK: permc.dynamic_permute {{.*}} shape = [?0, 3, ?1], perm = [0, 2, 1]
func.func @dynamic(%a: tensor<?x3x?xf32>, %o: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %0 = linalg.transpose ins(%a : tensor<?x3x?xf32>) outs(%o : tensor<?x?x3xf32>) permutation = [0, 2, 1]
  return %0 : tensor<?x?x3xf32>
}

// CHECK-LABEL: @generic
// CHECK: permc.permute {{.*}} shape = [5, 7, 9], perm = [2, 0, 1]
func.func @generic(%a: tensor<5x7x9xi32>, %o: tensor<9x5x7xi32>) -> tensor<9x5x7xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k, i)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<5x7x9xi32>) outs(%o : tensor<9x5x7xi32>) {
  ^bb0(%x: i32, %y: i32):
    linalg.yield %x : i32
  } -> tensor<9x5x7xi32>
  return %0 : tensor<9x5x7xi32>
}

// CHECK-LABEL: @pack
// CHECK: permc.permute {{.*}} shape = [2, 4, 3, 5], perm = [2, 0, 3, 1]
func.func @pack(%a: tensor<8x15xf32>, %o: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [5, 4] into %o
      : tensor<8x15xf32> -> tensor<3x2x5x4xf32>
  return %0 : tensor<3x2x5x4xf32>
}

// CHECK-LABEL: @unpack
// CHECK: permc.permute {{.*}} shape = [3, 2, 5, 4], perm = [1, 3, 0, 2]
func.func @unpack(%a: tensor<3x2x5x4xf32>, %o: tensor<8x15xf32>) -> tensor<8x15xf32> {
  %0 = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [5, 4] into %o
      : tensor<3x2x5x4xf32> -> tensor<8x15xf32>
  return %0 : tensor<8x15xf32>
}

// Sizes of dims that are taken apart come from what is packed into.
// CHECK-LABEL: @dynamic_pack
// CHECK-SAME: %{{.*}}: tensor<?x?xf32>, %[[O:.*]]: tensor<?x?x?x4xf32>
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[O]], %{{.*}} : tensor<?x?x?x4xf32>
// CHECK: memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?x4xf32>
// CHECK: permc.dynamic_permute {{.*}} by #permc.dynamic_problem<element = 4, shape = [?0, 4, ?1, ?2], perm = [2, 0, 3, 1]>
func.func @dynamic_pack(%a: tensor<?x?xf32>, %o: tensor<?x?x?x4xf32>, %tile: index) -> tensor<?x?x?x4xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%tile, 4] into %o
      : tensor<?x?xf32> -> tensor<?x?x?x4xf32>
  return %0 : tensor<?x?x?x4xf32>
}

// What is left alone: padding, cuts, strides that are not known, a generic that
// does more, elements of less than a byte; with a reason where it is a transpose.
// REMARK: remark: permc does not import it: the strides of a memref are not static
// REMARK: remark: permc does not import it: a memref has both strides and dynamic dims
// REMARK: remark: permc does not import it: the last tiles may be cut, as dims are dynamic
// REMARK: remark: permc does not import it: elements of type 'i4' are no whole bytes
// CHECK-LABEL: @others
// CHECK: linalg.pack
// CHECK: linalg.unpack
// CHECK: linalg.transpose
// CHECK: linalg.generic
// CHECK: linalg.transpose
// CHECK: linalg.unpack
// CHECK: linalg.transpose
// CHECK-NOT: permc
func.func @others(%a: tensor<7x15xf32>, %o: tensor<2x3x4x5xf32>, %u: tensor<2x3x4x5xf32>, %v: tensor<7x15xf32>,
                  %m: memref<4x8xf32, strided<[?, 1]>>, %n: memref<8x4xf32>, %x: tensor<4x8xf32>,
                  %y: tensor<8x4xf32>, %p: memref<4x8xi4>, %q: memref<8x4xi4>,
                  %w: memref<?x8xf32, strided<[16, 1]>>, %z: memref<8x?xf32>, %j: tensor<?x3x4x5xf32>, %k: tensor<?x15xf32>)
    -> (tensor<2x3x4x5xf32>, tensor<7x15xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %o
      : tensor<7x15xf32> -> tensor<2x3x4x5xf32>
  %1 = linalg.unpack %u inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %v
      : tensor<2x3x4x5xf32> -> tensor<7x15xf32>
  linalg.transpose ins(%m : memref<4x8xf32, strided<[?, 1]>>) outs(%n : memref<8x4xf32>) permutation = [1, 0]
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) {
  ^bb0(%s: f32, %t: f32):
    %d = arith.addf %s, %s : f32
    linalg.yield %d : f32
  } -> tensor<8x4xf32>
  linalg.transpose ins(%w : memref<?x8xf32, strided<[16, 1]>>) outs(%z : memref<8x?xf32>) permutation = [1, 0]
  %3 = linalg.unpack %j inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %k : tensor<?x3x4x5xf32> -> tensor<?x15xf32>
  linalg.transpose ins(%p : memref<4x8xi4>) outs(%q : memref<8x4xi4>) permutation = [1, 0]
  return %0, %1, %2 : tensor<2x3x4x5xf32>, tensor<7x15xf32>, tensor<8x4xf32>
}
