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
