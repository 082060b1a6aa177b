//===- permc_permute.cc - Octave's permute by permc -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Full arrays of numbers, logical values and characters are moved by permc. All
// else, other classes and every order that is none, is left to the function
// that Octave has itself: so its rules and its messages hold.
//
//===----------------------------------------------------------------------===//

#include <octave/oct.h>
#include <octave/parse.h>

#include <permc-rt/permc_rt.h>

#include <vector>

namespace {

using Ints = std::vector<int64_t>;

/// Of a valid order, counted from 0; empty if it is not a plain one.
Ints readOrder(const octave_value &given, const dim_vector &dims) {
  const bool isPlain = given.isnumeric() && given.isreal() &&
                       !given.issparse() && given.ndims() == 2 &&
                       (given.rows() == 1 || given.columns() == 1) &&
                       given.numel() >= dims.ndims() && given.numel() <= 64;
  if (!isPlain)
    return {};
  const NDArray numbers = given.array_value();
  Ints order;
  std::vector<bool> seen(size_t(numbers.numel()));
  for (octave_idx_type i = 0; i < numbers.numel(); ++i) {
    const double number = numbers(i);
    if (!(number >= 1 && number <= double(numbers.numel())) ||
        number != double(int64_t(number)) || seen[size_t(number) - 1])
      return {};
    seen[size_t(number) - 1] = true;
    order.push_back(int64_t(number) - 1);
  }
  return order;
}

Ints inverted(const Ints &order) {
  Ints inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    inverse[size_t(order[i])] = int64_t(i);
  return inverse;
}

/// Octave's arrays are column-major: every list of dims is reversed for permc,
/// and dim d is called n - 1 - d.
template <typename Array> Array permuted(const Array &src, const Ints &order) {
  const int rank = int(order.size());
  dim_vector dims = src.dims();
  dims.resize(rank, 1);
  dim_vector result = dim_vector::alloc(rank);
  Ints shape, perm;
  for (int i = 0; i < rank; ++i) {
    result(i) = dims(int(order[size_t(i)]));
    shape.insert(shape.begin(), dims(i));
    perm.insert(perm.begin(), rank - 1 - order[size_t(i)]);
  }
  Array dst(result);
  const permc_status status = permc_rt_permute(
      src.data(), dst.fortran_vec(), uint32_t(rank), shape.data(), perm.data(),
      nullptr, nullptr, sizeof(*src.data()), /*threads=*/0);
  if (status != PERMC_OK)
    error("permc_permute: %s", permc_rt_last_error());
  return dst;
}

octave_value permuteInteger(const octave_value &array, const Ints &order) {
  if (array.is_int8_type())
    return permuted(array.int8_array_value(), order);
  if (array.is_uint8_type())
    return permuted(array.uint8_array_value(), order);
  if (array.is_int16_type())
    return permuted(array.int16_array_value(), order);
  if (array.is_uint16_type())
    return permuted(array.uint16_array_value(), order);
  if (array.is_int32_type())
    return permuted(array.int32_array_value(), order);
  if (array.is_uint32_type())
    return permuted(array.uint32_array_value(), order);
  if (array.is_int64_type())
    return permuted(array.int64_array_value(), order);
  return permuted(array.uint64_array_value(), order);
}

/// Undefined for what is not moved as it is: ranges and matrices of a special
/// structure are cheaper as they are, and cells hold values.
octave_value permuteFull(const octave_value &array, const Ints &order) {
  if (array.issparse() || array.is_diag_matrix() || array.is_perm_matrix() ||
      array.is_range() || array.isobject())
    return octave_value();
  // Octave's function forgets the quotes that text was written in.
  if (array.is_string())
    return octave_value(permuted(array.char_array_value(), order), '\'');
  if (array.islogical())
    return permuted(array.bool_array_value(), order);
  if (array.isinteger())
    return permuteInteger(array, order);
  if (array.is_single_type())
    return array.iscomplex()
               ? octave_value(
                     permuted(array.float_complex_array_value(), order))
               : octave_value(permuted(array.float_array_value(), order));
  if (array.is_double_type())
    return array.iscomplex()
               ? octave_value(permuted(array.complex_array_value(), order))
               : octave_value(permuted(array.array_value(), order));
  return octave_value();
}

octave_value_list run(const octave_value_list &arguments, const char *name,
                      bool inverse) {
  if (arguments.length() == 2) {
    const octave_value &array = arguments(0);
    const Ints order = readOrder(arguments(1), array.dims());
    if (!order.empty()) {
      octave_value result =
          permuteFull(array, inverse ? inverted(order) : order);
      if (result.is_defined())
        return ovl(result);
    }
  }
  octave_value_list call = arguments;
  call.prepend(octave_value(name));
  return octave::feval("builtin", call, 1);
}

} // namespace

// PKG_ADD: autoload ("permc_ipermute", "permc_permute.oct");
// PKG_DEL: autoload ("permc_ipermute", "permc_permute.oct", "remove");

DEFUN_DLD(permc_permute, args, , "-*- texinfo -*-\n\
@deftypefn {} {@var{B} =} permc_permute (@var{A}, @var{perm})\n\
The generalized transpose of @var{A}, as @code{permute} makes it, but by the\n\
kernels of permc.\n\
@seealso{permute, permc_ipermute, permc_overload}\n\
@end deftypefn") {
  return run(args, "permute", false);
}

DEFUN_DLD(permc_ipermute, args, , "-*- texinfo -*-\n\
@deftypefn {} {@var{A} =} permc_ipermute (@var{B}, @var{iperm})\n\
The inverse of @code{permc_permute}, as @code{ipermute} makes it.\n\
@seealso{ipermute, permc_permute, permc_overload}\n\
@end deftypefn") {
  return run(args, "ipermute", true);
}
