// RUN: %permc-opt %s --permc-split-parts --permc-lower-to-loops --permc-convert-to-llvm | FileCheck %s
// RUN: %permc-opt %s --permc-split-parts --permc-lower-to-loops --permc-convert-to-llvm=index-bits=32 | FileCheck %s --check-prefix=NARROW

// The C signature: bare pointers, src read only, neither shared.
// CHECK-LABEL: llvm.func @k(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME: no_unwind
// CHECK: llvm.call @k.units(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// NARROW-LABEL: llvm.func @k(
// NARROW: llvm.call @k.units(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i32) -> ()

// CHECK-LABEL: llvm.func @k_part(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i32, %{{.*}}: i32)

// The shared body is nobody else's symbol. Moves of a word are integers, those
// of more are vectors; none assumes an alignment.
// CHECK-LABEL: llvm.func internal @k.units(
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> i64
// CHECK: llvm.shufflevector
// CHECK: llvm.store {{.*}} {alignment = 1 : i64} : vector<16xi8>, !llvm.ptr
// CHECK-NOT: {{(scf|arith|memref|vector|func)\.}}
// NARROW-LABEL: llvm.func internal @k.units(
// NARROW-NOT: mul {{.*}} : i64
func.func @k(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16],
                       loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>
  return
}

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
// CHECK: "llvm.intr.prefetch"
// CHECK: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<32xi8>
func.func @hints(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  memref.prefetch %src[%zero], read, locality<3>, data : memref<64xi8>
  %value = vector.load %src[%zero] : memref<64xi8>, vector<32xi8>
  vector.store %value, %dst[%zero] {alignment = 32 : i64, nontemporal = true}
    : memref<64xi8>, vector<32xi8>
  return
}
