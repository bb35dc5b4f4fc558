// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The option that selects the elements of a reduction.

#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <concepts>

namespace tessera {

/// The elements that count: the option `where(valid)`.
template <class E>
struct counted_where {
  E valid;
};
template <class E>
counted_where(E) -> counted_where<E>;

/// Lets a reduction count only the elements where `valid` is true: `mean(x, axis<0>, where(x >
/// 0))`.
///
/// Of nothing, sums are 0, products 1, `any` false and `all` true; means, variances, and the least
/// and the greatest of floats are NaN; of integers they are 0.
/// Requires: a condition of dtype bool, of the shape of the array or one that is broadcast to it.
template <array_argument Valid>
[[nodiscard]] auto where(const Valid& valid) {
  static_assert(
      are_operands<Valid> && std::same_as<typename Valid::value_type, bool>,
      "tessera::where(valid): requires a lazy array of dtype bool: mean(x, where(x > 0)); "
      "where(condition, a, b) chooses elements");
  return counted_where<Valid>{valid};
}

}  // namespace tessera
