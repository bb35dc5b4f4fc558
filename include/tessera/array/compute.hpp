// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Computes expressions.

#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"

#include <cstddef>
#include <tuple>

namespace tessera {

/// Computes several expressions together; what they have in common is computed and read once.
///
/// Returns:    a tuple with one `ndarray` for each.
/// Memory:     at most the allowed memory for one task; results are held in memory beside it.
/// Throws:     as `plan::compute`; value_error <- specs differ.
/// Complexity: see the plan, `tessera::plan(es...)`.
template <plannable... Es>
requires(sizeof...(Es) > 0) [[nodiscard]] auto compute(const Es&... es) {
  if constexpr (sizeof...(Es) == 1) {
    return std::tuple{plan<Es...>(es...).compute()};
  } else {
    return plan<Es...>(es...).compute();
  }
}

template <class Self, element T, std::size_t N>
ndarray<T, N> array_interface<Self, T, N>::compute() const {
  return tessera::plan<Self>(self()).compute();
}

}  // namespace tessera
