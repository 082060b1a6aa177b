// RUN: %permc-opt %s --permc-flip | FileCheck %s

// CHECK-LABEL: func @reversed_in_dst
// CHECK: #permc.problem<element = 4, shape = [9], perm = [0], src_strides = [-4]>
func.func @reversed_in_dst(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [9], perm = [0], dst_strides = [-4]>
  return
}

// What is reversed on both sides is not reversed.
// CHECK-LABEL: func @reversed_on_both_sides
// CHECK: #permc.problem<element = 2, shape = [3, 5], perm = [1, 0], src_strides = [-10, 2]>
func.func @reversed_on_both_sides(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [3, 5], perm = [1, 0],
                      src_strides = [10, -2], dst_strides = [-6, -2]>
  return
}

// Dst goes forwards already.
// CHECK-LABEL: func @views_of_src
// CHECK: #permc.problem<element = 1, shape = [3, 5], perm = [1, 0], src_strides = [0, -1]>
func.func @views_of_src(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [3, 5], perm = [1, 0],
                      src_strides = [0, -1]>
  return
}
