// RUN: %permc-opt %s --permc-convert-to-emitc --split-input-file --verify-diagnostics

func.func @unscheduled(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op has no schedule; run permc-schedule first}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

// expected-error@+1 {{'func.func' op is no kernel: it holds no permc.permute}}
func.func @nothing(%src: memref<32xi8>, %dst: memref<32xi8>) {
  return
}

// -----

func.func @blocked(%src: memref<512xi8>, %dst: memref<512xi8>) {
  // expected-error@+1 {{'permc.permute' op has two loops along dim 0; C has one for each dim}}
  permc.permute %src, %dst : memref<512xi8>, memref<512xi8>
    by #permc.problem<element = 1, shape = [16, 32], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 8, 1 : 1, 0 : 1],
                       units = 0, vector = 4>
  return
}

// -----

func.func @rests(%src: memref<81xi8>, %dst: memref<81xi8>) {
  // expected-error@+1 {{has tiles that do not divide 4 dims; C has room for 3}}
  permc.permute %src, %dst : memref<81xi8>, memref<81xi8>
    by #permc.problem<element = 1, shape = [3, 3, 3, 3], perm = [3, 2, 1, 0]>
    as #permc.schedule<word_transpose, tile = [2, 2, 2, 2],
                       loops = [0 : 2, 1 : 2, 2 : 2, 3 : 2], units = 0,
                       vector = 4>
  return
}

// -----

func.func @rest(%src: memref<70xi8>, %dst: memref<70xi8>) {
  // expected-error@+1 {{has units of 4 along dim 0 of size 7; expected them to divide it}}
  permc.permute %src, %dst : memref<70xi8>, memref<70xi8>
    by #permc.problem<element = 1, shape = [10, 7], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [4, 1], loops = [0 : 4, 1 : 1],
                       units = 1, vector = 4>
  return
}
