// RUN: %permc-opt %s | FileCheck %s

// CHECK-LABEL: func @sizes
// CHECK: permc.dynamic_permute %{{.*}}, %{{.*}}, %{{.*}} : memref<?xi8>, memref<?xi8>, memref<?xi64> by #permc.dynamic_problem<element = 4, shape = [?0, 224*?2, 3, ?1], perm = [3, 2, 0, 1]>{{$}}
func.func @sizes(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 224 * ?2, 3, ?1],
                              perm = [3, 2, 0, 1]>
  return
}

// A permute of nominal sizes has the actual ones as operands.
// CHECK-LABEL: func @actual
// CHECK: permc.permute %{{.*}}, %{{.*}} dims(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?xi8>, memref<?xi8>
func.func @actual(%src: memref<?xi8>, %dst: memref<?xi8>, %size: index,
                  %stride: index) {
  permc.permute %src, %dst dims(%size, %stride, %stride)
    : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7], perm = [0]>
  return
}

// Some strides are negative; where the first elements are follows.
// CHECK-LABEL: func @reversed
// CHECK: #permc.dynamic_problem<element = 4, shape = [?0, ?1], perm = [1, 0], src_strides = [?2, -4], dst_strides = [-4*?3, 4]>
// CHECK: permc.permute %{{.*}}, %{{.*}} dims(%{{.*}}, %{{.*}}, %{{.*}}) origins(%{{.*}}, %{{.*}}) : memref<?xi8>, memref<?xi8>
func.func @reversed(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<4xi64>,
                    %size: index, %stride: index, %origin: index) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<4xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, ?1], perm = [1, 0],
                              src_strides = [?2, -4], dst_strides = [-4 * ?3, 4]>
  permc.permute %src, %dst dims(%size, %stride, %stride) origins(%origin, %origin)
    : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7], perm = [0]>
  return
}
