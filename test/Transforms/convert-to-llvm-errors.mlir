// RUN: %permc-opt %s --permc-convert-to-llvm --split-input-file --verify-diagnostics

// Moves of a kernel are of flat buffers of bytes; others are not converted.
func.func @words(%src: memref<8xi16>, %dst: memref<16xi8>, %at: index) {
  // expected-error @below {{failed to legalize operation 'vector.load'}}
  %0 = vector.load %src[%at] : memref<8xi16>, vector<8xi16>
  %1 = vector.bitcast %0 : vector<8xi16> to vector<16xi8>
  vector.store %1, %dst[%at] : memref<16xi8>, vector<16xi8>
  return
}

// -----

func.func @planes(%dst: memref<4x16xi8>, %value: vector<16xi8>, %at: index) {
  // expected-error @below {{failed to legalize operation 'vector.store'}}
  vector.store %value, %dst[%at, %at] : memref<4x16xi8>, vector<16xi8>
  return
}
