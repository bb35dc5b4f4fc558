// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks of elements as functions of blocks see them.

#include "tessera/core/index.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace tessera {

namespace detail {

[[noreturn]] void throw_not_dense(std::span<const index_t> extents,
                                  std::span<const index_t> strides);

}  // namespace detail

/// A block of an array of `N` axes, which it refers to; `const T` where it is read alone.
///
/// Elements need not lie densely: a chunk at the end of an array, a part of an array in memory, an
/// operand that is broadcast do not. `eigen(block)` sees those of one or two axes wherever they
/// lie.
template <class T, std::size_t N>
class block_view {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank = N;

  /// Strides in elements.
  block_view(T* data, const std::array<index_t, N>& shape, const std::array<index_t, N>& strides,
             const std::array<index_t, N>& start)
      : data_(data), shape_(shape), strides_(strides), start_(start) {}

  [[nodiscard]] const std::array<index_t, N>& shape() const { return shape_; }
  /// Returns how many elements apart neighbours along axis `k` are.
  [[nodiscard]] index_t stride(std::size_t k) const { return strides_[k]; }
  /// Returns where along axis `k` of the result's array the block begins.
  [[nodiscard]] index_t start(std::size_t k) const { return start_[k]; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] index_t size() const {
    index_t count = 1;
    for (const index_t extent : shape_) count *= extent;
    return count;
  }

  template <std::integral... I>
  requires(sizeof...(I) == N) [[nodiscard]] T& operator()(I... indices) const {
    const std::array<index_t, N> position{static_cast<index_t>(indices)...};
    index_t offset = 0;
    for (std::size_t k = 0; k < N; ++k) offset += position[k] * strides_[k];
    return data_[offset];
  }

  /// Tells whether elements follow each other in row-major order.
  [[nodiscard]] bool is_dense() const {
    index_t dense = 1;
    for (std::size_t k = N; k-- > 0;) {
      if (shape_[k] != 1 && strides_[k] != dense) return false;
      dense *= shape_[k];
    }
    return true;
  }

  /// Returns the elements in row-major order. Throws: value_error <- the block is not dense.
  [[nodiscard]] std::span<T> span() const {
    if (!is_dense()) detail::throw_not_dense(shape_, strides_);
    return {data_, static_cast<std::size_t>(size())};
  }

 private:
  T* data_;
  std::array<index_t, N> shape_;
  std::array<index_t, N> strides_;
  std::array<index_t, N> start_;
};

namespace detail {

template <class T>
inline constexpr bool is_block_view = false;
template <class T, std::size_t N>
inline constexpr bool is_block_view<block_view<T, N>> = true;

}  // namespace detail
}  // namespace tessera
