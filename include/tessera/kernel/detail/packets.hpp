// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Eigen's packets, by which elementwise functions of floats compute that a compiler does not
/// vectorise by itself, and all that may stand in one tree with them.

#include "tessera/kernel/detail/eigen_core.hpp"
#include "tessera/kernel/packing.hpp"

#include <array>
#include <cstddef>

namespace tessera::detail {

namespace packets = Eigen::internal;

template <class P>
using packet_scalar = typename packets::unpacket_traits<P>::type;

/// Whether packets have a product and sum that is rounded once.
#ifdef EIGEN_VECTORIZE_FMA
inline constexpr bool has_fused_packets = true;
#else
inline constexpr bool has_fused_packets = false;
#endif

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

/// Whether packets have a product of complex numbers that rounds as `times` does.
#if defined(EIGEN_VECTORIZE_FMA) && defined(EIGEN_VECTORIZE_AVX)
inline constexpr bool has_complex_packets = true;
#else
inline constexpr bool has_complex_packets = false;
#endif

/// Returns a * b. Complex numbers are rounded as by `times`, which Eigen's own product is not.
template <class P>
P product(const P& a, const P& b) {
  return packets::pmul(a, b);
}
#if defined(EIGEN_VECTORIZE_FMA) && defined(EIGEN_VECTORIZE_AVX)
inline packets::Packet4cf product(const packets::Packet4cf& a, const packets::Packet4cf& b) {
  const __m256 crossed = _mm256_mul_ps(_mm256_movehdup_ps(a.v), _mm256_permute_ps(b.v, 0b10110001));
  return packets::Packet4cf(_mm256_fmaddsub_ps(_mm256_moveldup_ps(a.v), b.v, crossed));
}
inline packets::Packet2cd product(const packets::Packet2cd& a, const packets::Packet2cd& b) {
  const __m256d crossed =
      _mm256_mul_pd(_mm256_permute_pd(a.v, 0b1111), _mm256_permute_pd(b.v, 0b0101));
  return packets::Packet2cd(_mm256_fmaddsub_pd(_mm256_movedup_pd(a.v), b.v, crossed));
}
#endif
#if defined(EIGEN_VECTORIZE_FMA) && defined(EIGEN_VECTORIZE_AVX512)
inline packets::Packet8cf product(const packets::Packet8cf& a, const packets::Packet8cf& b) {
  const __m512 crossed = _mm512_mul_ps(_mm512_movehdup_ps(a.v), _mm512_permute_ps(b.v, 0b10110001));
  return packets::Packet8cf(_mm512_fmaddsub_ps(_mm512_moveldup_ps(a.v), b.v, crossed));
}
inline packets::Packet4cd product(const packets::Packet4cd& a, const packets::Packet4cd& b) {
  const __m512d crossed =
      _mm512_mul_pd(_mm512_permute_pd(a.v, 0b11111111), _mm512_permute_pd(b.v, 0b01010101));
  return packets::Packet4cd(_mm512_fmaddsub_pd(_mm512_movedup_pd(a.v), b.v, crossed));
}
#endif

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

}  // namespace tessera::detail
