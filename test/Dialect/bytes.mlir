// RUN: %permc-opt %s | %permc-opt | FileCheck %s

// CHECK-LABEL: @bytes
// CHECK: permc.bytes %{{.*}} : memref<4x8xf32, strided<[16, 1], offset: 3>> to memref<224xi8>
func.func @bytes(%m: memref<4x8xf32, strided<[16, 1], offset: 3>>) -> memref<224xi8> {
  %bytes = permc.bytes %m : memref<4x8xf32, strided<[16, 1], offset: 3>> to memref<224xi8>
  return %bytes : memref<224xi8>
}
