// RUN: %permc-opt %s --permc-split-parts --permc-lower-to-loops --permc-convert-to-llvm | FileCheck %s
// RUN: %permc-opt %s --permc-split-parts --permc-lower-to-loops --permc-convert-to-llvm="index-bits=32 integer-bits=32" | FileCheck %s --check-prefix=NARROW

// The C signature: bare pointers, src read only, neither shared.
// CHECK-LABEL: llvm.func @k(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME: no_unwind
// CHECK: llvm.call @k.box(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// NARROW-LABEL: llvm.func @k(
// NARROW: llvm.call @k.box(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i32) -> ()

// CHECK-LABEL: llvm.func @k_part(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i32, %{{.*}}: i32)

// The shared body is nobody else's symbol. Moves of a word are integers, those
// of more are vectors; none assumes an alignment. The cast keeps a back end from
// taking the last zip and the store for a structure store.
// CHECK-LABEL: llvm.func internal @k.box(
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> i64
// CHECK: llvm.shufflevector
// CHECK: llvm.bitcast {{.*}} : vector<16xi8> to vector<2xi64>
// CHECK: llvm.store {{.*}} {alignment = 1 : i64} : vector<2xi64>, !llvm.ptr
// CHECK-NOT: {{(scf|arith|memref|vector|func)\.}}
// NARROW-LABEL: llvm.func internal @k.box(
// NARROW-NOT: mul {{.*}} : i64
func.func @k(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16],
                       loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>
  return
}

// NARROW-LABEL: llvm.func @wide(
// CHECK-LABEL: llvm.func @wide(
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<32xi8>
// CHECK-NEXT: llvm.getelementptr inbounds
// CHECK-NEXT: llvm.store {{.*}} : vector<32xi8>, !llvm.ptr
func.func @wide(%src: memref<32xi8>, %dst: memref<32xi8>) {
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [32], perm = [0]>
    as #permc.schedule<copy, tile = [32], loops = [], units = 0, vector = 32>
  return
}

// What the lowering could say of a move goes with it.
// CHECK-LABEL: llvm.func @hints(
// CHECK: "llvm.intr.prefetch"{{.*}}rw = 0 : i32
// What is prefetched may lie outside of the buffer.
// CHECK: %[[ahead:.*]] = llvm.getelementptr %{{[^[]*}}[4096] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: "llvm.intr.prefetch"(%[[ahead]]){{.*}}rw = 1 : i32
// CHECK: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<32xi8>
func.func @hints(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  memref.prefetch %src[%zero], read, locality<3>, data : memref<64xi8>
  %far = arith.constant 4096 : index
  memref.prefetch %dst[%far], write, locality<3>, data : memref<64xi8>
  %value = vector.load %src[%zero] : memref<64xi8>, vector<32xi8>
  vector.store %value, %dst[%zero] {alignment = 32 : i64, nontemporal = true}
    : memref<64xi8>, vector<32xi8>
  return
}

// Structure moves: nothing stands between a load of several registers and the
// shuffles that split it, nor between the shuffle that joins and its store.
// CHECK-LABEL: llvm.func @split(
// CHECK: %[[all:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<24xi16>
// CHECK: llvm.shufflevector %[[all]], %{{.*}} [0, 3, 6, 9, 12, 15, 18, 21]
// CHECK: llvm.shufflevector %[[all]], %{{.*}} [1, 4, 7, 10, 13, 16, 19, 22]
func.func @split(%src: memref<48xi8>, %dst: memref<48xi8>) {
  permc.permute %src, %dst : memref<48xi8>, memref<48xi8>
    by #permc.problem<element = 2, shape = [8, 3], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [3, 8], loops = [], units = 0,
                       vector = 16>
  return
}
// CHECK-LABEL: llvm.func @join(
// CHECK: %[[joined:.*]] = llvm.shufflevector {{.*}} [0, 8, 16, 1, 9, 17,
// CHECK-NOT: llvm.bitcast %[[joined]]
// CHECK: llvm.store %[[joined]], {{.*}} : vector<24xi16>, !llvm.ptr
func.func @join(%src: memref<48xi8>, %dst: memref<48xi8>) {
  permc.permute %src, %dst : memref<48xi8>, memref<48xi8>
    by #permc.problem<element = 2, shape = [3, 8], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [8, 3], loops = [], units = 0,
                       vector = 16>
  return
}

