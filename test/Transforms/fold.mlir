// RUN: %permc-opt %s --permc-fold | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: %permc-opt %s --permc-fold=limit=16 | FileCheck %s --check-prefixes=CHECK,SIXTEEN

// CHECK-LABEL: func @eight_bytes
// CHECK: #permc.problem<element = 8, shape = [20, 8, 16, 12], perm = [2, 1, 3, 0]>
func.func @eight_bytes(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [20, 8, 16, 12, 8],
                      perm = [2, 1, 3, 0, 4]>
  return
}

// CHECK-LABEL: func @seven_bytes
// CHECK: #permc.problem<element = 7, shape = [20, 8, 16, 12], perm = [2, 1, 3, 0]>
func.func @seven_bytes(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [20, 8, 16, 12, 7],
                      perm = [2, 1, 3, 0, 4]>
  return
}

// CHECK-LABEL: func @sixteen_bytes
// EIGHT: #permc.problem<element = 4, shape = [20, 8, 4], perm = [1, 0, 2]>
// SIXTEEN: #permc.problem<element = 16, shape = [20, 8], perm = [1, 0]>
func.func @sixteen_bytes(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [20, 8, 4], perm = [1, 0, 2]>
  return
}

// CHECK-LABEL: func @last_dim_moves
// CHECK: #permc.problem<element = 1, shape = [4, 4], perm = [1, 0]>
func.func @last_dim_moves(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [4, 4], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @elements_apart
// CHECK: #permc.problem<element = 1, shape = [5, 4], perm = [0, 1], src_strides = [8, 2]>
func.func @elements_apart(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [5, 4], perm = [0, 1],
                      src_strides = [8, 2]>
  return
}

// Strides are in bytes, so that they stay.
// CHECK-LABEL: func @padded_rows
// CHECK: #permc.problem<element = 4, shape = [5, 6], perm = [1, 0], src_strides = [70, 7], dst_strides = [50, 9]>
func.func @padded_rows(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [5, 6, 4], perm = [1, 0, 2],
                      src_strides = [70, 7, 1], dst_strides = [50, 9, 1]>
  return
}
