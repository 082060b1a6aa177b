// RUN: %permc-opt %s --permc-merge | FileCheck %s

// CHECK-LABEL: func @three_dims
// CHECK: #permc.problem<element = 1, shape = [72, 1728, 90], perm = [1, 0, 2]>
func.func @three_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 4, 5, 0, 1, 6, 7]>
  return
}

// CHECK-LABEL: func @two_dims
// CHECK: #permc.problem<element = 1, shape = [72, 155520], perm = [1, 0]>
func.func @two_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 4, 5, 6, 7, 0, 1]>
  return
}

// CHECK-LABEL: func @five_dims
// CHECK: #permc.problem<element = 1, shape = [72, 72, 4, 6, 90], perm = [1, 3, 2, 4, 0]>
func.func @five_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 5, 4, 6, 7, 0, 1]>
  return
}

// A gap on one side keeps two dims apart.
// CHECK-LABEL: func @gap_in_src
// CHECK: #permc.problem<element = 1, shape = [4, 5], perm = [0, 1], src_strides = [6, 1]>
func.func @gap_in_src(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [4, 5], perm = [0, 1],
                      src_strides = [6, 1]>
  return
}

// CHECK-LABEL: func @gap_in_dst
// CHECK: #permc.problem<element = 1, shape = [4, 5], perm = [0, 1], dst_strides = [6, 1]>
func.func @gap_in_dst(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [4, 5], perm = [0, 1],
                      dst_strides = [6, 1]>
  return
}

// Outside of the gap they are one.
// CHECK-LABEL: func @round_a_gap
// CHECK: #permc.problem<element = 1, shape = [12, 5], perm = [0, 1], src_strides = [6, 1], dst_strides = [7, 1]>
func.func @round_a_gap(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [3, 4, 5], perm = [0, 1, 2],
                      src_strides = [24, 6, 1], dst_strides = [28, 7, 1]>
  return
}

// CHECK-LABEL: func @identity
// CHECK: #permc.problem<element = 4, shape = [24], perm = [0]>
func.func @identity(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [2, 3, 4], perm = [0, 1, 2]>
  return
}
