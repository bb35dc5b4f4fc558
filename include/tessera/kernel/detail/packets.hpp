// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the elementwise functions of floats compute on Eigen's packets: those that a compiler does
/// not vectorise by itself, and all that may stand in one tree with them.

#include "tessera/kernel/detail/eigen_core.hpp"
#include "tessera/meta/op.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

namespace tessera::detail {

namespace packets = Eigen::internal;

template <class P>
using packet_scalar = typename packets::unpacket_traits<P>::type;

/// Replaces the lanes of `result` whose `x` is in `mask` by `f(x)`.
///
/// Only those: a value must not depend on which elements happen to be its neighbours.
template <class P, class F>
P mend_lanes(const P& result, const P& x, const P& mask, F f) {
  if (!packets::predux_any(mask)) return result;
  using T = packet_scalar<P>;
  constexpr std::size_t size = packets::unpacket_traits<P>::size;
  std::array<T, size> results;
  std::array<T, size> xs;
  std::array<T, size> mended;
  packets::pstoreu(results.data(), result);
  packets::pstoreu(xs.data(), x);
  packets::pstoreu(mended.data(),
                   packets::pselect(mask, packets::pset1<P>(T{1}), packets::pzero(x)));
  for (std::size_t k = 0; k < size; ++k) {
    if (mended[k] != T{}) results[k] = f(xs[k]);
  }
  return packets::ploadu<P>(results.data());
}

/// Returns the correctly rounded square root; Eigen's own is an estimate for some types.
template <class P>
P exact_sqrt(const P& x) {
  return packets::psqrt(x);
}
#ifdef EIGEN_VECTORIZE_SSE2
inline packets::Packet4f exact_sqrt(const packets::Packet4f& x) { return _mm_sqrt_ps(x); }
inline packets::Packet2d exact_sqrt(const packets::Packet2d& x) { return _mm_sqrt_pd(x); }
#endif
#ifdef EIGEN_VECTORIZE_AVX
inline packets::Packet8f exact_sqrt(const packets::Packet8f& x) { return _mm256_sqrt_ps(x); }
inline packets::Packet4d exact_sqrt(const packets::Packet4d& x) { return _mm256_sqrt_pd(x); }
#endif
// The unmasked intrinsics read an undefined register, of which GCC 12 warns.
#ifdef EIGEN_VECTORIZE_AVX512
inline packets::Packet16f exact_sqrt(const packets::Packet16f& x) {
  return _mm512_maskz_sqrt_ps(0xffff, x);
}
inline packets::Packet8d exact_sqrt(const packets::Packet8d& x) {
  return _mm512_maskz_sqrt_pd(0xff, x);
}
#endif

// clang-format off
/// Flips the sign bit; Eigen's own subtracts from 0 on some machines, which loses -0.
template <class P> P apply_packets(const op::negative&, const P& x) { return packets::pxor(x, packets::pset1<P>(-packet_scalar<P>{})); }
template <class P> P apply_packets(const op::positive&, const P& x) { return x; }
template <class P> P apply_packets(const op::add&, const P& a, const P& b) { return packets::padd(a, b); }
template <class P> P apply_packets(const op::subtract&, const P& a, const P& b) { return packets::psub(a, b); }
template <class P> P apply_packets(const op::multiply&, const P& a, const P& b) { return packets::pmul(a, b); }
template <class P> P apply_packets(const op::divide&, const P& a, const P& b) { return packets::pdiv(a, b); }
template <class P> P apply_packets(const op::square&, const P& x) { return packets::pmul(x, x); }
template <class P> P apply_packets(const op::reciprocal&, const P& x) { return packets::pdiv(packets::pset1<P>(packet_scalar<P>{1}), x); }
template <class P> P apply_packets(const op::abs&, const P& x) { return packets::pabs(x); }
template <class P> P apply_packets(const op::sqrt&, const P& x) { return exact_sqrt(x); }

// Masks: all bits of a lane are set where it holds.
template <class P> P apply_packets(const op::equal&, const P& a, const P& b) { return packets::pcmp_eq(a, b); }
template <class P> P apply_packets(const op::less&, const P& a, const P& b) { return packets::pcmp_lt(a, b); }
template <class P> P apply_packets(const op::less_equal&, const P& a, const P& b) { return packets::pcmp_le(a, b); }
template <class P> P apply_packets(const op::greater&, const P& a, const P& b) { return packets::pcmp_lt(b, a); }
template <class P> P apply_packets(const op::greater_equal&, const P& a, const P& b) { return packets::pcmp_le(b, a); }
template <class P> P apply_packets(const op::logical_and&, const P& a, const P& b) { return packets::pand(a, b); }
template <class P> P apply_packets(const op::logical_or&, const P& a, const P& b) { return packets::por(a, b); }
template <class P> P apply_packets(const op::where&, const P& mask, const P& a, const P& b) { return packets::pselect(mask, a, b); }
// clang-format on

/// As for elements: `b` is taken if it is NaN, and no comparison takes it over a NaN `a`.
template <class P>
P apply_packets(const op::maximum&, const P& a, const P& b) {
  const P b_is_number = packets::pcmp_eq(b, b);
  return packets::pselect(b_is_number, packets::pselect(packets::pcmp_lt(a, b), b, a), b);
}

template <class P>
P apply_packets(const op::minimum&, const P& a, const P& b) {
  const P b_is_number = packets::pcmp_eq(b, b);
  return packets::pselect(b_is_number, packets::pselect(packets::pcmp_lt(b, a), b, a), b);
}

template <class P>
P apply_packets(const op::clip&, const P& x, const P& low, const P& high) {
  return apply_packets(op::minimum{}, apply_packets(op::maximum{}, x, low), high);
}

/// Eigen's exponential is good to 2 ulp up to here, and saturates before its result is subnormal.
template <class P>
P apply_packets(const op::exp&, const P& x) {
  using T = packet_scalar<P>;
  constexpr T lowest = std::same_as<T, float> ? T{-87} : T{-708};
  constexpr T highest = std::same_as<T, float> ? T{87} : T{709};
  const P outside = packets::por(packets::pcmp_lt(x, packets::pset1<P>(lowest)),
                                 packets::pcmp_lt(packets::pset1<P>(highest), x));
  const auto exact = [](T value) { return std::exp(value); };
  if constexpr (std::same_as<T, float>) {
    // Not `pexp`, which for packets of 16 is only good to 5 ulp.
    return mend_lanes(packets::pexp_float(x), x, outside, exact);
  } else {
    return mend_lanes(packets::pexp(x), x, outside, exact);
  }
}

/// Eigen's logarithm is good to 2 ulp, but takes subnormal numbers for the least normal one.
template <class P>
P apply_packets(const op::log&, const P& x) {
  using T = packet_scalar<P>;
  const P subnormal =
      packets::pand(packets::pcmp_lt(packets::pzero(x), x),
                    packets::pcmp_lt(x, packets::pset1<P>(std::numeric_limits<T>::min())));
  return mend_lanes(packets::plog(x), x, subnormal, [](T value) { return std::log(value); });
}

// clang-format off
template <class P> P apply_packets(const op::sin&, const P& x) { return packets::psin(x); }
template <class P> P apply_packets(const op::cos&, const P& x) { return packets::pcos(x); }
template <class P> P apply_packets(const op::log1p&, const P& x) { return packets::plog1p(x); }
template <class P> P apply_packets(const op::expm1&, const P& x) { return packets::pexpm1(x); }

/// Whether `Op` on packets of `T` gives packets of `T`, and the same values as on elements.
template <class Op> inline constexpr bool has_exact_packets = false;
template <> inline constexpr bool has_exact_packets<op::negative> = true;
template <> inline constexpr bool has_exact_packets<op::positive> = true;
template <> inline constexpr bool has_exact_packets<op::add> = true;
template <> inline constexpr bool has_exact_packets<op::subtract> = true;
template <> inline constexpr bool has_exact_packets<op::multiply> = true;
template <> inline constexpr bool has_exact_packets<op::divide> = true;
template <> inline constexpr bool has_exact_packets<op::square> = true;
template <> inline constexpr bool has_exact_packets<op::reciprocal> = true;
template <> inline constexpr bool has_exact_packets<op::abs> = true;
template <> inline constexpr bool has_exact_packets<op::sqrt> = true;
template <> inline constexpr bool has_exact_packets<op::maximum> = true;
template <> inline constexpr bool has_exact_packets<op::minimum> = true;
template <> inline constexpr bool has_exact_packets<op::clip> = true;

/// Whether `Op` on packets of `T` is within 3 ulp, though not always equal to `Op` on elements.
template <class Op, class T> inline constexpr bool has_close_packets = false;
template <class T> inline constexpr bool has_close_packets<op::exp, T> = packets::packet_traits<T>::HasExp;
template <class T> inline constexpr bool has_close_packets<op::log, T> = packets::packet_traits<T>::HasLog;
template <> inline constexpr bool has_close_packets<op::sin, float> = packets::packet_traits<float>::HasSin;
template <> inline constexpr bool has_close_packets<op::cos, float> = packets::packet_traits<float>::HasCos;
template <> inline constexpr bool has_close_packets<op::log1p, float> = packets::packet_traits<float>::HasLog1p;
template <> inline constexpr bool has_close_packets<op::expm1, float> = packets::packet_traits<float>::HasExpm1;

/// Whether `Op` on packets gives a mask.
template <class Op> inline constexpr bool is_comparison = false;
template <> inline constexpr bool is_comparison<op::equal> = true;
template <> inline constexpr bool is_comparison<op::less> = true;
template <> inline constexpr bool is_comparison<op::less_equal> = true;
template <> inline constexpr bool is_comparison<op::greater> = true;
template <> inline constexpr bool is_comparison<op::greater_equal> = true;
// clang-format on

}  // namespace tessera::detail
