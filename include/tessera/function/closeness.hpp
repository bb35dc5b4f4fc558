// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparison of elements, but for small differences.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

/// The distances of elements that `isclose` accepts.
struct closeness {
  double rtol = 1e-5;      ///< relative to the magnitude of `b`
  double atol = 1e-8;      ///< whatever the magnitude
  bool equal_nan = false;  ///< whether NaN is close to NaN
};

namespace op {

struct isclose {
  static constexpr std::string_view name = "isclose";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::predicate;

  /// Kept as numbers of one size, so that equal states are equal byte for byte.
  struct tolerance {
    double rtol = 1e-5;
    double atol = 1e-8;
    std::int64_t equal_nan = 0;
  };
  tolerance state = {};

  template <detail::standard_number T>
  [[nodiscard]] bool value(T a, T b) const {
    using part = real_t<T>;
    const part distance = std::abs(a - b);
    const part allowed =
        static_cast<part>(state.atol) + static_cast<part>(state.rtol) * std::abs(b);
    const bool are_finite = detail::and_without_branch(isfinite::value(a), isfinite::value(b));
    const bool are_nan = detail::and_without_branch(a != a, b != b);
    const bool is_near = detail::and_without_branch(are_finite, distance <= allowed);
    return detail::either(detail::either(is_near, a == b),
                          detail::and_without_branch(are_nan, state.equal_nan != 0));
  }
};

}  // namespace op

/// Tells of each pair of elements whether `abs(a - b) <= atol + rtol * abs(b)`, or both are the
/// same infinity.
///
/// Source: numpy.isclose.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto isclose(const A& a, const B& b, const closeness& limits = {}) {
  static_assert(are_operands<A, B>,
                "tessera::isclose(a, b): requires each operand to be an array expression "
                "or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::isclose, A, B>,
                "tessera::isclose(a, b): requires elements that are numbers, not bool");
  return detail::apply_elementwise(
      op::isclose{{limits.rtol, limits.atol, limits.equal_nan ? 1 : 0}}, a, b);
}

namespace function {

/// The functions of this family.
using closeness_functions = boost::hana::tuple<op::isclose>;

}  // namespace function
}  // namespace tessera
