// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The parts of complex numbers.

#include "tessera/function/detail/apply_elementwise.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <complex>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

struct real {
  static constexpr std::string_view name = "real";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::part;

  template <class T>
  requires std::is_arithmetic_v<T>
  static T value(T x) { return x; }
  template <class T>
  static T value(std::complex<T> x) {
    return x.real();
  }
};

}  // namespace op

/// Returns the real part of each element.
///
/// Dtype: float32 of complex64, float64 of complex128; that of `x` if it is real.
template <array_argument X>
[[nodiscard]] auto real(const X& x) {
  static_assert(dtypes_accepted<op::real, X>,
                "tessera::real(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::real{}, x);
}

namespace op {

struct imag {
  static constexpr std::string_view name = "imag";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::part;

  template <class T>
  requires std::is_arithmetic_v<T>
  static T value(T /*x*/) { return T{}; }
  template <class T>
  static T value(std::complex<T> x) {
    return x.imag();
  }
};

}  // namespace op

/// Returns the imaginary part of each element, 0 of real ones. Otherwise as `real`.
template <array_argument X>
[[nodiscard]] auto imag(const X& x) {
  static_assert(dtypes_accepted<op::imag, X>,
                "tessera::imag(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::imag{}, x);
}

namespace op {

struct conj {
  static constexpr std::string_view name = "conj";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::numeric;

  template <class T>
  requires std::is_arithmetic_v<T>
  static T value(T x) { return x; }
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    return {x.real(), -x.imag()};
  }
};

}  // namespace op

/// Returns the complex conjugate of each element.
template <array_argument X>
[[nodiscard]] auto conj(const X& x) {
  static_assert(dtypes_accepted<op::conj, X>,
                "tessera::conj(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::conj{}, x);
}

namespace function {

/// The functions of this family.
using complex_functions = boost::hana::tuple<op::real, op::imag, op::conj>;

}  // namespace function
}  // namespace tessera
