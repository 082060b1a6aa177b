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

// -----

// Pairs of words where both buffers are aligned, words elsewhere. Rows that one
// offset cannot reach have an address each.
// CHECK-LABEL: func @pairs
// CHECK-SAME: %[[src:[^:]*]]: memref<?xi8>, %[[dst:[^:]*]]: memref<?xi8>
// CHECK-COUNT-2: memref.view %[[src]]
// CHECK: memref.view %[[dst]]
// CHECK: arith.ori
// CHECK: scf.if
// CHECK: scf.while
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 4 : i64} {{.*}} vector<8xi8>
// CHECK-NOT: vector.load
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-4: vector.load {{.*}}] : memref<?xi8>, vector<4xi8>
// CHECK-NOT: vector.load
// CHECK: return
module attributes {permc.target = "cortex-m4"} {
func.func @pairs(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 8, shape = [2, 200], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 2], loops = [0 : 1], units = 0,
                       vector = 8, pairs = 4, src_reach = 0 : 1020,
                       dst_reach = 0 : 1020>
  return
}
}

// -----

// Runs of aligned words are copied some at a time.
// CHECK-LABEL: func @runs_of_words
// CHECK: scf.if
// CHECK: permc.copy {{.*}} aligned 4 : memref<64xi8>
// CHECK: permc.copy {{.*}} aligned 4 : memref<36xi8>
// CHECK-NOT: permc.copy
// CHECK: } else {
// CHECK-COUNT-25: vector.load {{.*}} vector<4xi8>
// CHECK-NOT: vector.load
// CHECK: return
module attributes {permc.target = "cortex-m4"} {
func.func @runs_of_words(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [3, 2, 100], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 100], loops = [0 : 1, 1 : 1],
                       units = 0, vector = 8, pairs = 4, src_reach = 0 : 1020,
                       dst_reach = 0 : 1020>
  return
}
}

// -----

// Vectors are moved two at a time, and four rows or columns have one address:
// that of the third.
// CHECK-LABEL: func @vector_pairs
// CHECK-SAME: %[[src:[^:]*]]: memref<?xi8>, %[[dst:[^:]*]]: memref<?xi8>
// CHECK: %[[src1024:.*]] = arith.addi %c0, %c1024
// CHECK: memref.view %[[src]][%[[src1024]]]
// CHECK: %[[src3072:.*]] = arith.addi %c0, %c3072
// CHECK: memref.view %[[src]][%[[src3072]]]
// CHECK-NOT: memref.view %[[src]]
// CHECK: %[[dst1024:.*]] = arith.addi %c0, %c1024
// CHECK: memref.view %[[dst]][%[[dst1024]]]
// CHECK: %[[dst3072:.*]] = arith.addi %c0, %c3072
// CHECK: memref.view %[[dst]][%[[dst3072]]]
// CHECK-NOT: memref.view %[[dst]]
// CHECK: scf.for
// CHECK: scf.while ({{[^ ]*}} = %c-128,
// CHECK-COUNT-8: vector.load {{.*}} {nontemporal = true} : memref<?xi8>, vector<32xi8>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} {nontemporal = true} : memref<?xi8>, vector<32xi8>
// CHECK-NOT: vector.store
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @vector_pairs(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [128, 128], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 8], loops = [1 : 8, 0 : 8],
                       units = 0, vector = 16, vector_pairs,
                       src_reach = 1024 : 1008, dst_reach = 1024 : 1008>
  return
}
}

// -----

// Four registers are looked up in at once, and stores have their address from
// the one before.
// What they are looked up by is one constant.
// CHECK-LABEL: func @tables
// CHECK: permc.vectors dense<{{.*}}> : vector<64xi8>
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<64xi8>, vector<64xi8>
// CHECK-COUNT-16: vector.load {{.*}} vector<16xi8>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.aarch64.neon.tbl4.v16i8"
// CHECK: vector.store
// CHECK-NOT: permc.store
// CHECK: llvm.call_intrinsic
// CHECK-COUNT-3: permc.store {{.*}} follows
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @tables(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [16, 8], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [8, 16], loops = [], units = 0,
                       vector = 16, tables = 4, lookups_at_once>
  return
}
}

// -----

// Two registers of half of the streams are one load, near an address between
// the first and the last of them; the second ones wait until the first are done.
// CHECK-LABEL: func @tables_of_pairs
// CHECK-COUNT-2: permc.load {{.*}} near 192 nontemporal : memref<?xi8>, vector<32xi8>
// CHECK-COUNT-2: vector.load {{.*}} vector<16xi8>
// CHECK-COUNT-2: permc.load {{.*}} vector<32xi8>
// CHECK: vector.store
// CHECK-NOT: permc.load {{.*}} vector<32xi8>
// CHECK-COUNT-8: vector.load {{.*}} vector<16xi8>
// CHECK-NOT: vector.load
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @tables_of_pairs(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [16, 32], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [32, 16], loops = [], units = 0,
                       vector = 16, vector_pairs, tables = 4>
  return
}
}

// -----

// Four rows that follow one another are loaded at once, to registers that do so
// too, and the next four from where that ended.
// CHECK-LABEL: func @vectors_per_load
// CHECK: permc.load {{.*}} registers 0 : {{.*}} vector<64xi8>
// CHECK: permc.load {{.*}} follows registers 8 : {{.*}} vector<64xi8>
// CHECK-NOT: permc.load
// CHECK-COUNT-2: vector.store {{.*}} vector<64xi8>
// CHECK: return
module attributes {permc.target = "armv7-neon"} {
func.func @vectors_per_load(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [8, 8], loops = [], units = 0,
                       vector = 16, vectors_per_load = 4>
  return
}
}

// -----

// Four columns that follow one another in dst are one store.
// CHECK-LABEL: func @vectors_per_store
// CHECK: vector.load {{.*}} vector<64xi8>
// CHECK: permc.store {{.*}} registers : {{.*}} vector<64xi8>
// CHECK-NOT: {{vector|permc}}.store
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @vectors_per_store(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [4, 4], loops = [], units = 0,
                       vector = 16, vectors_per_store = 4>
  return
}
}

// -----

// What is left of three streams is one element of each.
// CHECK-LABEL: func @last_lane
// CHECK: vector.store {{.*}} vector<48xi8>
// CHECK: permc.store {{.*}} lane : {{.*}} vector<12xi8>
// CHECK-NOT: {{vector|permc}}.store
// CHECK: return
module attributes {permc.target = "aarch64"} {
func.func @last_lane(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [3, 5], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [5, 3], loops = [], units = 0,
                       vector = 16, last_lane>
  return
}
}

// -----

// Structure loads begin where the one before ends, stores of vectors anywhere.
// CHECK-LABEL: func @structures_step
// CHECK: vector.load %{{[^{]*}} : memref<?xi8>, vector<48xi8>
// CHECK: permc.load {{.*}} follows : {{.*}} vector<48xi8>
// CHECK-COUNT-6: vector.store %{{[^{]*}} : memref<?xi8>, vector<16xi8>
// CHECK: permc.load {{.*}} follows : {{.*}} vector<48xi8>
// CHECK-COUNT-3: vector.store %{{[^{]*}} : memref<?xi8>, vector<16xi8>
// CHECK: return
module attributes {permc.target = "armv7-neon"} {
func.func @structures_step(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [48, 3], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [3, 48], loops = [], units = 0,
                       vector = 16, structures_step>
  return
}
}
