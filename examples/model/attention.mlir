// The layout changes of one attention block, and of the image before it. What
// is computed between them is left out.
module {
  // The batch comes with the call.
  func.func @image(%image: tensor<?x224x224x3xi8>) -> tensor<?x3x224x224xi8> {
    %planes = tosa.transpose %image {perms = array<i32: 0, 3, 1, 2>}
        : (tensor<?x224x224x3xi8>) -> tensor<?x3x224x224xi8>
    return %planes : tensor<?x3x224x224xi8>
  }

  func.func @heads(%queries: tensor<1x128x12x64xf32>, %keys: tensor<1x128x12x64xf32>)
      -> (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>) {
    %q = tosa.transpose %queries {perms = array<i32: 0, 2, 1, 3>}
        : (tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32>
    // Two in a row: one kernel does both.
    %split = tosa.transpose %keys {perms = array<i32: 0, 2, 1, 3>}
        : (tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32>
    %k = tosa.transpose %split {perms = array<i32: 0, 1, 3, 2>}
        : (tensor<1x12x128x64xf32>) -> tensor<1x12x64x128xf32>
    return %q, %k : tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>
  }

  func.func @merge(%context: tensor<1x12x128x64xf32>) -> tensor<1x128x12x64xf32> {
    %merged = tosa.transpose %context {perms = array<i32: 0, 2, 1, 3>}
        : (tensor<1x12x128x64xf32>) -> tensor<1x128x12x64xf32>
    return %merged : tensor<1x128x12x64xf32>
  }
}
