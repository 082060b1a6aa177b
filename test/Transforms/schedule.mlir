// RUN: %permc-opt %s --permc-schedule | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: %permc-opt %s --permc-schedule=vector-bytes=16 | FileCheck %s --check-prefixes=CHECK,SSE
// RUN: %permc-opt %s --permc-schedule=vector-bytes=0 | FileCheck %s --check-prefixes=CHECK,WORDS
// RUN: %permc-opt %s --permc-schedule=streaming-stores | FileCheck %s --check-prefix=STREAM

// Which schedule is best is measured, not tested: here it is only that each
// permute has one that fits the machine.

// CHECK-LABEL: func @one_block
// AVX2: as #permc.schedule<copy, {{.*}} vector = 32
// SSE: as #permc.schedule<copy, {{.*}} vector = 16
// WORDS: as #permc.schedule<copy, {{.*}} vector = 8
func.func @one_block(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [10000], perm = [0]>
  return
}

// CHECK-LABEL: func @runs
// CHECK: as #permc.schedule<block_copy,
func.func @runs(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [30, 40, 500], perm = [1, 0, 2]>
  return
}

// CHECK-LABEL: func @transpose
// AVX2: as #permc.schedule<tile_transpose, {{.*}} vector = 32
// SSE: as #permc.schedule<tile_transpose, {{.*}} vector = 16
// WORDS: as #permc.schedule<scalar,
func.func @transpose(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [1000, 1000], perm = [1, 0]>
  return
}

// Nothing is contiguous in src.
// CHECK-LABEL: func @no_fast_dim
// CHECK: as #permc.schedule<scalar,
func.func @no_fast_dim(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [50, 60], perm = [0, 1],
                      src_strides = [4000, 40]>
  return
}

// CHECK-LABEL: func @nothing
// CHECK: as #permc.schedule<copy, tile = [0], loops = [], units = 0
func.func @nothing(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [0], perm = [0]>
  return
}

// A schedule that is already there stays.
// CHECK-LABEL: func @given
// CHECK: as #permc.schedule<scalar, tile = [1], loops = [0 : 1], units = 0, vector = 4>
func.func @given(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [1000], perm = [0]>
    as #permc.schedule<scalar, tile = [1], loops = [0 : 1], units = 0,
                       vector = 4>
  return
}

// A dst that does not begin with a line is another matter.
// STREAM-LABEL: func @lines
// STREAM: as #permc.schedule<block_copy, tile = [1, 1, 128], {{.*}}, streaming>
// STREAM-SAME: unaligned #permc.schedule<block_copy, {{.*}} panel = {{.*}}, streaming
func.func @lines(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [4096, 32, 128], perm = [1, 0, 2]>
  return
}