// Words are taken apart by shifts, never as vectors.
// CHECK-LABEL: llvm.func @words(
// CHECK: llvm.load {{.*}} : !llvm.ptr -> i32
// CHECK-NOT: llvm.shufflevector
// CHECK: llvm.lshr {{.*}} : i32
// CHECK: llvm.trunc {{.*}} : i32 to i8
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr
// CHECK-NOT: llvm.shufflevector
// CHECK: llvm.return
func.func @words(%src: memref<32xi8>, %dst: memref<32xi8>) {
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [8, 4], perm = [1, 0]>
    as #permc.schedule<word_transpose, tile = [4, 8], loops = [], units = 0,
                       vector = 4>
  return
}

// Words trade halves, then bytes: what two words differ in is made once for both.
// CHECK-LABEL: llvm.func @exchange(
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr -> i32
// CHECK-NOT: llvm.shufflevector
// CHECK-COUNT-4: llvm.or {{.*}} : i32
// CHECK: %[[odd:.*]] = llvm.lshr %[[a:.*]], %{{.*}} : i32
// CHECK: %[[differ:.*]] = llvm.xor %[[odd]], %[[b:.*]] : i32
// CHECK: %[[traded:.*]] = llvm.and %[[differ]], %{{.*}} : i32
// CHECK: %[[up:.*]] = llvm.shl %[[traded]], %{{.*}} : i32
// CHECK: llvm.xor %[[a]], %[[up]] : i32
// CHECK-NEXT: llvm.xor %[[b]], %[[traded]] : i32
// CHECK-NOT: llvm.shufflevector
// CHECK-COUNT-4: llvm.store {{.*}} : i32, !llvm.ptr
// CHECK: llvm.return
func.func @exchange(%src: memref<16xi8>, %dst: memref<16xi8>) {
  permc.permute %src, %dst : memref<16xi8>, memref<16xi8>
    by #permc.problem<element = 1, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 4>
  return
}

// A view is where it starts. Its loop may end past the buffer.
// CHECK-LABEL: llvm.func @view(
// CHECK: llvm.getelementptr %{{[^[]*}}[%{{[^]]*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// Half a vector is one where an integer would be two.
// CHECK: llvm.load {{.*}} : !llvm.ptr -> i64
// NARROW-LABEL: llvm.func @view(
// NARROW: llvm.load {{.*}} : !llvm.ptr -> vector<8xi8>
// NARROW: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr
func.func @view(%src: memref<64xi8>, %dst: memref<64xi8>, %at: index) {
  %zero = arith.constant 0 : index
  %view = memref.view %src[%at][%at] : memref<64xi8> to memref<?xi8>
  %value = vector.load %view[%zero] : memref<?xi8>, vector<8xi8>
  vector.store %value, %dst[%zero] : memref<64xi8>, vector<8xi8>
  return
}

// Two vectors at once: the hint that selects such a move stays on both sides.
// CHECK-LABEL: llvm.func @pair
// CHECK: llvm.load {{.*}} {alignment = 1 : i64, nontemporal} : !llvm.ptr -> vector<32xi8>
// CHECK: llvm.store {{.*}} {alignment = 1 : i64, nontemporal} : vector<32xi8>
func.func @pair(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %value = vector.load %src[%zero] {nontemporal = true}
      : memref<64xi8>, vector<32xi8>
  vector.store %value, %dst[%zero] {nontemporal = true}
      : memref<64xi8>, vector<32xi8>
  return
}
