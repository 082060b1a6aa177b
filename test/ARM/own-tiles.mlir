// RUN: %permc-opt %s --split-input-file --permc-lower-to-loops | FileCheck %s

// Tiles in instructions that only ARM has, by the family's own code.

// Each row is one load and each column one store, and one address on each side
// steps along; how far, the back end is not to know. The last tile, moved back,
// is code of its own.
// CHECK-LABEL: func @stepping
// CHECK: %[[row:.*]] = llvm.mlir.constant(400 : i64)
// CHECK: llvm.inline_asm "", "=r,0" %[[row]]
// CHECK: %[[tile:.*]] = llvm.mlir.constant(-2752 : i64)
// CHECK: llvm.inline_asm "", "=r,0" %[[tile]]
// CHECK: %[[column:.*]] = llvm.mlir.constant(320 : i64)
// CHECK: llvm.inline_asm "", "=r,0" %[[column]]
// CHECK: scf.for
// CHECK: scf.while
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.aarch64.neon.ld1x3.v4i32.p0"
// CHECK-NOT: llvm.aarch64.neon.ld1
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.aarch64.neon.st1x2.v4i32.p0"
// CHECK: scf.condition
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.aarch64.neon.ld1x3.v4i32.p0"
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.aarch64.neon.st1x2.v4i32.p0"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @stepping(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [80, 100], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [12, 8], loops = [1 : 8, 0 : 12],
                       units = 0, vector = 16, stepping = 3>
  return
}
}

// -----

// Four words of two rows are loaded by moves that step on, and stored in pairs
// by moves that step too, where buffers are aligned; elsewhere word by word.
// CHECK-LABEL: func @stepping_words
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.while
// CHECK: llvm.inline_asm has_side_effects "ldm.w $4!, {r2, r3, r4, r5}"
// CHECK: llvm.inline_asm has_side_effects "ldm.w $4!, {r6, r8, r9, r10}"
// CHECK-COUNT-4: llvm.inline_asm has_side_effects "strd $1, $2, [$0], #80"
// CHECK-COUNT-2: "ldm.w
// CHECK-COUNT-4: "strd $1, $2, [$0], #80"
// CHECK-NOT: llvm.add
// CHECK: scf.condition
// CHECK: } else {
// CHECK-NOT: llvm.inline_asm
// CHECK-COUNT-16: vector.store
// CHECK: return
module attributes {permc.target = "cortex-m4"} {
func.func @stepping_words(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [20, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 2], loops = [1 : 2, 0 : 8],
                       units = 0, vector = 16, pairs = 4, step_reach = 1020 : 1020>
  return
}
}

// -----

// Vectors of unknown length count in vscale; the last ones are masked.
// CHECK-LABEL: func @scalable(
// CHECK: "llvm.intr.vscale"()
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<[16]xi8>
// CHECK: llvm.intr.get.active.lane.mask
// CHECK: llvm.intr.masked.load {{.*}} -> vector<[16]xi8>
module attributes {permc.target = "aarch64-sve"} {
func.func @scalable(%src: memref<1000xi8>, %dst: memref<1000xi8>) {
  permc.permute %src, %dst : memref<1000xi8>, memref<1000xi8>
    by #permc.problem<element = 1, shape = [1000], perm = [0]>
    as #permc.schedule<copy, tile = [1000], loops = [], units = 0, vector = 16,
                       scalable>
  return
}
}

// -----

// A column is gathered from its rows where elements are aligned, and moved by
// words elsewhere.
// CHECK-LABEL: func @gather
// CHECK: scf.if
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.arm.mve.vldr.gather.offset.v8i16.p0.v8i16"
// CHECK: } else {
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {permc.target = "cortex-m55"} {
func.func @gather(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [8, 2], perm = [1, 0]>
    as #permc.schedule<gather, tile = [2, 8], loops = [], units = 0,
                       vector = 16>
  return
}
}
