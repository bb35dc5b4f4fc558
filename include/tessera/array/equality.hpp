// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparison of whole arrays.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/function/closeness.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/quantifiers.hpp"

#include <array>

namespace tessera {

/// Tells whether all pairs of elements are close by `isclose`: a lazy bool of rank 0.
///
/// Throws: as `isclose`: shapes must broadcast.
/// Source: numpy.allclose.
template <class A, class B>
requires has_unnamed_array<A, B>
[[nodiscard]] auto allclose(const A& a, const B& b, const closeness& limits = {}) {
  return all(isclose(a, b, limits));
}

/// Tells whether two arrays have one shape and equal elements: a lazy bool of rank 0.
///
/// Source: numpy.array_equal.
template <array_expression A, array_expression B>
[[nodiscard]] array<bool, 0> array_equal(const A& a, const B& b) {
  if constexpr (A::rank == B::rank) {
    if (a.shape() == b.shape()) return all(a == b);
  }
  return detail::constant_array("array_equal", std::array<index_t, 0>{}, false, {});
}

}  // namespace tessera
