// RUN: %permc-opt %s --permc-convert-to-emitc | FileCheck %s
// RUN: %permc-opt %s --permc-convert-to-emitc="word-bytes=8 unaligned-words=true" | FileCheck %s --check-prefix=PAIRS

// Four rows of four bytes: the fourth and the second row pay for one shift a
// word, the others, whose halves would be misaligned, for three.
// CHECK-LABEL: emitc.func @tile_words(
// CHECK-SAME: attributes {specifiers = ["static"]}
// CHECK-NOT: emitc.for
// CHECK: call_opaque "permc_load32"{{.*}}#emitc.opaque<"3 * tile_SRC_STRIDE_1">
// CHECK-COUNT-1: bitwise_right_shift
// CHECK: call_opaque "permc_load32"{{.*}}#emitc.opaque<"2 * tile_SRC_STRIDE_1">
// CHECK-COUNT-3: bitwise_right_shift
// CHECK: call_opaque "permc_load32"{{.*}}#emitc.opaque<"tile_SRC_STRIDE_1">
// CHECK-COUNT-1: bitwise_right_shift
// CHECK: call_opaque "permc_load32"{{.*}}#emitc.opaque<"0">
// CHECK-COUNT-3: bitwise_right_shift
// CHECK-NOT: bitwise_right_shift
// CHECK: return

// The other one moves single bytes in loops.
// CHECK-LABEL: emitc.func @tile_elements(
// CHECK-COUNT-2: for
// CHECK-COUNT-1: call_opaque "permc_load8"
// CHECK-NOT: permc_load

// The rows lie side by side: a pair of registers takes two of them.
// PAIRS-LABEL: emitc.func @tile_words(
// PAIRS-COUNT-2: call_opaque "permc_load64"
// PAIRS-NOT: permc_load
// PAIRS: return
func.func @tile(%src: memref<16xi8>, %dst: memref<16xi8>) {
  permc.permute %src, %dst : memref<16xi8>, memref<16xi8>
    by #permc.problem<element = 1, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<word_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 4>
  return
}

// A run of 22 bytes in tiles of 8: two by a loop, and what is left over.
// CHECK-LABEL: emitc.func @run_words(
// CHECK: for
// CHECK-COUNT-2: call_opaque "permc_store32"
// CHECK: }
// CHECK-COUNT-1: call_opaque "permc_store32"
// CHECK-COUNT-1: call_opaque "permc_store16"
// PAIRS-LABEL: emitc.func @run_words(
// PAIRS: for
// PAIRS-COUNT-1: call_opaque "permc_store64"
// PAIRS: }
func.func @run(%src: memref<22xi8>, %dst: memref<22xi8>) {
  permc.permute %src, %dst : memref<22xi8>, memref<22xi8>
    by #permc.problem<element = 1, shape = [22], perm = [0]>
    as #permc.schedule<copy, tile = [8], loops = [0 : 8], units = 0, vector = 4>
  return
}

// Units are a range of the outermost loop. Bytes alone need no second path.
// CHECK-LABEL: emitc.func @bytes_words(
// CHECK-SAME: ui32, %{{.*}}: ui32)
// CHECK: mul
// CHECK: for
// CHECK-NOT: mul
// CHECK-NOT: @bytes_elements
func.func @bytes(%src: memref<15xi8>, %dst: memref<15xi8>) {
  permc.permute %src, %dst : memref<15xi8>, memref<15xi8>
    by #permc.problem<element = 1, shape = [5, 3], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 1, 1 : 1],
                       units = 1, vector = 4>
  return
}

// Nothing to move.
// CHECK-LABEL: emitc.func @empty_words(
// CHECK-NOT: call_opaque
func.func @empty(%src: memref<0xi8>, %dst: memref<0xi8>) {
  permc.permute %src, %dst : memref<0xi8>, memref<0xi8>
    by #permc.problem<element = 1, shape = [0], perm = [0]>
    as #permc.schedule<copy, tile = [0], loops = [], units = 0, vector = 4>
  return
}
