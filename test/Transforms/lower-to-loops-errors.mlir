// RUN: %permc-opt %s --permc-lower-to-loops --split-input-file --verify-diagnostics

func.func @unscheduled(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op has no schedule; run permc-schedule first}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}
