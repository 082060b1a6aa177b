// RUN: %permc-opt %s --split-input-file --verify-diagnostics --permc-expand-dynamic

func.func @more(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>,
                %other: index) {
  // expected-error@+1 {{is not all of a function of its three operands}}
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 8], perm = [1, 0]>
  return
}

// -----

func.func @large(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  // expected-error@+1 {{are too many that do not merge, or the static ones too large}}
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 1152921504606846975],
                              perm = [1, 0]>
  return
}
