// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions of float16: computed in float and rounded once, as NumPy does.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/apply_math.hpp"
#include "tessera/meta/op_rules.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tessera::detail {

/// Whether `Op` of float16 is computed in float; what needs comparisons alone is not.
template <class Op>
inline constexpr bool computes_in_float = false;
template <class Op>
requires(op::rule_of<Op> == op::dtype_rule::numeric || op::rule_of<Op> == op::dtype_rule::real ||
         op::rule_of<Op> == op::dtype_rule::part || op::rule_of<Op> == op::dtype_rule::floating ||
         op::rule_of<Op> == op::dtype_rule::real_floating ||
         op::rule_of<Op> ==
             op::dtype_rule::real_predicate) inline constexpr bool computes_in_float<Op> =
    !std::same_as<Op, op::positive> && !std::same_as<Op, op::sign> &&
    !std::same_as<Op, op::signbit> && !std::same_as<Op, op::nextafter>;

template <class Op, std::same_as<float16>... T>
requires computes_in_float<Op>
auto apply(const Op& op, T... x) {
  const auto result = apply(op, static_cast<float>(x)...);
  if constexpr (std::same_as<decltype(result), const bool>) {
    return result;
  } else {
    return float16(result);
  }
}

inline bool apply(const op::signbit&, float16 x) { return (x.bits() & 0x8000U) != 0; }

/// Neighbours have neighbouring bits, on either side of zero.
inline float16 apply(const op::nextafter&, float16 a, float16 b) {
  const auto from = static_cast<float>(a);
  const auto to = static_cast<float>(b);
  if (from != from || to != to) return a + b;
  if (from == to) return b;
  constexpr std::uint16_t sign = 0x8000;
  const bool grows = (from < to) == (from > 0);
  const int next = from == 0 ? (to > 0 ? 1 : sign | 1) : a.bits() + (grows ? 1 : -1);
  return float16::from_bits(static_cast<std::uint16_t>(next));
}

}  // namespace tessera::detail
