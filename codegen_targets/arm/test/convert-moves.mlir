// RUN: sed s/TARGET/cortex-m4/ %s | %permc-opt --permc-convert-to-llvm | FileCheck %s
// RUN: sed s/TARGET/aarch64/ %s | %permc-opt --permc-convert-to-llvm | FileCheck %s --check-prefix=WIDE
// RUN: sed s/TARGET/armv7-neon/ %s | %permc-opt --permc-convert-to-llvm | FileCheck %s --check-prefix=NARROW

// Other targets have no such moves.
// RUN: sed s/TARGET/x86-64-v3/ %s | not %permc-opt --permc-convert-to-llvm 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: error: failed to legalize operation 'permc.load'

module attributes {permc.target = "TARGET"} {

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

// Registers that follow one another, and the address of the next load.
// CHECK-LABEL: llvm.func @registers(
// CHECK: %[[first:.*]] = llvm.inline_asm has_side_effects "vld1.8 {d16, d17, d18, d19}, [$4]!\0A\09vld1.8 {d20, d21, d22, d23}, [$4]!", "={q8},={q9},={q10},={q11},=r,4,~{memory}"
// CHECK-DAG: %[[third:.*]] = llvm.extractvalue %[[first]][2]
// CHECK-DAG: %[[next:.*]] = llvm.extractvalue %[[first]][4]
// CHECK: llvm.inline_asm has_side_effects "vld1.8 {d0,{{.*}}" %[[next]]
// CHECK: llvm.store %[[third]], {{.*}} : vector<16xi8>, !llvm.ptr
// WIDE-LABEL: llvm.func @registers(
// WIDE: %[[first:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.ld1x4.v16i8.p0"
// WIDE: %[[third:.*]] = llvm.extractvalue %[[first]][2]
// WIDE: llvm.inline_asm "", "=r,0"
// WIDE: llvm.call_intrinsic "llvm.aarch64.neon.ld1x4.v16i8.p0"
// WIDE: llvm.store %[[third]], {{.*}} : vector<16xi8>, !llvm.ptr
func.func @registers(%src: memref<128xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 64 : index
  %0 = permc.load %src[%zero] registers 8 : memref<128xi8>, vector<64xi8>
  %1 = permc.load %src[%other] follows registers 0 : memref<128xi8>, vector<64xi8>
  %2 = vector.shuffle %0, %0 [32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] : vector<64xi8>, vector<64xi8>
  vector.store %2, %dst[%zero] : memref<64xi8>, vector<16xi8>
  return
}

// Registers that were put side by side are one store.
// WIDE-LABEL: llvm.func @stored_at_once(
// WIDE: %[[last:.*]] = llvm.shufflevector {{.*}} [2, 5, 8, 11] : vector<12xi32>
// WIDE-NOT: llvm.shufflevector
// WIDE: llvm.call_intrinsic "llvm.aarch64.neon.st1x3.v4i32.p0"({{.*}}, {{.*}}, %[[last]], {{.*}})
func.func @stored_at_once(%src: memref<48xi8>, %dst: memref<48xi8>) {
  %zero = arith.constant 0 : index
  %0 = vector.load %src[%zero] : memref<48xi8>, vector<48xi8>
  %1 = vector.bitcast %0 : vector<48xi8> to vector<12xi32>
  %2 = vector.shuffle %1, %1 [0, 3, 6, 9] : vector<12xi32>, vector<12xi32>
  %3 = vector.shuffle %1, %1 [1, 4, 7, 10] : vector<12xi32>, vector<12xi32>
  %4 = vector.shuffle %1, %1 [2, 5, 8, 11] : vector<12xi32>, vector<12xi32>
  %5 = vector.shuffle %2, %3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>, vector<4xi32>
  %6 = vector.shuffle %4, %4 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>, vector<4xi32>
  %7 = vector.shuffle %5, %6 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : vector<8xi32>, vector<8xi32>
  %8 = vector.bitcast %7 : vector<12xi32> to vector<48xi8>
  permc.store %8, %dst[%zero] registers : memref<48xi8>, vector<48xi8>
  return
}

// One element of each of two registers is one store.
// WIDE-LABEL: llvm.func @lane(
// WIDE: %[[place:.*]] = llvm.mlir.constant(3 : i64)
// WIDE: llvm.call_intrinsic "llvm.aarch64.neon.st2lane.v4i32.p0"({{.*}}, {{.*}}, %[[place]], {{.*}}) : (vector<4xi32>, vector<4xi32>, i64, !llvm.ptr)
func.func @lane(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 20 : index
  %0 = vector.load %src[%zero] : memref<64xi8>, vector<16xi8>
  %1 = vector.load %src[%other] : memref<64xi8>, vector<16xi8>
  %2 = vector.bitcast %0 : vector<16xi8> to vector<4xi32>
  %3 = vector.bitcast %1 : vector<16xi8> to vector<4xi32>
  %4 = vector.shuffle %2, %3 [3, 7] : vector<4xi32>, vector<4xi32>
  %5 = vector.bitcast %4 : vector<2xi32> to vector<8xi8>
  permc.store %5, %dst[%zero] lane : memref<64xi8>, vector<8xi8>
  return
}

// Less than half a register is an element of one, wherever it comes from: a
// vector so short would be taken apart.
// NARROW-LABEL: llvm.func @less(
// NARROW: %[[half:.*]] = llvm.load {{.*}} -> i16
// NARROW: llvm.insertelement %[[half]], {{.*}} : vector<4xi16>
// NARROW: llvm.shufflevector {{.*}} [0, 8, 1, 9, -1, -1, -1, -1] : vector<8xi8>
// NARROW: %[[word:.*]] = llvm.extractelement {{.*}} : vector<2xi32>
// NARROW: llvm.store %[[word]], {{.*}} : i32, !llvm.ptr
// NARROW: llvm.load {{.*}} -> vector<16xi8>
// NARROW-NEXT: %[[words:.*]] = llvm.bitcast {{.*}} : vector<16xi8> to vector<4xi32>
// NARROW: %[[place:.*]] = llvm.mlir.constant(2 : i32)
// NARROW: llvm.extractelement %[[words]][%[[place]] : i32]
// NARROW: llvm.shufflevector {{.*}} [3, 4, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1] : vector<16xi8>
// NARROW: llvm.extractelement {{.*}} : vector<8xi16>
func.func @less(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 8 : index
  %0 = vector.load %src[%zero] : memref<64xi8>, vector<2xi8>
  %1 = vector.load %src[%other] : memref<64xi8>, vector<2xi8>
  %2 = vector.shuffle %0, %1 [0, 2, 1, 3] : vector<2xi8>, vector<2xi8>
  vector.store %2, %dst[%zero] : memref<64xi8>, vector<4xi8>
  %3 = vector.load %src[%zero] : memref<64xi8>, vector<16xi8>
  %4 = vector.shuffle %3, %3 [8, 9, 10, 11] : vector<16xi8>, vector<16xi8>
  vector.store %4, %dst[%zero] : memref<64xi8>, vector<4xi8>
  %5 = vector.shuffle %3, %3 [3, 4] : vector<16xi8>, vector<16xi8>
  vector.store %5, %dst[%other] : memref<64xi8>, vector<2xi8>
  return
}

// Some aligned words are copied in place.
// CHECK-LABEL: llvm.func @copy_of_words
// CHECK-SAME: (%[[src:[^:]*]]: !llvm.ptr{{.*}}, %[[dst:[^:]*]]: !llvm.ptr
// CHECK: %[[bytes:.*]] = llvm.mlir.constant(36 : {{.*}})
// CHECK: "llvm.intr.memcpy"(%[[dst]], %[[src]], %[[bytes]]) <{arg_attrs = [{llvm.align = 4 : i64}, {llvm.align = 4 : i64}, {}], isVolatile = false}>
func.func @copy_of_words(%src: memref<36xi8>, %dst: memref<36xi8>) {
  permc.copy %src, %dst aligned 4 : memref<36xi8>
  return
}
}
