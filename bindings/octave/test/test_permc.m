## Part of permc, under the Apache License v2.0 with LLVM Exceptions.
## SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

## permc_permute and permc_ipermute against Octave's own functions: values,
## classes, sizes and messages.

1;

function check (condition, varargin)
  if (! condition)
    error ("test_permc: %s", sprintf (varargin{:}));
  endif
endfunction

function same (a, order, what)
  for name = {"permute", "ipermute"}
    expected = builtin (name{1}, a, order);
    found = feval (["permc_" name{1}], a, order);
    check (isequal (size (found), size (expected))
           && strcmp (class (found), class (expected))
           && isequaln (found, expected)
           && iscomplex (found) == iscomplex (expected)
           && issparse (found) == issparse (expected)
           && is_dq_string (found) == is_dq_string (expected),
           "%s of %s %s by %s", name{1}, what, mat2str (size (a)),
           mat2str (order));
  endfor
endfunction

function message = message_of (name, varargin)
  message = "";
  try
    feval (name, varargin{:});
  catch err
    message = err.message;
  end_try_catch
endfunction

function refused (varargin)
  for name = {"permute", "ipermute"}
    expected = message_of ("builtin", name{1}, varargin{:});
    found = message_of (["permc_" name{1}], varargin{:});
    check (strcmp (found, expected), "'%s'; expected '%s'", found, expected);
  endfor
endfunction

function array = random_array (class_name, dims)
  array = randi ([0, 100], dims);
  switch (class_name)
    case "complex"
      array = complex (array, randi (100, dims));
    case "single complex"
      array = single (complex (array, randi (100, dims)));
    case "cell"
      array = num2cell (array);
    case "sq_string"
      array = char (array + 27);
    otherwise
      array = cast (array, class_name);
  endswitch
endfunction

rand ("state", 5);
classes = {"double", "single", "int8", "uint8", "int16", "uint16", "int32", ...
           "uint32", "int64", "uint64", "logical", "sq_string", "complex", ...
           "single complex", "cell"};
count = 0;
for round = 1:30
  for each = classes
    rank = randi ([1, 5]);
    dims = [randi([1, 12], 1, rank), 1];
    if (rand () < 0.1)
      dims(1) = 0;
    endif
    a = random_array (each{1}, dims);
    same (a, randperm (max (ndims (a), rank + randi ([0, 2]))), each{1});
    count += 1;
  endfor
endfor
printf ("%d random arrays agree with permute and ipermute\n", count);

## What is no full array of numbers.
same (sparse ([1 0 2; 0 3 0]), [2 1], "sparse");
same (1:5, [2 1 3], "range");
same (eye (4), [2 1], "diagonal");
same (eye (4)(:, [2 1 4 3]), [2 1], "permutation");
same (struct ("a", {1, 2, 3}), [2 1], "struct");
same ({}, [2 1], "empty cell");
same ("double quotes", [2 1], "char");
same ("double quotes", [1 2], "char");
same ('single quotes', [2 1], "char");
same ([], [3 1 2], "empty");
same (zeros (0, 3, 2, "int8"), [3 1 2], "empty");
same (5, [1 2], "scalar");
same (true, [3 2 1], "scalar");
same (rand (300, 200), [2 1], "large");
same (int8 (randi (100, 40, 30, 20)), [3 1 2], "large");

## Octave's own words.
a = rand (2, 3);
refused (a, [1 1]);
refused (a, [0 1]);
refused (a, [1 3]);
refused (a, 1);
refused (a, [1.5 2]);
refused (a, [Inf 1]);
refused (a, [NaN 1]);
refused (a, [2 1] + 0i);
refused (a, [2+1i 1]);
refused (a, "ab");
refused (a, {1, 2});
refused (a, []);
refused (a, reshape ([2 1], 1, 1, 2));
refused (a, [1 2; 3 4]);
refused (@sin, [2 1]);
refused (a);
refused ();

## In the place of the built-in functions, and back.
check (! permc_overload (), "overloaded before it was asked for");
permc_overload on
check (permc_overload (), "not overloaded");
check (! isempty (strfind (which ("permute"), "overload")), "which: %s", which ("permute"));
check (isequal (permute (a, [2 1]), a'), "overloaded permute");
check (isequal (ipermute (a, [2 1]), a'), "overloaded ipermute");
check (isequal (permute ({1, 2}, [2 1]), {1; 2}), "overloaded permute of a cell");
## What comes first in a file is its help.
for name = {"permute", "ipermute", "permc_overload", "permc_permute", "permc_ipermute"}
  check (! isempty (strfind (help (name{1}), "permc_permute"))
         || ! isempty (strfind (help (name{1}), "permc_ipermute")),
         "help %s: %s", name{1}, help (name{1}));
endfor
check (strcmp (message_of ("permute", a, [1 1]), message_of ("permc_permute", a, [1 1])),
       "overloaded message");
permc_overload off
check (isempty (strfind (which ("permute"), "overload")), "still overloaded");
check (! isempty (message_of ("permc_overload", "maybe")), "maybe");

## The shared conformance cases, if there are any: OP, CLASS, sizes, order, data,
## sizes and data of the result, or nothing if Octave's own verdict decides.
if (exist ("cases_file", "var"))
  source (cases_file);
  for i = 1:numel (cases)
    c = cases{i};
    a = reshape (feval (c.class, c.data), c.shape);
    if (c.is_error)
      own = message_of ("builtin", c.op, a, c.order);
      check (strcmp (message_of (["permc_" c.op], a, c.order), own), "%s", c.name);
    else
      found = feval (["permc_" c.op], a, c.order);
      check (isequal (size (found), c.out_shape)
             && isequal (found(:), feval (c.class, c.out)(:))
             && strcmp (class (found), c.class), "%s", c.name);
    endif
  endfor
  printf ("%d conformance cases are right\n", numel (cases));
endif
