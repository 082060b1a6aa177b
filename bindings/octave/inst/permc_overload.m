## -*- texinfo -*-
## @deftypefn  {} {} permc_overload on
## @deftypefnx {} {} permc_overload off
## @deftypefnx {} {@var{is_on} =} permc_overload ()
## Puts @code{permc_permute} and @code{permc_ipermute} in place of the built-in
## @code{permute} and @code{ipermute}, or takes them away again. Without an
## argument it says whether they are there.
## @seealso{permc_permute, permc_ipermute}
## @end deftypefn

## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function is_on = permc_overload (what)
  ## Below private, where nothing finds it that is not told to.
  folder = fullfile (fileparts (mfilename ("fullpath")), "private", "overload");
  current = any (strcmp (folder, ostrsplit (path (), pathsep ())));
  if (nargin == 0)
    is_on = current;
    return;
  endif
  if (nargin != 1 || ! ischar (what) || ! any (strcmp (what, {"on", "off"})))
    error ("permc_overload: expected 'on' or 'off'");
  endif
  if (strcmp (what, "on") && ! current)
    ## That a built-in function is shadowed is what was asked for.
    before = warning ("off", "Octave:shadowed-function", "local");
    addpath (folder);
  elseif (strcmp (what, "off") && current)
    rmpath (folder);
  endif
endfunction
