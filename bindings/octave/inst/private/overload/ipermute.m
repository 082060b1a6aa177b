## In place of the built-in ipermute while permc_overload is on: see permc_ipermute.

## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function B = ipermute (varargin)
  B = permc_ipermute (varargin{:});
endfunction
