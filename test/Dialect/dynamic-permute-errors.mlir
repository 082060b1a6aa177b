// RUN: %permc-opt %s --split-input-file --verify-diagnostics

func.func @twice(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    // expected-error@+1 {{the dynamic dims of the shape ?0x?0; expected each of 1 at most once}}
    by #permc.dynamic_problem<element = 4, shape = [?0, ?0], perm = [1, 0]>
  return
}

// -----

func.func @square(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    // expected-error@+1 {{dynamic dim 0; expected each below 64 once}}
    by #permc.dynamic_problem<element = 4, shape = [?0*?0], perm = [0]>
  return
}

// -----

func.func @many(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    // expected-error@+1 {{dynamic dim 64; expected each below 64 once}}
    by #permc.dynamic_problem<element = 4, shape = [?64], perm = [0]>
  return
}

// -----

func.func @order(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    // expected-error@+1 {{axis 1 twice in the order [1, 1]}}
    by #permc.dynamic_problem<element = 4, shape = [?0, 3], perm = [1, 1]>
  return
}

// -----

func.func @few(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<1xi64>) {
  // expected-error@+1 {{dims holds 1 sizes, but the problem has 2 dynamic dims}}
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<1xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, ?1], perm = [1, 0]>
  return
}

// -----

func.func @same(%src: memref<?xi8>, %dims: memref<?xi64>) {
  // expected-error@+1 {{reads and writes the same buffer}}
  permc.dynamic_permute %src, %src, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, ?1], perm = [1, 0]>
  return
}

// -----

func.func @operands(%src: memref<?xi8>, %dst: memref<?xi8>, %size: index) {
  // expected-error@+1 {{has 1 dims operands for a problem of rank 1; expected a size and two strides for each dim}}
  permc.permute %src, %dst dims(%size) : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7], perm = [0]>
  return
}

// -----

func.func @dims(%src: memref<?xi8>, %dst: memref<?xi8>, %dims: memref<?xi64>) {
  // expected-error@+1 {{is specialized as {k.8 = array<i64: 8, 8>}; expected kernels with 1 sizes each, as array<i64: ...>}}
  permc.dynamic_permute %src, %dst, %dims
    : memref<?xi8>, memref<?xi8>, memref<?xi64>
    by #permc.dynamic_problem<element = 4, shape = [?0, 8], perm = [1, 0]>
    specialized {k.8 = array<i64: 8, 8>}
  return
}

// -----

func.func @origins(%src: memref<?xi8>, %dst: memref<?xi8>, %at: index) {
  // expected-error@+1 {{has 1 origins; expected one in src and one in dst, beside dims}}
  permc.permute %src, %dst dims(%at, %at, %at) origins(%at) : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [7], perm = [0]>
  return
}

// -----

func.func @origins(%src: memref<28xi8>, %dst: memref<28xi8>, %at: index) {
  // expected-error@+1 {{has 2 origins and no dims; expected one in src and one in dst, beside dims}}
  permc.permute %src, %dst origins(%at, %at) : memref<28xi8>, memref<28xi8>
    by #permc.problem<element = 4, shape = [7], perm = [0]>
  return
}
