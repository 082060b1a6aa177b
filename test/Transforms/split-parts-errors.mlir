// RUN: %permc-opt %s --permc-split-parts --verify-diagnostics

// expected-note@+1 {{it is taken here}}
func.func private @k_part()

// expected-error@+1 {{is a kernel, whose parts would be called 'k_part'; expected that name to be free}}
func.func @k(%src: memref<32xi8>, %dst: memref<32xi8>) {
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 1, 1 : 1], units = 1,
                       vector = 4>
  return
}
