// RUN: %permc-opt %s --permc-split-parts | FileCheck %s

#transpose = #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
#units = #permc.schedule<tile_transpose, tile = [8, 16],
                         loops = [1 : 32, 0 : 8, 1 : 16], units = 2,
                         vector = 16>
#whole = #permc.schedule<tile_transpose, tile = [8, 16],
                         loops = [1 : 32, 0 : 8, 1 : 16], units = 0,
                         vector = 16>

// The whole kernel is all of its units.
// CHECK-LABEL: func.func @many(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>)
// CHECK-NOT: permc.permute
// CHECK-DAG: %[[zero:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[all:.*]] = arith.constant 15 : index
// CHECK: call @many.units(%[[src]], %[[dst]], %[[zero]], %[[all]])
// CHECK-NEXT: return

// A share is computed only where it exists: 0 parts divide nothing.
// CHECK-LABEL: func.func @many_part(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>, %[[part:.*]]: i32, %[[parts:.*]]: i32)
// CHECK: %[[exists:.*]] = arith.cmpi ult, %[[part]], %[[parts]] : i32
// CHECK-NOT: div
// CHECK: scf.if %[[exists]]
// CHECK-DAG: arith.divui
// CHECK-DAG: arith.remui
// CHECK: func.call @many.units(%[[src]], %[[dst]], %[[first:.*]], %[[end:.*]])
// CHECK-NOT: permc.permute

// CHECK-LABEL: func.func private @many.units(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>, %[[first:.*]]: index, %[[end:.*]]: index)
// CHECK-NEXT: permc.permute %[[src]], %[[dst]] units(%[[first]], %[[end]])
// CHECK-NEXT: return
func.func @many(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #units
  return
}

// One unit: part 0 does it all.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT: permc.permute
// CHECK-NOT: units(
// CHECK-LABEL: func.func @single_part(
// CHECK-SAME: %[[part:[^:]*]]: i32, %{{[^:]*}}: i32)
// CHECK: arith.cmpi ult
// CHECK: %[[first:.*]] = arith.cmpi eq, %[[part]],
// CHECK: scf.if %[[first]]
// CHECK-NEXT: func.call @single(
// CHECK-NOT: @single.units
func.func @single(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #whole
  return
}

// What is no kernel is left alone: private functions, more than one permute,
// buffers the wrong way round, no schedule yet.
// CHECK-LABEL: func.func private @helper(
// CHECK-NOT: _part(
func.func private @helper(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #units
  return
}
func.func @twice(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #units
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #units
  return
}
func.func @backwards(%dst: memref<4000xi8>, %src: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #units
  return
}
func.func @unscheduled(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8> by #transpose
  return
}
