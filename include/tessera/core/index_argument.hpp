// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extents, counts and indices between braces, of any integer type.

#include "tessera/core/index.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tessera {

namespace detail {

/// Throws value_error: `value` is above 2^63 - 1.
[[noreturn]] void refuse_index(std::uint64_t value);

}  // namespace detail

/// An integer between braces, as in `zeros({m, n})`.
///
/// In a list of `index_t`, a variable of type `std::size_t` is a narrowing conversion, which the
/// compiler refuses. The class has no constructor of lists: GCC 12 would take no designated
/// initialisers in the same call.
class index_argument {
 public:
  /// Throws: value_error <- `value` is above 2^63 - 1.
  template <class I>
  requires(std::is_convertible_v<I, index_t>) constexpr index_argument(I value)
      : value_(static_cast<index_t>(value)) {
    constexpr bool is_integer = !std::floating_point<I> && !std::same_as<I, bool>;
    static_assert(is_integer,
                  "tessera: {m, n, ...}: requires integers between the braces; "
                  "static_cast<std::int64_t>(v) is one of a number");
    if constexpr (std::unsigned_integral<I> && sizeof(I) >= sizeof(index_t)) {
      if (value > static_cast<I>(std::numeric_limits<index_t>::max())) detail::refuse_index(value);
    }
  }

  constexpr operator index_t() const { return value_; }

 private:
  index_t value_;
};

namespace detail {

template <std::size_t N>
[[nodiscard]] constexpr std::array<index_t, N> to_indices(const index_argument (&values)[N]) {
  std::array<index_t, N> indices{};
  std::copy(values, values + N, indices.begin());
  return indices;
}

}  // namespace detail
}  // namespace tessera
