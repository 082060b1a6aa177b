// RUN: %permc-opt %s --split-input-file --verify-diagnostics

func.func @near_and_follows(%src: memref<?xi8>, %at: index) {
  // expected-error@+1 {{is near an address and follows another; expected one of them}}
  %0 = permc.load %src[%at] follows near 64 : memref<?xi8>, vector<32xi8>
  return
}

// -----

func.func @half_a_register(%src: memref<?xi8>, %at: index) {
  // expected-error@+1 {{is of registers that are 'vector<24xi8>' together; expected two to four of 16 bytes}}
  %0 = permc.load %src[%at] registers 0 : memref<?xi8>, vector<24xi8>
  return
}

// -----

func.func @too_many(%dst: memref<?xi8>, %at: index, %value: vector<80xi8>) {
  // expected-error@+1 {{is of registers that are 'vector<80xi8>' together; expected two to four of 16 bytes}}
  permc.store %value, %dst[%at] registers : memref<?xi8>, vector<80xi8>
  return
}

// -----

func.func @lane_of_all(%dst: memref<?xi8>, %at: index, %value: vector<32xi8>) {
  // expected-error@+1 {{is of whole registers and of a lane; expected one of them}}
  permc.store %value, %dst[%at] registers lane : memref<?xi8>, vector<32xi8>
  return
}

// -----

func.func @any_size(%src: memref<?xi8>, %dst: memref<?xi8>) {
  // expected-error@+1 {{copies 'memref<?xi8>'; expected a known size}}
  permc.copy %src, %dst aligned 4 : memref<?xi8>
  return
}

// -----

func.func @odd(%src: memref<8xi8>, %dst: memref<8xi8>) {
  // expected-error@+1 {{is aligned to 3; expected a power of two}}
  permc.copy %src, %dst aligned 3 : memref<8xi8>
  return
}

// -----

func.func @one_vector() {
  // expected-error@+1 {{is of registers that are 'vector<16xi8>' together; expected two to four of 16 bytes}}
  %0 = permc.vectors dense<1> : vector<16xi8>
  return
}

// -----

// expected-error@+1 {{"permc.target" = 4 : i64; expected the name of a target, on a module}}
module attributes {permc.target = 4} {}

// -----

// expected-error@+1 {{"permc.kernel" = true; expected no value, on a function}}
func.func private @valued() attributes {permc.kernel = true}

// -----

// expected-error@+1 {{has the attribute "permc.kernal", which permc does not know; expected permc.kernel or permc.target}}
func.func private @misspelt() attributes {permc.kernal}
