// RUN: %permc-opt %s --permc-lower-to-loops --split-input-file --verify-diagnostics

func.func @unscheduled(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op has no schedule; run permc-schedule first}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

func.func @unnamed(%src: memref<1000xi8>, %dst: memref<1000xi8>) {
  // expected-error@+1 {{a schedule that needs a target's own instructions; expected the module to name it by permc.target}}
  permc.permute %src, %dst : memref<1000xi8>, memref<1000xi8>
    by #permc.problem<element = 1, shape = [1000], perm = [0]>
    as #permc.schedule<copy, tile = [1000], loops = [], units = 0, vector = 16,
                       scalable>
  return
}

// -----

module attributes {permc.target = "x86-64-v3"} {
func.func @elsewhere(%src: memref<1000xi8>, %dst: memref<1000xi8>) {
  // expected-error@+1 {{a schedule that the target has no instructions for}}
  permc.permute %src, %dst : memref<1000xi8>, memref<1000xi8>
    by #permc.problem<element = 1, shape = [1000], perm = [0]>
    as #permc.schedule<copy, tile = [1000], loops = [], units = 0, vector = 16,
                       scalable>
  return
}
}

// -----

module attributes {permc.target = "x86-64-v3"} {
func.func @no_tables(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{a schedule that the target has no instructions for}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 2, shape = [16, 8], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [8, 16], loops = [], units = 0,
                       vector = 16, tables = 4>
  return
}
}
