// RUN: %permc-opt %s --permc-convert-to-llvm=index-bits=32 | FileCheck %s
// RUN: %permc-opt %s --permc-convert-to-llvm | FileCheck %s --check-prefix=WIDE

// A pair of words that is aligned stays one move. A machine with words of 64 bits
// has no need of that.
// CHECK-LABEL: llvm.func @pair(
// CHECK: llvm.load volatile {{.*}} {alignment = 4 : i64} : !llvm.ptr -> i64
// CHECK: llvm.store volatile {{.*}} {alignment = 4 : i64} : i64, !llvm.ptr
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i64
// CHECK: llvm.store %{{.*}} {alignment = 1 : i64} : i64, !llvm.ptr
// WIDE-NOT: volatile
func.func @pair(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 8 : index
  %0 = vector.load %src[%zero] {alignment = 4 : i64} : memref<64xi8>, vector<8xi8>
  vector.store %0, %dst[%zero] {alignment = 4 : i64} : memref<64xi8>, vector<8xi8>
  %1 = vector.load %src[%other] : memref<64xi8>, vector<8xi8>
  vector.store %1, %dst[%other] : memref<64xi8>, vector<8xi8>
  return
}

// Several words that are aligned are one load to registers in order. Each can be
// had alone, or with the next as a pair.
// CHECK-LABEL: llvm.func @several(
// CHECK: %[[all:.*]] = llvm.inline_asm has_side_effects "ldm.w $8, {r2, r3, r4, r5, r6, r8, r9, r10}", "={r2},={r3},={r4},={r5},={r6},={r8},={r9},={r10},r,~{memory}"
// CHECK-DAG: %[[second:.*]] = llvm.extractvalue %[[all]][1]
// CHECK-DAG: %[[fifth:.*]] = llvm.extractvalue %[[all]][4]
// CHECK-DAG: %[[sixth:.*]] = llvm.extractvalue %[[all]][5]
// CHECK: llvm.store %[[second]], {{.*}} : i32, !llvm.ptr
// CHECK: llvm.zext %[[sixth]] : i32 to i64
// CHECK: llvm.zext %[[fifth]] : i32 to i64
// CHECK: llvm.store volatile {{.*}} {alignment = 4 : i64} : i64, !llvm.ptr
// CHECK-NOT: vector.load
// WIDE-LABEL: llvm.func @several(
// WIDE: llvm.load {{.*}} : !llvm.ptr -> vector<32xi8>
func.func @several(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 8 : index
  %0 = vector.load %src[%zero] {alignment = 4 : i64} : memref<64xi8>, vector<32xi8>
  %1 = vector.shuffle %0, %0 [4, 5, 6, 7] : vector<32xi8>, vector<32xi8>
  vector.store %1, %dst[%zero] : memref<64xi8>, vector<4xi8>
  %2 = vector.shuffle %0, %0 [16, 17, 18, 19, 20, 21, 22, 23] : vector<32xi8>, vector<32xi8>
  vector.store %2, %dst[%other] {alignment = 4 : i64} : memref<64xi8>, vector<8xi8>
  return
}
