// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Discrete Fourier transforms of one length.

#include "tessera/core/index.hpp"

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tessera::detail {

/// Returns the product by its definition: the language's operator recovers infinities, slowly.
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Tells whether a prime factor of `size` costs more than a convolution.
[[nodiscard]] constexpr bool has_large_prime(index_t size) {
  constexpr index_t largest_prime = 61;
  for (index_t factor = 2; factor <= largest_prime; ++factor) {
    while (size % factor == 0) size /= factor;
  }
  return size > 1;
}

/// Returns the size of the convolution that makes a transform of `size`.
[[nodiscard]] constexpr index_t convolution_size(index_t size) {
  return static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * size - 1)));
}

/// Returns the most elements that transforms of `size` elements hold. kissfft holds roots of unity
/// of both directions, roots for real elements, and two lines. A convolution holds three lines of
/// its size, its roots, a chirp and two lines. FFTW was measured to hold less: 1.1 lines, or 5 with
/// a large prime factor.
[[nodiscard]] constexpr index_t elements_in_memory(index_t size) {
  return has_large_prime(size) ? 5 * convolution_size(size) + 3 * size : 5 * size;
}

/// Transforms of `size` elements, without any factor in front.
///
/// By Eigen's kissfft, in n log n for sizes of small factors. Sizes with a large prime factor go by
/// a convolution of a power of two (Bluestein, 1970). If the library is configured with FFTW, it
/// does all.
template <class Real>
class fourier_transform {
 public:
  using complex = std::complex<Real>;

  explicit fourier_transform(index_t size);
  fourier_transform(const fourier_transform&) = delete;
  fourier_transform& operator=(const fourier_transform&) = delete;
  ~fourier_transform();

  /// Returns the bytes that transforms of `size` elements allocate at most.
  [[nodiscard]] static std::size_t memory(index_t size);

  /// `to` and `from` do not overlap.
  void forward(complex* to, const complex* from);
  void inverse(complex* to, const complex* from);
  /// Of real elements; gives `size / 2 + 1` coefficients, the rest are their conjugates.
  void forward(complex* to, const Real* from);
  void inverse(Real* to, const complex* from);

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

extern template class fourier_transform<float>;
extern template class fourier_transform<double>;

}  // namespace tessera::detail
