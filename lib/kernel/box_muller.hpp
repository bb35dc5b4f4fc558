// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Pairs of normal random values from pairs of uniform ones, without branches, calls or fused
/// operations, so that loops over them vectorise and give the same bits on every machine.

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace tessera::detail {

/// The coefficients of the functions below.
/// Source: fdlibm's e_log.c, k_sin.c and k_cos.c; for float FreeBSD's e_logf.c and Cephes' sinf.c.
template <class Real>
struct elementary;

template <>
struct elementary<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr bits exponent_bias = 1023;
  static constexpr bits bits_of_sqrt_half = 0x3fe6a09e667f3bcd;
  static constexpr double ln2_high = 6.93147180369123816490e-01;
  static constexpr double ln2_low = 1.90821492927058770002e-10;

  [[gnu::always_inline]] static double log_tail(double z) {
    const double w = z * z;
    const double even = w * (3.999999999940941908e-01 +
                             w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 +
                            w * (2.857142874366239149e-01 +
                                 w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return even + odd;
  }
  [[gnu::always_inline]] static double sin_tail(double z) {
    return -1.66666666666666324348e-01 +
           z * (8.33333333332248946124e-03 +
                z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 +
                          z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  }
  [[gnu::always_inline]] static double cos_tail(double z) {
    return 4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  }
};

template <>
struct elementary<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr bits exponent_bias = 127;
  static constexpr bits bits_of_sqrt_half = 0x3f3504f3;
  static constexpr float ln2_high = 6.9313812256e-01F;
  static constexpr float ln2_low = 9.0580006145e-06F;

  [[gnu::always_inline]] static float log_tail(float z) {
    const float w = z * z;
    return w * (0.40000972152F + w * 0.24279078841F) + z * (0.66666662693F + w * 0.28498786688F);
  }
  [[gnu::always_inline]] static float sin_tail(float z) {
    return -1.6666654611e-1F + z * (8.3321608736e-3F + z * -1.9515295891e-4F);
  }
  [[gnu::always_inline]] static float cos_tail(float z) {
    return 4.166664568298827e-2F + z * (-1.388731625493765e-3F + z * 2.443315711809948e-5F);
  }
};

/// Returns the natural logarithm of `x`, a positive normal number.
template <class Real>
[[gnu::always_inline]] inline Real fast_log(Real x) {
  using e = elementary<Real>;
  using bits = typename e::bits;
  constexpr bits bits_of_one = e::exponent_bias << e::mantissa_bits;
  constexpr bits mantissa_mask = (bits{1} << e::mantissa_bits) - 1;
  // x = 2^exponent * mantissa with the mantissa in [sqrt(1/2), sqrt(2)).
  const bits shifted = std::bit_cast<bits>(x) + (bits_of_one - e::bits_of_sqrt_half);
  const auto exponent = static_cast<Real>(static_cast<std::int32_t>(shifted >> e::mantissa_bits) -
                                          static_cast<std::int32_t>(e::exponent_bias));
  const auto mantissa = std::bit_cast<Real>((shifted & mantissa_mask) + e::bits_of_sqrt_half);
  const Real f = mantissa - 1;
  const Real s = f / (2 + f);
  const Real half_square = Real{0.5} * f * f;
  const Real tail = s * (half_square + e::log_tail(s * s)) + exponent * e::ln2_low;
  return exponent * e::ln2_high - ((half_square - tail) - f);
}

/// Replaces `u` in (0, 1] and `turn` in [0, 1) by two independent standard normal values.
/// Source: Box and Muller, "A note on the generation of random normal deviates", 1958.
template <class Real>
[[gnu::always_inline]] inline void box_muller(Real& u, Real& turn) {
  using e = elementary<Real>;
  const Real radius = std::sqrt(Real{-2} * fast_log(u));
  // turn = quarter / 4 + rest with the rest in [-1/8, 1/8], exactly.
  const auto quarter = static_cast<std::int32_t>(turn * 4 + Real{0.5});
  const Real x = (turn - static_cast<Real>(quarter) * Real{0.25}) * (2 * std::numbers::pi_v<Real>);
  const Real z = x * x;
  const Real sin_x = x + x * z * e::sin_tail(z);
  const Real cos_x = (1 - Real{0.5} * z) + z * z * e::cos_tail(z);
  const bool swap = (quarter & 1) != 0;
  const Real sin_size = swap ? cos_x : sin_x;
  const Real cos_size = swap ? sin_x : cos_x;
  u = radius * ((quarter + 1) & 2 ? -cos_size : cos_size);
  turn = radius * (quarter & 2 ? -sin_size : sin_size);
}

}  // namespace tessera::detail
