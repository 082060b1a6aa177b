// RUN: %permc-opt %s --permc-squeeze | FileCheck %s

// CHECK-LABEL: func @two_dims
// CHECK: #permc.problem<element = 1, shape = [9, 12, 6, 4, 6, 10], perm = [1, 2, 4, 3, 0, 5]>
func.func @two_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [1, 9, 12, 6, 4, 6, 1, 10],
                      perm = [2, 3, 5, 4, 1, 7, 0, 6]>
  return
}

// CHECK-LABEL: func @one_dim
// CHECK: #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 10], perm = [2, 3, 5, 4, 1, 6, 0]>
func.func @one_dim(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 1, 10],
                      perm = [2, 3, 5, 4, 1, 7, 0, 6]>
  return
}

// The strides of the dims that stay are kept, those of the others do not count.
// CHECK-LABEL: func @strides
// CHECK: #permc.problem<element = 2, shape = [3, 5], perm = [1, 0], src_strides = [40, 4], dst_strides = [12, 4]>
func.func @strides(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 2, shape = [3, 1, 5], perm = [2, 1, 0],
                      src_strides = [40, 777, 4], dst_strides = [12, 999, 4]>
  return
}

// CHECK-LABEL: func @to_a_scalar
// CHECK: #permc.problem<element = 4, shape = [], perm = []>
func.func @to_a_scalar(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [1, 1], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @to_the_empty_problem
// CHECK: #permc.problem<element = 4, shape = [0], perm = [0]>
func.func @to_the_empty_problem(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7, 0, 1], perm = [1, 0, 2]>
  return
}

// A schedule is for the problem as it stands, so that one stays.
// CHECK-LABEL: func @scheduled
// CHECK: #permc.problem<element = 4, shape = [1, 8], perm = [0, 1]>
func.func @scheduled(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [1, 8], perm = [0, 1]>
    as #permc.schedule<copy, tile = [1, 8], loops = [], units = 0, vector = 16>
  return
}
