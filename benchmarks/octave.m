## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

## permc_permute beside Octave's permute, by turns, the best time of each:
##
##     octave-cli --eval "pkg load permc; source benchmarks/octave.m"

1;

function seconds = best_of (name, a, order)
  seconds = Inf;
  count = max (1, round (2e5 / numel (a)));
  for turn = 1:15
    tic;
    for i = 1:count
      feval (name, a, order);
    endfor
    seconds = min (seconds, toc / count);
  endfor
endfunction

cases = {[4 4], "double", [2 1]; [64 64], "double", [2 1];
         [1000 1000], "double", [2 1]; [3000 2000], "single", [2 1];
         [224 224 3], "uint8", [3 1 2]; [3 224 224], "uint8", [2 3 1];
         [64 56 56 8], "single", [3 1 2 4]; [32 32 32 32], "double", [4 3 2 1];
         [20 30 40 50], "int16", [2 4 1 3]};

permc_permute (1, [1 2]); # loads the function
printf ("%-30s %12s %12s %8s\n", "array", "permc", "Octave", "faster");
for i = 1:rows (cases)
  [dims, kind, order] = cases{i, :};
  a = ones (dims, kind);
  ours = best_of ("permc_permute", a, order);
  theirs = best_of ("permute", a, order);
  name = sprintf ("%s %s by %s", strrep (mat2str (dims), " ", "x"), kind,
                  mat2str (order));
  printf ("%-36s %9.2f us %9.2f us %7.1fx\n", name, ours * 1e6, theirs * 1e6,
          theirs / ours);
endfor
