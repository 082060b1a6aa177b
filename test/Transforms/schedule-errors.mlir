// RUN: %permc-opt %s --permc-schedule=streaming-stores=true --verify-diagnostics

func.func @element_to_unfold_first(%src: memref<?xi8>, %dst: memref<?xi8>) {
  // expected-error@+1 {{has no schedule on this machine: a tile of 100000 bytes; expected at most 16384}}
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 100000, shape = [100, 3], perm = [1, 0]>
  return
}
