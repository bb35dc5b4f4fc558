// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The value of an elementwise function at one element of each operand.

#include "tessera/core/dtype.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>

namespace tessera::detail {

/// A number that the standard library has functions of: float16 and integers are none.
template <class T>
concept standard_number = std::floating_point<T> || complex_element<T>;

/// Returns `op.value(x...)`. A function without a value of float16 computes in float and rounds
/// once, as NumPy does.
template <class Op, element... T>
auto value_of(const Op& op, T... x) {
  if constexpr ((std::same_as<T, float16> && ...) && !requires { op.value(x...); }) {
    const auto result = op.value(static_cast<float>(x)...);
    if constexpr (std::same_as<decltype(result), const bool>) {
      return result;
    } else {
      return float16(result);
    }
  } else {
    return op.value(x...);
  }
}

}  // namespace tessera::detail
