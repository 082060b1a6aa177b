// RUN: %permc-opt %s | FileCheck %s

// What is written is what is printed; a dense side has no strides to print.

// CHECK-LABEL: func @dense
// CHECK: permc.permute %{{.*}}, %{{.*}} : memref<256xi8>, memref<256xi8> by #permc.problem<element = 4, shape = [2, 4, 8], perm = [2, 0, 1]>{{$}}
func.func @dense(%src: memref<256xi8>, %dst: memref<256xi8>) {
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 4, shape = [2, 4, 8], perm = [2, 0, 1]>
  return
}

// CHECK-LABEL: func @src_strides
// CHECK: perm = [1, 0], src_strides = [16, 1]>{{$}}
func.func @src_strides(%src: memref<56xi8>, %dst: memref<32xi8>) {
  permc.permute %src, %dst : memref<56xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0],
                      src_strides = [16, 1]>
  return
}

// CHECK-LABEL: func @dst_strides
// CHECK: perm = [1, 0], dst_strides = [5, 1]>{{$}}
func.func @dst_strides(%src: memref<32xi8>, %dst: memref<39xi8>) {
  permc.permute %src, %dst : memref<32xi8>, memref<39xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0],
                      dst_strides = [5, 1]>
  return
}

// Strides are in bytes: these are no multiple of the element.
// CHECK-LABEL: func @both_strides
// CHECK: perm = [1, 0], src_strides = [21, 7], dst_strides = [27, 9]>{{$}}
func.func @both_strides(%src: memref<25xi8>, %dst: memref<67xi8>) {
  permc.permute %src, %dst : memref<25xi8>, memref<67xi8>
    by #permc.problem<element = 4, shape = [1, 3], perm = [1, 0],
                      dst_strides = [27, 9], src_strides = [21, 7]>
  return
}

// Strides that say what holds without them are dropped.
// CHECK-LABEL: func @dense_strides
// CHECK: perm = [1, 0]>{{$}}
func.func @dense_strides(%src: memref<64xi8>, %dst: memref<64xi8>) {
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 2, shape = [4, 8], perm = [1, 0],
                      src_strides = [16, 2], dst_strides = [8, 2]>
  return
}

// CHECK-LABEL: func @scalar
// CHECK: #permc.problem<element = 12, shape = [], perm = []>
func.func @scalar(%src: memref<12xi8>, %dst: memref<12xi8>) {
  permc.permute %src, %dst : memref<12xi8>, memref<12xi8>
    by #permc.problem<element = 12, shape = [], perm = []>
  return
}

// CHECK-LABEL: func @empty
// CHECK: #permc.problem<element = 4, shape = [3, 0], perm = [1, 0]>
func.func @empty(%src: memref<0xi8>, %dst: memref<0xi8>) {
  permc.permute %src, %dst : memref<0xi8>, memref<0xi8>
    by #permc.problem<element = 4, shape = [3, 0], perm = [1, 0]>
  return
}

// A buffer may be larger than needed, or of unknown size.
// CHECK-LABEL: func @buffers
// CHECK: memref<?xi8>, memref<1000xi8>
func.func @buffers(%src: memref<?xi8>, %dst: memref<1000xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<1000xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @scheduled
// CHECK: perm = [1, 0]> as #permc.schedule<tile_transpose, tile = [8, 16], loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>{{$}}
func.func @scheduled(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16],
                       loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>
  return
}

// CHECK-LABEL: func @scheduled_box
// CHECK-SAME: %[[first:[^:]*]]: index, %[[end:[^:]*]]: index
// CHECK: box(%[[first]], %[[end]]) along [0]
// CHECK-SAME: as #permc.schedule<block_copy, tile = [1, 64], loops = [0 : 1], units = 1, vector = 32, streaming, prefetch = 256, prefetch_dst = 64>{{$}}
func.func @scheduled_box(%src: memref<3328xi8>, %dst: memref<2560xi8>,
                         %first: index, %end: index) {
  permc.permute %src, %dst box(%first, %end) along [0]
    : memref<3328xi8>, memref<2560xi8>
    by #permc.problem<element = 4, shape = [10, 64], perm = [0, 1],
                      src_strides = [320, 4]>
    as #permc.schedule<block_copy, tile = [1, 64], loops = [0 : 1], units = 1,
                       vector = 32, prefetch_dst = 64, prefetch = 256,
                       streaming>
  return
}

// CHECK-LABEL: func @scheduled_panels
// CHECK: vector = 16, panel = [32, 128], whole_lines, streaming>{{$}}
func.func @scheduled_panels(%src: memref<300000xi8>, %dst: memref<300000xi8>) {
  permc.permute %src, %dst : memref<300000xi8>, memref<300000xi8>
    by #permc.problem<element = 1, shape = [1000, 300], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [1 : 128, 0 : 32, 1 : 16, 0 : 16], units = 0,
                       vector = 16, panel = [32, 128], streaming, whole_lines>
  return
}

// CHECK-LABEL: func @last_tile
// CHECK: vector = 16, last_tile = [8, 16]>{{$}}
func.func @last_tile(%src: memref<1696xi8>, %dst: memref<1696xi8>) {
  permc.permute %src, %dst : memref<1696xi8>, memref<1696xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [0 : 16, 1 : 16],
                       units = 0, vector = 16, last_tile = [8, 16]>
  return
}

// CHECK-LABEL: func @unaligned
// CHECK: as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1], units = 0, vector = 64, streaming>
// CHECK-SAME: unaligned #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 4, 0 : 1, 1 : 1], units = 0, vector = 64, panel = [1, 4, 128], streaming>{{$}}
func.func @unaligned(%src: memref<8192xi8>, %dst: memref<8192xi8>) {
  permc.permute %src, %dst : memref<8192xi8>, memref<8192xi8>
    by #permc.problem<element = 1, shape = [16, 4, 128], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64, streaming>
    unaligned
       #permc.schedule<block_copy, tile = [1, 1, 128],
                       loops = [1 : 4, 0 : 1, 1 : 1], units = 0, vector = 64,
                       panel = [1, 4, 128], streaming>
  return
}

// Attributes stand on their own too.
// CHECK-LABEL: func private @attributes
// CHECK-SAME: kind = #permc.schedule<scalar, tile = [], loops = [], units = 0, vector = 8>
// CHECK-SAME: what = #permc.problem<element = 1, shape = [2], perm = [0]>
func.func private @attributes() attributes {
  what = #permc.problem<element = 1, shape = [2], perm = [0]>,
  kind = #permc.schedule<scalar, tile = [], loops = [], units = 0,
                         vector = 8>}
