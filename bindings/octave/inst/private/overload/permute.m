## In place of the built-in permute while permc_overload is on: see permc_permute.

## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function B = permute (varargin)
  B = permc_permute (varargin{:});
endfunction
