//===- permute.hpp - permute spans and views --------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libpermc_rt for C++20, in this header alone: link with -lpermc_rt. Output dim
// i is input dim order[i]. Nothing throws, and exceptions may be off: functions
// return a permc_status, and permc_rt_last_error() says why it is not PERMC_OK.
//
//   std::vector<float> src(6), dst(6);
//   permc::permute<float>(src, dst, {2, 3}, {1, 0});
//
// Views are std::mdspan, or whatever has its functions data_handle, rank,
// extent and stride; permc::strided is one. Strides may be zero or negative as
// far as permc_rt_permute takes them.
//
//   permc::permute(from, to, {2, 0, 1}); // to(c, h, w) = from(h, w, c)
//   permc::copy(from, to);               // to(i, j) = from(i, j)
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PERMUTE_HPP
#define PERMC_PERMUTE_HPP

#include "../permc-rt/permc_rt.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace permc {

/// A tensor of any strides, in elements. With negative ones `data` is where the
/// first element is, not where the memory begins. The lists belong to the
/// caller.
template <typename T> struct strided {
  T *data;
  std::span<const int64_t> shape, strides;

  T *data_handle() const { return data; }
  size_t rank() const { return shape.size(); }
  int64_t extent(size_t dim) const { return shape[dim]; }
  int64_t stride(size_t dim) const { return strides[dim]; }
};

/// std::mdspan, or anything like it whose elements are moved as bytes.
template <typename View>
concept strided_view =
    requires(const View &view, size_t dim) {
      { *view.data_handle() };
      { view.rank() } -> std::convertible_to<size_t>;
      { view.extent(dim) } -> std::convertible_to<int64_t>;
      { view.stride(dim) } -> std::convertible_to<int64_t>;
    } &&
    std::is_pointer_v<decltype(std::declval<const View &>().data_handle())> &&
    std::is_trivially_copyable_v<std::remove_pointer_t<
        decltype(std::declval<const View &>().data_handle())>>;

namespace detail {

inline constexpr size_t maxRank = 64;

/// The rank of a view, for a message of the library if there are too many dims.
inline permc_status refuseRank(size_t rank) {
  return permc_rt_permute(nullptr, nullptr,
                          uint32_t(rank < UINT32_MAX ? rank : UINT32_MAX),
                          nullptr, nullptr, nullptr, nullptr, 1, 1);
}

/// Elements of a shape; -1 if that is none.
inline int64_t countOf(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool fits = true;
  for (int64_t size : shape) {
    if (size < 0)
      return -1;
    fits = fits && (size == 0 || count <= INT64_MAX / size);
    count = fits ? count * size : count;
  }
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  return fits ? count : -1;
}

template <typename View>
using element_of = std::remove_cv_t<std::remove_pointer_t<
    decltype(std::declval<const View &>().data_handle())>>;

} // namespace detail

/// Permutes a dense, row-major tensor. PERMC_BAD_SIZE if src or dst has not as
/// many elements as the shape; the library has no message for that.
template <typename T>
permc_status permute(std::span<const T> src, std::span<T> dst,
                     std::span<const int64_t> shape,
                     std::span<const int64_t> order, uint32_t threads = 0) {
  static_assert(std::is_trivially_copyable_v<T>,
                "elements are moved as bytes: use permc_rt_permute_indices");
  if (shape.size() != order.size())
    return PERMC_BAD_RANK;
  const int64_t count = detail::countOf(shape);
  if (count >= 0 &&
      (src.size() != size_t(count) || dst.size() != size_t(count)))
    return PERMC_BAD_SIZE;
  return permc_rt_permute(src.data(), dst.data(), uint32_t(shape.size()),
                          shape.data(), order.data(), nullptr, nullptr,
                          sizeof(T), threads);
}

template <typename T>
permc_status permute(std::span<const T> src, std::span<T> dst,
                     std::initializer_list<int64_t> shape,
                     std::initializer_list<int64_t> order,
                     uint32_t threads = 0) {
  return permute<T>(src, dst, std::span(shape.begin(), shape.size()),
                    std::span(order.begin(), order.size()), threads);
}

/// Permutes a view to another one: dst's dim i is src's dim order[i].
/// PERMC_BAD_SIZE if their shapes do not agree on that.
template <strided_view Src, strided_view Dst>
permc_status permute(const Src &src, const Dst &dst,
                     std::span<const int64_t> order, uint32_t threads = 0) {
  using T = detail::element_of<Src>;
  static_assert(std::is_same_v<T, detail::element_of<Dst>>,
                "src and dst have elements of one type");
  static_assert(
      !std::is_const_v<std::remove_pointer_t<decltype(dst.data_handle())>>,
      "dst is written to");
  const size_t rank = src.rank();
  if (order.size() != rank || dst.rank() != rank)
    return PERMC_BAD_RANK;
  if (rank > detail::maxRank)
    return detail::refuseRank(rank);
  int64_t shape[detail::maxRank], srcStrides[detail::maxRank],
      dstStrides[detail::maxRank];
  for (size_t i = 0; i < rank; ++i) {
    shape[i] = int64_t(src.extent(i));
    srcStrides[i] = int64_t(src.stride(i));
    dstStrides[i] = int64_t(dst.stride(i));
  }
  for (size_t i = 0; i < rank; ++i)
    if (order[i] >= 0 && size_t(order[i]) < rank &&
        int64_t(dst.extent(i)) != shape[order[i]])
      return PERMC_BAD_SIZE;
  return permc_rt_permute(src.data_handle(), dst.data_handle(), uint32_t(rank),
                          shape, order.data(), srcStrides, dstStrides,
                          sizeof(T), threads);
}

template <strided_view Src, strided_view Dst>
permc_status permute(const Src &src, const Dst &dst,
                     std::initializer_list<int64_t> order,
                     uint32_t threads = 0) {
  return permute(src, dst, std::span(order.begin(), order.size()), threads);
}

/// Copies between two views of one shape.
template <strided_view Src, strided_view Dst>
permc_status copy(const Src &src, const Dst &dst, uint32_t threads = 0) {
  int64_t order[detail::maxRank];
  if (src.rank() > detail::maxRank)
    return detail::refuseRank(src.rank());
  for (size_t i = 0; i < src.rank(); ++i)
    order[i] = int64_t(i);
  return permute(src, dst, std::span<const int64_t>(order, src.rank()),
                 threads);
}

} // namespace permc

#endif // PERMC_PERMUTE_HPP
