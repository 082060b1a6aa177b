// RUN: %permc-opt %s --permc-unfold | FileCheck %s
// RUN: %permc-opt %s --permc-unfold=limit=8 | FileCheck %s --check-prefix=EIGHT

// CHECK-LABEL: func @three_words
// CHECK: #permc.problem<element = 32, shape = [20, 8, 3], perm = [1, 0, 2]>
// EIGHT-LABEL: func @three_words
// EIGHT: #permc.problem<element = 8, shape = [20, 8, 12], perm = [1, 0, 2]>
func.func @three_words(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 96, shape = [20, 8], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @odd
// CHECK: #permc.problem<element = 1, shape = [4, 6, 101], perm = [1, 0, 2]>
func.func @odd(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 101, shape = [4, 6], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @within_the_limit
// CHECK: #permc.problem<element = 64, shape = [20, 8], perm = [1, 0]>
func.func @within_the_limit(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 64, shape = [20, 8], perm = [1, 0]>
  return
}

// CHECK-LABEL: func @strides
// CHECK: #permc.problem<element = 64, shape = [2, 3, 2], perm = [1, 0, 2], src_strides = [500, 130, 64], dst_strides = [300, 129, 64]>
func.func @strides(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 128, shape = [2, 3], perm = [1, 0],
                      src_strides = [500, 130], dst_strides = [300, 129]>
  return
}
