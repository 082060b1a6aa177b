// RUN: %permc-opt %s --permc-convert-to-llvm=index-bits=32 | FileCheck %s
// RUN: %permc-opt %s --permc-convert-to-llvm | FileCheck %s --check-prefix=WIDE

// A pair of words that is aligned stays one move. A machine with words of 64 bits
// has no need of that.
// CHECK-LABEL: llvm.func @pair(
// CHECK: llvm.load volatile {{.*}} {alignment = 4 : i64} : !llvm.ptr -> i64
// CHECK: llvm.store volatile {{.*}} {alignment = 4 : i64} : i64, !llvm.ptr
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i64
// CHECK: llvm.store %{{.*}} {alignment = 1 : i64} : i64, !llvm.ptr
// WIDE-NOT: volatile
func.func @pair(%src: memref<64xi8>, %dst: memref<64xi8>) {
  %zero = arith.constant 0 : index
  %other = arith.constant 8 : index
  %0 = vector.load %src[%zero] {alignment = 4 : i64} : memref<64xi8>, vector<8xi8>
  vector.store %0, %dst[%zero] {alignment = 4 : i64} : memref<64xi8>, vector<8xi8>
  %1 = vector.load %src[%other] : memref<64xi8>, vector<8xi8>
  vector.store %1, %dst[%other] : memref<64xi8>, vector<8xi8>
  return
}
