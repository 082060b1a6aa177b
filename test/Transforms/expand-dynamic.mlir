// RUN: %permc-opt %s --permc-squeeze --permc-merge --permc-fold \
// RUN:   | FileCheck %s --check-prefix=SIMPLE
// RUN: %permc-opt %s --permc-squeeze --permc-merge --permc-fold --permc-split-parts \
// RUN:   --permc-expand-dynamic | FileCheck %s
// RUN: %permc-opt %s --permc-squeeze --permc-merge --permc-fold --permc-schedule \
// RUN:   --permc-split-parts --permc-expand-dynamic --permc-lower-to-loops \
// RUN:   --permc-convert-to-llvm | FileCheck %s --check-prefix=LLVM

// The simplification is that of a static problem.
// SIMPLE-LABEL: @batch(
// SIMPLE: #permc.dynamic_problem<element = 1, shape = [?0, 50176, 3], perm = [0, 2, 1]>
// SIMPLE-LABEL: @rows(
// SIMPLE: #permc.dynamic_problem<element = 4, shape = [?0, 8*?1], perm = [1, 0]>

// The whole is one part.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[src:.*]]: memref<?xi8>, %[[dst:.*]]: memref<?xi8>, %[[dims:.*]]: memref<1xi64>)
// CHECK-DAG: %[[part:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[parts:.*]] = arith.constant 1 : i32
// CHECK: call @batch_part(%[[src]], %[[dst]], %[[dims]], %[[part]], %[[parts]])
// CHECK-NEXT: return

// Static tiles need no guard but the one that there is anything to move.
// CHECK-LABEL: func.func @batch_part(
// CHECK: %[[exists:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: scf.if %[[exists]]
// CHECK: memref.load
// All 64 bits of the size count.
// CHECK: %[[any:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: scf.if %[[any]]
// One part is everything, without a division.
// CHECK: %[[one:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: div
// CHECK: scf.if %[[one]]
// CHECK: permc.permute %{{.*}}, %{{.*}} box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) along [0, 2] dims(%{{.*}}) : {{.*}} perm = [0, 2, 1]> as #permc.schedule<{{.*}}, tile = [1,
// CHECK-NOT: permc.permute
// CHECK: return
func.func @batch(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<1xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<1xi64>
    by #permc.dynamic_problem<element = 1, shape = [?0, 224, 224, 3],
                              perm = [0, 3, 1, 2]>
  return
}

// Tiles, small tiles, elements; each variant but the last has its guards.
// CHECK-LABEL: func.func @rows_part(
// CHECK-COUNT-2: memref.load
// A tile has as many elements of both dims as there must be at least.
// CHECK: arith.remui
// CHECK: arith.cmpi eq
// CHECK-NEXT: %[[rows:.*]] = arith.constant [[#ROWS:]] : index
// CHECK-NEXT: arith.cmpi uge, %{{.*}}, %[[rows]] : index
// CHECK-NEXT: arith.andi
// CHECK-NEXT: %[[columns:.*]] = arith.constant [[#COLUMNS:]] : index
// CHECK-NEXT: arith.cmpi uge, %{{.*}}, %[[columns]] : index
// CHECK: scf.if
// CHECK: permc.permute {{.*}} #permc.schedule<tile_transpose, tile = {{\[}}[[#ROWS]], [[#COLUMNS]]]
// CHECK: } else {
// The dim of 8*?1 has 5 elements in any case.
// CHECK: permc.permute {{.*}} #permc.schedule<scalar, tile = [5, 1]
// CHECK-NOT: permc.permute
// CHECK: return
func.func @rows(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<2xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<2xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, ?1, 8],
                              perm = [1, 2, 0]>
  return
}

// Shapes with kernels of their own come first.
// CHECK-LABEL: func.func @special_part(
// CHECK-SAME: %[[src:.*]]: memref<?xi8>, %[[dst:.*]]: memref<?xi8>, %{{.*}}: memref<1xi64>, %[[part:.*]]: i32, %[[parts:.*]]: i32)
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: call @special.8_part(%[[src]], %[[dst]], %[[part]], %[[parts]])
// CHECK: } else {
// CHECK: permc.permute
// CHECK: func.func private @special.8(
// CHECK: func.func private @special.8_part(
func.func @special(%src: memref<?xi8>, %dst: memref<?xi8>,
                   %dims: memref<1xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<1xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 8], perm = [1, 0]>
    specialized {special.8 = array<i64: 8>}
  return
}
func.func private @special.8(%src: memref<?xi8>, %dst: memref<?xi8>)
    attributes {permc.kernel} {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 1, 1 : 1],
                       units = 0, vector = 4>
  return
}

// A dim that is known to be reversed begins with its last element; one whose
// stride comes with the call may, and the call is not refused for that.
// CHECK-LABEL: func.func @views_part(
// CHECK-COUNT-2: arith.index_cast
// CHECK: %[[PITCH:.*]] = arith.index_cast
// CHECK-COUNT-2: arith.cmpi sgt, %{{.*}} : i64
// CHECK-NOT: arith.cmpi sgt
// CHECK: %[[BACK:.*]] = arith.subi %{{.*}}, %[[PITCH]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[BACK]]
// CHECK: arith.muli %{{.*}}, %[[FIRST]]
// CHECK: %[[ORIGIN:.*]] = arith.addi
// CHECK: permc.permute %{{.*}} origins(%[[ORIGIN]], %c0{{.*}})
func.func @views(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<3xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<3xi64>
    by #permc.dynamic_problem<element = 1, shape = [?0, ?1], perm = [1, 0],
                              src_strides = [?2, -1]>
  return
}

// Nothing is ever moved.
// CHECK-LABEL: func.func @empty_part(
// CHECK-NOT: permc.permute
func.func @empty(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<1xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<1xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 0], perm = [1, 0]>
  return
}

// The signature is the C one.
// LLVM: llvm.func @batch(%{{.*}}: !llvm.ptr {{.*}}, %{{.*}}: !llvm.ptr {{.*}}, %{{.*}}: !llvm.ptr {{.*}})
// LLVM: llvm.func @batch_part(%{{.*}}: !llvm.ptr {{.*}}, %{{.*}}: !llvm.ptr {{.*}}, %{{.*}}: !llvm.ptr {{.*}}, %{{.*}}: i32, %{{.*}}: i32)
// LLVM: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
// LLVM: llvm.func internal @special.8_part(
