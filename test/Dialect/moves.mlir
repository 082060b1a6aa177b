// RUN: %permc-opt %s | %permc-opt | FileCheck %s

// CHECK-LABEL: @moves
// CHECK: permc.load %{{.*}}[%{{.*}}] follows : memref<?xi8>, vector<48xi8>
// CHECK: permc.load %{{.*}}[%{{.*}}] near 64 nontemporal : memref<?xi8>, vector<32xi8>
// CHECK: permc.load %{{.*}}[%{{.*}}] follows registers 8 : memref<?xi8>, vector<64xi8>
// CHECK: permc.store %{{.*}}, %{{.*}}[%{{.*}}] follows lane : memref<?xi8>, vector<12xi8>
// CHECK: permc.store %{{.*}}, %{{.*}}[%{{.*}}] registers nontemporal : memref<?xi8>, vector<48xi8>
func.func @moves(%src: memref<?xi8>, %dst: memref<?xi8>, %at: index,
                 %lanes: vector<12xi8>) {
  %0 = permc.load %src[%at] follows : memref<?xi8>, vector<48xi8>
  %1 = permc.load %src[%at] near 64 nontemporal : memref<?xi8>, vector<32xi8>
  %2 = permc.load %src[%at] follows registers 8 : memref<?xi8>, vector<64xi8>
  permc.store %lanes, %dst[%at] follows lane : memref<?xi8>, vector<12xi8>
  permc.store %0, %dst[%at] registers nontemporal : memref<?xi8>, vector<48xi8>
  return
}

// CHECK-LABEL: @copy
// CHECK: permc.copy %{{.*}}, %{{.*}} aligned 4 : memref<36xi8>
// CHECK: permc.vectors dense<1> : vector<32xi8>
func.func @copy(%src: memref<36xi8>, %dst: memref<36xi8>) -> vector<32xi8> {
  permc.copy %src, %dst aligned 4 : memref<36xi8>
  %0 = permc.vectors dense<1> : vector<32xi8>
  return %0 : vector<32xi8>
}
