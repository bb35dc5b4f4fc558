// SPDX-License-Identifier: Apache-2.0
/// \file
/// Transforms by FFTW, which the library calls if it is configured with TESSERA_FFTW.

#include "kernel/lines/transform.hpp"

#include <cmath>
#include <complex>
#include <cstddef>
#include <gtest/gtest.h>
#include <numbers>
#include <thread>
#include <type_traits>
#include <vector>

namespace tessera::detail {
namespace {

template <class Real>
using complex_line = std::vector<std::complex<Real>>;

template <class Real>
complex_line<Real> line_of(std::size_t size) {
  complex_line<Real> line;
  for (std::size_t i = 0; i < size; ++i) {
    line.emplace_back(static_cast<Real>((7 * i * i + 3) % 11) - 5, static_cast<Real>(i % 5) - 2);
  }
  return line;
}

/// Returns the transform by its definition.
template <class Real>
complex_line<double> defined(const complex_line<Real>& line, double sign) {
  const std::size_t size = line.size();
  complex_line<double> transform(size);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      const double angle = sign * 2 * std::numbers::pi * static_cast<double>(i * k % size) /
                           static_cast<double>(size);
      transform[k] += std::complex<double>(line[i]) * std::polar(1.0, angle);
    }
  }
  return transform;
}

template <class Real>
class Fftw : public testing::Test {};

using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Fftw, precisions);

// Sizes of small factors, primes, and one element.
TYPED_TEST(Fftw, MakesWhatTransformsAreDefinedAs) {
  using Real = TypeParam;
  const double rounding = std::is_same_v<Real, float> ? 1e-3 : 1e-10;
  for (const std::size_t size : {1U, 2U, 3U, 8U, 97U, 100U, 360U, 1009U}) {
    SCOPED_TRACE(size);
    const complex_line<Real> line = line_of<Real>(size);
    std::vector<Real> real;
    complex_line<Real> as_complex;
    for (const auto& x : line) {
      real.push_back(x.real());
      as_complex.emplace_back(x.real(), Real(0));
    }
    fourier_transform<Real> transform(static_cast<index_t>(size));
    complex_line<Real> output(size);
    transform.forward(output.data(), line.data());
    const auto forward = defined(line, -1);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(std::abs(std::complex<double>(output[i]) - forward[i]), 0, rounding);
    }
    transform.inverse(output.data(), line.data());
    const auto inverse = defined(line, 1);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(std::abs(std::complex<double>(output[i]) - inverse[i]), 0, rounding);
    }
    complex_line<Real> half(size / 2 + 1);
    transform.forward(half.data(), real.data());
    const auto of_real = defined(as_complex, -1);
    for (std::size_t i = 0; i < half.size(); ++i) {
      EXPECT_NEAR(std::abs(std::complex<double>(half[i]) - of_real[i]), 0, rounding);
    }
    const complex_line<Real> before = half;
    std::vector<Real> back(size);
    transform.inverse(back.data(), half.data());
    EXPECT_EQ(half, before);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(back[i] / static_cast<double>(size), real[i], rounding);
    }
  }
}

// Several threads make plans at once; the bits are the same as with one thread.
TYPED_TEST(Fftw, MakesTheSameInAnyThread) {
  using Real = TypeParam;
  constexpr std::size_t size = 1000;
  const complex_line<Real> line = line_of<Real>(size);
  std::vector<complex_line<Real>> transforms(8, complex_line<Real>(size));
  {
    std::vector<std::jthread> threads;
    for (auto& output : transforms) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          fourier_transform<Real>(size).forward(output.data(), line.data());
        }
      });
    }
  }
  for (const auto& output : transforms) EXPECT_EQ(output, transforms.front());
}

}  // namespace
}  // namespace tessera::detail
