// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extents of a rank that the compiler knows, which a stream can print.

#include "tessera/core/index.hpp"

#include <array>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace detail {

/// Prints "(2, 3)", as NumPy does.
std::ostream& print_extents(std::ostream& out, std::span<const index_t> extents);

}  // namespace detail

/// The extents of an array, or of its chunks: a `std::array` that can be printed.
template <std::size_t N>
struct shape_array : std::array<index_t, N> {
  explicit shape_array(const std::array<index_t, N>& extents) : std::array<index_t, N>(extents) {}

  friend std::ostream& operator<<(std::ostream& out, const shape_array& extents) {
    return detail::print_extents(out, extents);
  }
};

}  // namespace tessera

/// For structured bindings: `const auto [m, n] = x.shape();`.
template <std::size_t N>
struct std::tuple_size<tessera::shape_array<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, tessera::shape_array<N>> {
  using type = tessera::index_t;
};
