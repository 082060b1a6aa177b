// RUN: %permc-opt %s --permc-squeeze --permc-merge --permc-fold | FileCheck %s

// The worked examples of squeeze, merge and fold through all three passes:
// what one of them leaves, the next may simplify further.

// CHECK-LABEL: func @squeeze_two_dims
// CHECK: #permc.problem<element = 1, shape = [9, 72, 4, 6, 10], perm = [1, 3, 2, 0, 4]>
func.func @squeeze_two_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [1, 9, 12, 6, 4, 6, 1, 10],
                      perm = [2, 3, 5, 4, 1, 7, 0, 6]>
  return
}

// CHECK-LABEL: func @squeeze_one_dim
// CHECK: #permc.problem<element = 1, shape = [8, 9, 72, 4, 6, 10], perm = [2, 4, 3, 1, 5, 0]>
func.func @squeeze_one_dim(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 1, 10],
                      perm = [2, 3, 5, 4, 1, 7, 0, 6]>
  return
}

// CHECK-LABEL: func @merge_three_dims
// CHECK: #permc.problem<element = 1, shape = [72, 1728, 90], perm = [1, 0, 2]>
func.func @merge_three_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 4, 5, 0, 1, 6, 7]>
  return
}

// CHECK-LABEL: func @merge_two_dims
// CHECK: #permc.problem<element = 1, shape = [72, 155520], perm = [1, 0]>
func.func @merge_two_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 4, 5, 6, 7, 0, 1]>
  return
}

// CHECK-LABEL: func @merge_five_dims
// CHECK: #permc.problem<element = 1, shape = [72, 72, 4, 6, 90], perm = [1, 3, 2, 4, 0]>
func.func @merge_five_dims(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [8, 9, 12, 6, 4, 6, 9, 10],
                      perm = [2, 3, 5, 4, 6, 7, 0, 1]>
  return
}

// CHECK-LABEL: func @fold_eight_bytes
// CHECK: #permc.problem<element = 8, shape = [20, 8, 16, 12], perm = [2, 1, 3, 0]>
func.func @fold_eight_bytes(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [20, 8, 16, 12, 8],
                      perm = [2, 1, 3, 0, 4]>
  return
}

// CHECK-LABEL: func @fold_seven_bytes
// CHECK: #permc.problem<element = 7, shape = [20, 8, 16, 12], perm = [2, 1, 3, 0]>
func.func @fold_seven_bytes(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [20, 8, 16, 12, 7],
                      perm = [2, 1, 3, 0, 4]>
  return
}

// All three have something to do, each because of the one before.
// CHECK-LABEL: func @one_after_the_other
// CHECK: #permc.problem<element = 4, shape = [6, 35], perm = [1, 0]>
func.func @one_after_the_other(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [6, 5, 1, 7, 2, 2],
                      perm = [1, 3, 2, 0, 4, 5]>
  return
}
