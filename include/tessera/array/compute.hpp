// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Computes expressions.

#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>

namespace tessera {

namespace detail {

template <class... Es>
auto compute_all(const Es&... es) {
  if constexpr (sizeof...(Es) == 1 && (std::same_as<Es, typename argument<Es>::requested> && ...)) {
    return std::tuple{plan<Es...>(es...).compute()};
  } else {
    return plan<Es...>(es...).compute();
  }
}

}  // namespace detail

/// Computes several expressions together; what they have in common is computed and read once.
///
/// Returns:    a tuple with one `ndarray` for each, and a vector of them for a `std::vector` of
///             expressions; for one vector alone, that vector.
/// Memory:     at most the allowed memory for one task; results are held in memory beside it.
/// Throws:     as `plan::compute`; value_error <- specs differ.
/// Complexity: see the plan, `tessera::plan(es...)`.
template <plannable... Es>
requires(has_results<Es...>) [[nodiscard]] auto compute(const Es&... es) {
  return detail::compute_all(es...);
}
template <plannable... Es>
requires(sizeof...(Es) > 0 && !has_results<Es...>) auto compute(const Es&... es) {
  return detail::compute_all(es...);
}

template <class Self, element T, std::size_t N>
ndarray<T, N> array_interface<Self, T, N>::compute() const {
  return tessera::plan<Self>(self()).compute();
}

}  // namespace tessera
