// RUN: %permc-opt %s --permc-split-parts | FileCheck %s

#transpose = #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
#tiles = #permc.schedule<tile_transpose, tile = [8, 16],
                         loops = [1 : 32, 0 : 8, 1 : 16], units = 2,
                         vector = 16>

// The whole kernel is the box of all rows.
// CHECK-LABEL: func.func @many(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>)
// CHECK-NOT: permc.permute
// CHECK-DAG: %[[zero:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[all:.*]] = arith.constant 40 : index
// CHECK: call @many.box(%[[src]], %[[dst]], %[[zero]], %[[all]])
// CHECK-NEXT: return

// A share is computed only where it exists: 0 parts divide nothing. There are
// two shares at most, for parts meet after every 16 rows of 100 bytes.
// CHECK-LABEL: func.func @many_part(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>, %[[part:.*]]: i32, %[[parts:.*]]: i32)
// CHECK: %[[exists:.*]] = arith.cmpi ult, %[[part]], %[[parts]] : i32
// CHECK-NOT: div
// CHECK: scf.if %[[exists]]
// CHECK-DAG: %[[grain:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[shares:.*]] = arith.constant 2 : index
// CHECK: arith.divui %[[shares]],
// CHECK: arith.muli %{{.*}}, %[[grain]]
// CHECK: func.call @many.box(%[[src]], %[[dst]], %[[begin:.*]], %[[end:.*]])
// CHECK-NOT: permc.permute

// CHECK-LABEL: func.func private @many.box(
// CHECK-SAME: %[[src:.*]]: memref<4000xi8>, %[[dst:.*]]: memref<4000xi8>, %[[begin:.*]]: index, %[[end:.*]]: index)
// CHECK-NEXT: permc.permute %[[src]], %[[dst]] box(%[[begin]], %[[end]]) along [0]
// CHECK-NEXT: return
func.func @many(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #tiles
  return
}

// Eight blocks of ten rows of 100 bytes: only after 8 blocks does a line begin
// again, but after 16 rows too. A part is up to three boxes.
// CHECK-LABEL: func.func @rows_part(
// CHECK: scf.while
// CHECK: func.call @rows.box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-LABEL: func.func private @rows.box(
// CHECK-NEXT: permc.permute %{{.*}}, %{{.*}} box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) along [0, 1]
func.func @rows(%src: memref<8000xi8>, %dst: memref<8000xi8>) {
  permc.permute %src, %dst : memref<8000xi8>, memref<8000xi8>
    by #permc.problem<element = 1, shape = [10, 8, 100], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 100], loops = [0 : 1, 1 : 1],
                       units = 0, vector = 32>
  return
}

// No two parts could meet: part 0 does it all.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT: permc.permute
// CHECK-NOT: box(
// CHECK-LABEL: func.func @single_part(
// CHECK-SAME: %[[part:[^:]*]]: i32, %{{[^:]*}}: i32)
// CHECK: arith.cmpi ult
// CHECK: %[[first:.*]] = arith.cmpi eq, %[[part]],
// CHECK: scf.if %[[first]]
// CHECK-NEXT: func.call @single(
// CHECK-NOT: @single.box
func.func @single(%src: memref<600xi8>, %dst: memref<600xi8>) {
  permc.permute %src, %dst : memref<600xi8>, memref<600xi8>
    by #permc.problem<element = 1, shape = [100, 6], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [3, 16], loops = [0 : 3, 1 : 16],
                       units = 0, vector = 16>
  return
}

// What is no kernel is left alone: private functions, more than one permute,
// buffers the wrong way round, no schedule yet.
// CHECK-LABEL: func.func private @helper(
// CHECK-NOT: _part(
func.func private @helper(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #tiles
  return
}
func.func @twice(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #tiles
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #tiles
  return
}
func.func @backwards(%dst: memref<4000xi8>, %src: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #transpose as #tiles
  return
}
func.func @unscheduled(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8> by #transpose
  return
}

// Three planes of 20011 bytes, all in each tile: lines begin elsewhere in each.
// What lies between is moved element by element, plane by plane.
// CHECK-LABEL: func.func @planes_part(
// CHECK: func.call @planes.box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: func.call @planes.box(
// CHECK: scf.for
// CHECK-COUNT-2: func.call @planes.fringe(
// CHECK-LABEL: func.func private @planes.fringe(
// CHECK-NEXT: permc.permute %{{.*}}, %{{.*}} box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) along [0, 1]
// CHECK-SAME: as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 1, 1 : 1], units = 0, vector = 16>
// CHECK-LABEL: func.func private @planes.box(
func.func @planes(%src: memref<60033xi8>, %dst: memref<60033xi8>) {
  permc.permute %src, %dst : memref<60033xi8>, memref<60033xi8>
    by #permc.problem<element = 1, shape = [20011, 3], perm = [1, 0]>
    as #permc.schedule<shuffle, tile = [3, 16], loops = [1 : 16], units = 0,
                       vector = 16>
  return
}

// Tiles have all of dim 0, whose positions are no whole lines apart: parts are
// ranges of dim 1, and the first rows of dim 2 are an unaligned edge. A line begins
// within three of them, at some element: each side of it is two boxes.
// CHECK-LABEL: func.func @inside_part(
// CHECK: scf.for
// CHECK-NEXT: arith.constant 0
// CHECK: func.call @inside.box(
// CHECK-NOT: func.call @inside.box(
// CHECK: scf.for
// CHECK-COUNT-4: func.call @inside.fringe(
// CHECK-NOT: func.call @inside.fringe(
// CHECK-LABEL: func.func private @inside.fringe(
// CHECK-NEXT: permc.permute %{{.*}} box({{.*}}) along [0, 1, 2, 3]
// CHECK-LABEL: func.func private @inside.box(
// CHECK-NEXT: permc.permute %{{.*}} box({{.*}}) along [1, 2]
func.func @inside(%src: memref<2844072xi8>, %dst: memref<2844072xi8>) {
  permc.permute %src, %dst : memref<2844072xi8>, memref<2844072xi8>
    by #permc.problem<element = 8, shape = [27, 209, 3, 21], perm = [3, 1, 0, 2]>
    as #permc.schedule<tile_transpose, tile = [21, 1, 1, 2],
                       loops = [1 : 1, 2 : 1, 3 : 2], units = 0, vector = 16>
  return
}
