// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Degrees, radians, and the angle of complex numbers.

#include "tessera/function/complex.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/trigonometric.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <numbers>
#include <string_view>

namespace tessera {

namespace op {

struct deg2rad {
  static constexpr std::string_view name = "deg2rad";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr packing packs = packing::exact;

  template <std::floating_point T>
  static T value(T x) {
    return x * (std::numbers::pi_v<T> / 180);
  }
  template <class P>
  static P packet(const P& x) {
    using T = detail::packet_scalar<P>;
    return detail::packets::pmul(x, detail::packets::pset1<P>(std::numbers::pi_v<T> / 180));
  }
};

}  // namespace op

/// Returns radians of degrees.
///
/// Source: numpy.deg2rad.
template <array_argument X>
[[nodiscard]] auto deg2rad(const X& x) {
  static_assert(dtypes_accepted<op::deg2rad, X>,
                "tessera::deg2rad(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::deg2rad{}, x);
}

namespace op {

struct rad2deg {
  static constexpr std::string_view name = "rad2deg";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr packing packs = packing::exact;

  template <std::floating_point T>
  static T value(T x) {
    return x * (180 / std::numbers::pi_v<T>);
  }
  template <class P>
  static P packet(const P& x) {
    using T = detail::packet_scalar<P>;
    return detail::packets::pmul(x, detail::packets::pset1<P>(180 / std::numbers::pi_v<T>));
  }
};

}  // namespace op

/// Returns degrees of radians.
///
/// Source: numpy.rad2deg.
template <array_argument X>
[[nodiscard]] auto rad2deg(const X& x) {
  static_assert(dtypes_accepted<op::rad2deg, X>,
                "tessera::rad2deg(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::rad2deg{}, x);
}

/// Returns radians of degrees, as `deg2rad`.
template <array_argument X>
[[nodiscard]] auto radians(const X& x) {
  return deg2rad(x);
}

/// Returns degrees of radians, as `rad2deg`.
template <array_argument X>
[[nodiscard]] auto degrees(const X& x) {
  return rad2deg(x);
}

/// Returns the angle of each element in the complex plane, in radians: 0 or pi of real ones.
///
/// Dtype:  that of the parts; float64 of integers.
/// Source: numpy.angle.
template <array_argument X>
[[nodiscard]] auto angle(const X& x) {
  return atan2(imag(x), real(x));
}

namespace function {

/// The functions of this family.
using angle_functions = boost::hana::tuple<op::deg2rad, op::rad2deg>;

}  // namespace function
}  // namespace tessera
