// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tests of elements: their results are bool.

#include "tessera/core/float16.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/branchless.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

struct isnan {
  static constexpr std::string_view name = "isnan";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::predicate;

  template <element T>
  static bool value(T x) {
    return x != x;
  }
};

}  // namespace op

/// Tells of each element whether it is NaN.
template <array_argument X>
[[nodiscard]] auto isnan(const X& x) {
  static_assert(dtypes_accepted<op::isnan, X>,
                "tessera::isnan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isnan{}, x);
}

namespace op {

struct isinf {
  static constexpr std::string_view name = "isinf";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::predicate;

  template <element T>
  static bool value(T x) {
    if constexpr (complex_element<T>) {
      return detail::either(value(x.real()), value(x.imag()));
    } else if constexpr (floating_element<T>) {
      using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
      return std::fabs(static_cast<wide>(x)) == std::numeric_limits<wide>::infinity();
    } else {
      return false;
    }
  }
};

}  // namespace op

/// Tells of each element whether it is infinite.
template <array_argument X>
[[nodiscard]] auto isinf(const X& x) {
  static_assert(dtypes_accepted<op::isinf, X>,
                "tessera::isinf(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isinf{}, x);
}

namespace op {

struct isfinite {
  static constexpr std::string_view name = "isfinite";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::predicate;

  template <element T>
  static bool value(T x) {
    if constexpr (complex_element<T>) {
      return detail::and_without_branch(value(x.real()), value(x.imag()));
    } else if constexpr (floating_element<T>) {
      using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
      return std::fabs(static_cast<wide>(x)) < std::numeric_limits<wide>::infinity();
    } else {
      return true;
    }
  }
};

}  // namespace op

/// Tells of each element whether it is neither infinite nor NaN.
template <array_argument X>
[[nodiscard]] auto isfinite(const X& x) {
  static_assert(dtypes_accepted<op::isfinite, X>,
                "tessera::isfinite(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isfinite{}, x);
}

namespace op {

struct isposinf {
  static constexpr std::string_view name = "isposinf";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_predicate;

  template <floating_element T>
  static bool value(T x) {
    using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
    return static_cast<wide>(x) == std::numeric_limits<wide>::infinity();
  }
};

}  // namespace op

/// Tells of each element whether it is the positive infinity.
///
/// Source: numpy.isposinf.
template <array_argument X>
[[nodiscard]] auto isposinf(const X& x) {
  static_assert(dtypes_accepted<op::isposinf, X>,
                "tessera::isposinf(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::isposinf{}, x);
}

namespace op {

struct isneginf {
  static constexpr std::string_view name = "isneginf";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_predicate;

  template <floating_element T>
  static bool value(T x) {
    using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
    return static_cast<wide>(x) == -std::numeric_limits<wide>::infinity();
  }
};

}  // namespace op

/// Tells of each element whether it is the negative infinity.
///
/// Source: numpy.isneginf.
template <array_argument X>
[[nodiscard]] auto isneginf(const X& x) {
  static_assert(dtypes_accepted<op::isneginf, X>,
                "tessera::isneginf(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::isneginf{}, x);
}

namespace op {

struct isreal {
  static constexpr std::string_view name = "isreal";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::comparison;

  template <element T>
  static bool value([[maybe_unused]] T x) {
    if constexpr (complex_element<T>) {
      return x.imag() == 0;
    } else {
      return true;
    }
  }
};

}  // namespace op

/// Tells of each element whether its imaginary part is zero.
///
/// Source: numpy.isreal.
template <array_argument X>
[[nodiscard]] auto isreal(const X& x) {
  return detail::apply_elementwise(op::isreal{}, x);
}

namespace op {

struct iscomplex {
  static constexpr std::string_view name = "iscomplex";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::comparison;

  template <element T>
  static bool value([[maybe_unused]] T x) {
    if constexpr (complex_element<T>) {
      return x.imag() != 0;
    } else {
      return false;
    }
  }
};

}  // namespace op

/// Tells of each element whether its imaginary part is not zero.
///
/// Source: numpy.iscomplex.
template <array_argument X>
[[nodiscard]] auto iscomplex(const X& x) {
  return detail::apply_elementwise(op::iscomplex{}, x);
}

namespace function {

/// The functions of this family.
using predicate_functions = boost::hana::tuple<op::isnan, op::isinf, op::isfinite, op::isposinf,
                                               op::isneginf, op::isreal, op::iscomplex>;

}  // namespace function
}  // namespace tessera
