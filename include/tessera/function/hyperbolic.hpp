// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Hyperbolic functions.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct sinh {
  static constexpr std::string_view name = "sinh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::sinh(x);
  }
};

}  // namespace op

/// Returns the hyperbolic sine of each element.
template <array_argument X>
[[nodiscard]] auto sinh(const X& x) {
  static_assert(dtypes_accepted<op::sinh, X>,
                "tessera::sinh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sinh{}, x);
}

namespace op {

struct cosh {
  static constexpr std::string_view name = "cosh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::cosh(x);
  }
};

}  // namespace op

/// Returns the hyperbolic cosine of each element.
template <array_argument X>
[[nodiscard]] auto cosh(const X& x) {
  static_assert(dtypes_accepted<op::cosh, X>,
                "tessera::cosh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::cosh{}, x);
}

namespace op {

struct tanh {
  static constexpr std::string_view name = "tanh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::tanh(x);
  }
};

}  // namespace op

/// Returns the hyperbolic tangent of each element.
template <array_argument X>
[[nodiscard]] auto tanh(const X& x) {
  static_assert(dtypes_accepted<op::tanh, X>,
                "tessera::tanh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::tanh{}, x);
}

namespace op {

struct asinh {
  static constexpr std::string_view name = "asinh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::asinh(x);
  }
};

}  // namespace op

/// Returns the inverse hyperbolic sine of each element.
template <array_argument X>
[[nodiscard]] auto asinh(const X& x) {
  static_assert(dtypes_accepted<op::asinh, X>,
                "tessera::asinh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::asinh{}, x);
}

namespace op {

struct acosh {
  static constexpr std::string_view name = "acosh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::acosh(x);
  }
};

}  // namespace op

/// Returns the inverse hyperbolic cosine of each element.
template <array_argument X>
[[nodiscard]] auto acosh(const X& x) {
  static_assert(dtypes_accepted<op::acosh, X>,
                "tessera::acosh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::acosh{}, x);
}

namespace op {

struct atanh {
  static constexpr std::string_view name = "atanh";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::atanh(x);
  }
};

}  // namespace op

/// Returns the inverse hyperbolic tangent of each element.
template <array_argument X>
[[nodiscard]] auto atanh(const X& x) {
  static_assert(dtypes_accepted<op::atanh, X>,
                "tessera::atanh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::atanh{}, x);
}

namespace function {

/// The functions of this family.
using hyperbolic_functions =
    boost::hana::tuple<op::sinh, op::cosh, op::tanh, op::asinh, op::acosh, op::atanh>;

}  // namespace function
}  // namespace tessera
