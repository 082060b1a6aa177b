// RUN: %permc-opt %s --permc-lower-to-loops | FileCheck %s

// Sizes and strides are operands; nothing of the nominal ones is left.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[src:[^:]*]]: memref<?xi8>, %[[dst:[^:]*]]: memref<?xi8>, %[[rows:[^:]*]]: index, %[[columns:[^:]*]]: index, %[[srcRow:[^:]*]]: index, %[[dstRow:[^:]*]]: index)
// CHECK-NOT: 997
// CHECK-NOT: 3988
// As many units as it takes; the last may be shorter.
// CHECK: %[[more:.*]] = arith.addi %[[columns]], %{{.*}} : index
// CHECK: %[[units:.*]] = arith.divui %[[more]],
// CHECK: scf.for %[[unit:.*]] = %{{.*}} to %[[units]]
// CHECK: arith.minsi %{{.*}}, %[[columns]]
// The last tile is moved back, whatever the sizes are.
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[rows]]
// CHECK: arith.minsi
// Four rows of src, each one stride after the last.
// CHECK: %[[at:.*]] = arith.addi
// CHECK: vector.load %[[src]][%[[first:.*]]] : memref<?xi8>, vector<16xi8>
// CHECK: %[[second:.*]] = arith.addi %[[first]], %[[srcRow]] : index
// CHECK: vector.load %[[src]][%[[second]]]
// CHECK: %[[third:.*]] = arith.addi %[[second]], %[[srcRow]] : index
// CHECK: vector.load %[[src]][%[[third]]]
// CHECK: %[[fourth:.*]] = arith.addi %[[third]], %[[srcRow]] : index
// CHECK: vector.load %[[src]][%[[fourth]]]
// CHECK: vector.store %{{.*}}, %[[dst]][%[[column:.*]]] : memref<?xi8>, vector<16xi8>
// CHECK: arith.addi %[[column]], %[[dstRow]] : index
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.
// CHECK-NOT: 997
func.func @rows(%src: memref<?xi8>, %dst: memref<?xi8>, %rows: index,
                %columns: index, %srcRow: index, %dstRow: index) {
  %element = arith.constant 4 : index
  permc.permute %src, %dst
    dims(%columns, %element, %dstRow, %rows, %srcRow, %element)
    : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [997, 997], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4],
                       loops = [0 : 64, 0 : 4, 1 : 4], units = 1, vector = 16>
  return
}

// What is known to divide a size needs no last tile.
// CHECK-LABEL: func @multiple(
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @multiple(%src: memref<?xi8>, %dst: memref<?xi8>, %some: index) {
  %element = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %size = arith.muli %some, %eight : index
  permc.permute %src, %dst dims(%size, %element, %element)
    : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7976], perm = [0]>
    as #permc.schedule<copy, tile = [4], loops = [0 : 4], units = 0,
                       vector = 16>
  return
}

// Units of several dims whose sizes are known only now: the places are counted,
// not divided.
// CHECK-LABEL: func @units(
// CHECK: %[[zero:.*]] = arith.constant 0 : index
// CHECK: scf.for %{{.*}} = %[[zero]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[zero]], %{{.*}} = %[[zero]])
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.divui
// CHECK: scf.yield %{{.*}}, %{{.*}} : index, index
func.func @units(%src: memref<?xi8>, %dst: memref<?xi8>, %rows: index,
                 %columns: index, %srcRow: index, %dstRow: index) {
  %run = arith.constant 16 : index
  %one = arith.constant 1 : index
  permc.permute %src, %dst
    dims(%columns, %run, %dstRow, %rows, %srcRow, %run, %run, %one, %one)
    : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [11, 11, 16], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 16], loops = [0 : 1, 1 : 1],
                       units = 2, vector = 16>
  return
}
