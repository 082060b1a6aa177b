## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

## In place of the built-in function while permc_overload is on.
function B = permute (varargin)
  B = permc_permute (varargin{:});
endfunction
