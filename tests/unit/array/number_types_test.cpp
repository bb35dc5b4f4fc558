// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <vector>

namespace tessera {
namespace {

// Expected values come from NumPy 1.24.

ndarray<float16, 1> halves(const std::vector<double>& values) {
  ndarray<float16, 1> result({static_cast<index_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.data()[i] = float16(values[i]);
  }
  return result;
}

void expect_bits(const ndarray<float16, 1>& values, const std::vector<std::uint16_t>& expected) {
  ASSERT_EQ(static_cast<std::size_t>(values.size()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(values.data()[i].bits(), expected[i]) << "at " << i;
  }
}

template <class T>
void expect_near(const ndarray<std::complex<T>, 1>& values,
                 const std::vector<std::complex<double>>& expected) {
  ASSERT_EQ(static_cast<std::size_t>(values.size()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::complex<double> value(values.data()[i]);
    const double tolerance = 4e-8 + 2 * std::numeric_limits<T>::epsilon() * std::abs(expected[i]);
    EXPECT_NEAR(value.real(), expected[i].real(), tolerance) << "at " << i;
    EXPECT_NEAR(value.imag(), expected[i].imag(), tolerance) << "at " << i;
  }
}

const auto h = asarray(halves({1.5, -2, 0.1, 300}));
const auto g = asarray(halves({0.7, 3, -0.3, 300}));

TEST(Float16, IsRoundedOnceAfterEachFunction) {
  expect_bits((h + g).compute(), {0x4066, 0x3c00, 0xb267, 0x60b0});
  expect_bits((h * g).compute(), {0x3c34, 0xc600, 0xa7ae, 0x7c00});
  expect_bits((h / g).compute(), {0x4049, 0xb955, 0xb555, 0x3c00});
  expect_bits((h * 2.5 + 0.1).compute(), {0x43b3, 0xc4e6, 0x359a, 0x61dc});
  expect_bits(sqrt(abs(h)).compute(), {0x3ce6, 0x3da8, 0x350f, 0x4c55});
  expect_bits(floor_divide(h, g).compute(), {0x4000, 0xbc00, 0xbc00, 0x3c00});
  expect_bits(remainder(h, g).compute(), {0x2e60, 0x3c00, 0xb267, 0x0000});
  expect_bits(nextafter(h, g).compute(), {0x3dff, 0xbfff, 0x2e65, 0x5cb0});
  expect_bits(maximum(h, g).compute(), {0x3e00, 0x4200, 0x2e66, 0x5cb0});
  expect_bits(round(h).compute(), {0x4000, 0xc000, 0x0000, 0x5cb0});
}

TEST(Float16, IsComparedAndTestedByValue) {
  EXPECT_EQ((h < g).compute(), (ndarray<bool, 1>::of({false, true, false, false})));
  EXPECT_EQ(isinf(h * g).compute(), (ndarray<bool, 1>::of({false, false, false, true})));
  EXPECT_EQ(isfinite(h * g).compute(), (ndarray<bool, 1>::of({true, true, true, false})));
  EXPECT_EQ(signbit(h).compute(), (ndarray<bool, 1>::of({false, true, false, false})));
}

// The library is compiled with another name for Eigen than programs are.
TEST(Float16, IsOneTypeInTheLibraryAndInPrograms) {
  const generator_kernel& ours = generator::constant<float16>();
  EXPECT_EQ(&find_generator_kernel(ours.name), &ours);
}

TEST(Float16, ConvertsWithOneRounding) {
  const auto wide = asarray(ndarray<double, 1>::of({1 + 0x1p-11 + 0x1p-40, 70000, 1e-8, 2049}));
  expect_bits(astype<float16>(wide).compute(), {0x3c01, 0x7c00, 0x0000, 0x6800});
  EXPECT_EQ(astype<int>(h).compute(), (ndarray<int, 1>::of({1, -2, 0, 300})));
  const auto with_integers = h + asarray(ndarray<std::int16_t, 1>::of({1, 2, 3, 4}));
  static_assert(std::same_as<decltype(with_integers)::value_type, float>);
  EXPECT_EQ(with_integers.compute()(3), 304.0F);
  test::expect_error<value_error>([] { static_cast<void>(h * 70000.0); }, {"float16"});
}

TEST(Float16, IsFoldedWithoutLosingDigits) {
  EXPECT_EQ(std::bit_cast<std::uint16_t>(sum(h).compute()()), 0x5cae);
  EXPECT_EQ(std::bit_cast<std::uint16_t>(mean(h).compute()()), 0x54ae);
  EXPECT_EQ(std::bit_cast<std::uint16_t>(prod(h).compute()()), 0xd5a0);
  EXPECT_EQ(static_cast<float>(min(h).compute()()), -2.0F);
  EXPECT_EQ(static_cast<float>(max(h).compute()()), 300.0F);
  EXPECT_TRUE(any(h).compute()());
  // In float16 the sum would stop at 2048.
  const auto ones_of_half = ones<float16>({4000}, {.chunks = {1000}});
  EXPECT_EQ(static_cast<float>(sum(ones_of_half).compute()()), 4000.0F);
  EXPECT_EQ(static_cast<float>(stddev(ones_of_half).compute()()), 0.0F);
}

TEST(Float16, IsStoredAndMultipliedAsMatrices) {
  const auto memory = std::make_shared<memory_store>();
  store(h, memory, "h");
  expect_bits(open<float16, 1>(memory, "h").compute(), {0x3e00, 0xc000, 0x2e66, 0x5cb0});
  const auto x = astype<float16>(asarray(ndarray<float, 2>::of({{1, 2}, {3, 4}})));
  EXPECT_EQ(astype<float>(matmul(x, x)).compute(), (ndarray<float, 2>::of({{7, 10}, {15, 22}})));
}

const auto z = asarray(ndarray<complex128, 1>::of({{1, 2}, {-1.5, 0.5}, {0, 0}}));
const auto w = asarray(ndarray<complex128, 1>::of({{0.5, -1}, {2, 0}, {1, 1}}));

TEST(Complex, HasTheArithmeticOfNumbers) {
  expect_near((z + w).compute(), {{1.5, 1}, {0.5, 0.5}, {1, 1}});
  expect_near((z * w).compute(), {{2.5, 0}, {-3, 1}, {0, 0}});
  expect_near((z / w).compute(), {{-1.2, 1.6}, {-0.75, 0.25}, {0, 0}});
  expect_near((-z).compute(), {{-1, -2}, {1.5, -0.5}, {0, 0}});
  expect_near(square(z).compute(), {{-3, 4}, {2, -1.5}, {0, 0}});
  expect_near(pow(z, 2).compute(), {{-3, 4}, {2, -1.5}, {0, 0}});
  expect_near(pow(w, 0.5).compute(),
              {{0.89945372, -0.55589297}, {1.41421356, 0}, {1.09868411, 0.45508986}});
  EXPECT_EQ((z == w).compute(), (ndarray<bool, 1>::of({false, false, false})));
  EXPECT_EQ((z != z).compute(), (ndarray<bool, 1>::of({false, false, false})));
}

/// Numbers with digits in all places, between -1 and 1.
template <class T>
ndarray<std::complex<T>, 1> digits_of(double factor) {
  ndarray<std::complex<T>, 1> values({1000});
  for (index_t i = 0; i < 1000; ++i) {
    const auto t = static_cast<double>(i + 1);
    values(i) = {static_cast<T>(std::sin(factor * t * t)), static_cast<T>(std::cos(factor * t))};
  }
  return values;
}

/// Expects the products of numbers at each place in a chunk to be rounded alike, and to be right.
template <class T>
void expect_products_of_any_chunks() {
  const auto a = digits_of<T>(0.37);
  const auto b = digits_of<T>(1.71);
  const auto products_in = [&](index_t chunk) {
    const array<std::complex<T>, 1> x = asarray(a, {.chunks = {chunk}});
    const array<std::complex<T>, 1> y = asarray(b, {.chunks = {chunk}});
    return (x * y - x).compute();
  };
  const auto whole = products_in(1000);
  for (const index_t chunk : {1, 2, 3, 7, 64, 333}) {
    const auto parts = products_in(chunk);
    for (index_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(parts(i), whole(i)) << i << " in chunks of " << chunk;
    }
  }
  // Real parts are not computed in packets.
  const array<std::complex<T>, 1> x = asarray(a);
  const auto real_parts = real(x * asarray(b) - x).compute();
  for (index_t i = 0; i < 1000; ++i) EXPECT_EQ(real_parts(i), whole(i).real()) << i;
  for (index_t i = 0; i < 1000; ++i) {
    const std::complex<long double> factor(a(i));
    const auto exact = factor * std::complex<long double>(b(i)) - factor;
    EXPECT_LE(std::abs(std::complex<long double>(whole(i)) - exact),
              6 * static_cast<long double>(std::numeric_limits<T>::epsilon()));
  }
}

TEST(Complex, HasProductsThatDoNotDependOnTheirPlaceInAChunk) {
  expect_products_of_any_chunks<float>();
  expect_products_of_any_chunks<double>();
}

TEST(Complex, DividesWithoutOverflow) {
  const auto large = asarray(ndarray<complex128, 1>::of({{3e200, -1}, {1, 1e300}}));
  const auto by = asarray(ndarray<complex128, 1>::of({{1e200, 1e200}, {0, 1e300}}));
  expect_near((large / by).compute(), {{1.5, -1.5}, {1, -1e-300}});
}

TEST(Complex, HasPartsAndFunctions) {
  static_assert(std::same_as<decltype(abs(z))::value_type, double>);
  test::expect_values<double, 1>(abs(z).compute(), {3}, {2.23606797749979, 1.5811388300841898, 0});
  EXPECT_EQ(real(z).compute(), (ndarray<double, 1>::of({1, -1.5, 0})));
  EXPECT_EQ(imag(z).compute(), (ndarray<double, 1>::of({2, 0.5, 0})));
  EXPECT_EQ(imag(real(z)).compute(), (ndarray<double, 1>::of({0, 0, 0})));
  expect_near(conj(z).compute(), {{1, -2}, {-1.5, -0.5}, {0, 0}});
  expect_near(exp(z).compute(), {{-1.13120438, 2.47172667}, {0.19581514, 0.1069743}, {1, 0}});
  expect_near(log(w).compute(),
              {{0.11157178, -1.10714872}, {0.69314718, 0}, {0.34657359, 0.78539816}});
  expect_near(sqrt(z).compute(), {{1.27201965, 0.786151378}, {0.201418507, 1.24119677}, {0, 0}});
  expect_near(sin(z(slice(2))).compute(), {{3.16577851, 1.95960104}, {-1.12480125, 0.03686082}});
  EXPECT_EQ(isfinite(log(z)).compute(), (ndarray<bool, 1>::of({true, true, false})));
  EXPECT_EQ(isnan(z / z).compute(), (ndarray<bool, 1>::of({false, false, true})));
}

// Formulas that add or subtract 1 lose the real parts of these.
TEST(Complex, HasLogarithmsAndExponentialsNearZero) {
  const auto small =
      asarray(ndarray<complex128, 1>::of({{1e-20, 1e-18}, {-0x1p-61, 0x1p-30}, {0, 1e-8}}));
  const auto logarithms = log1p(small).compute();
  const auto exponentials = expm1(small).compute();
  EXPECT_EQ(logarithms(0), complex128(1e-20, 1e-18));
  EXPECT_EQ(logarithms(1), complex128(0x1p-123, 0x1p-30));
  EXPECT_DOUBLE_EQ(logarithms(2).real(), 5e-17);
  EXPECT_EQ(exponentials(0), complex128(1e-20, 1e-18));
  EXPECT_DOUBLE_EQ(exponentials(1).real(), -0x1p-60);
  EXPECT_DOUBLE_EQ(exponentials(2).real(), -5e-17);
}

// Source: numpy.sign of NumPy 2.
TEST(Complex, HasSignsAndIsRounded) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto x = asarray(ndarray<complex128, 1>::of({{3, -4},
                                                     {0, -0.0},
                                                     {-2, 0},
                                                     {1.5e308, 1.5e308},
                                                     {5e-324, 0},
                                                     {-infinity, 5},
                                                     {infinity, infinity}}));
  expect_near(
      sign(x(slice(6))).compute(),
      {{0.6, -0.8}, {0, 0}, {-1, 0}, {0.7071067811865476, 0.7071067811865476}, {1, 0}, {-1, 0}});
  EXPECT_TRUE(std::isnan(sign(x).compute()(6).real()));
  EXPECT_EQ(round(z + complex128(0, 1)).compute(),
            (ndarray<complex128, 1>::of({{1, 3}, {-2, 2}, {0, 1}})));
  // As numpy.round: of two multiples at equal distance the even one.
  EXPECT_EQ(round(asarray({complex128(1.25, -2.375), complex128(0.0625, 150)}), 1).compute(),
            (ndarray<complex128, 1>::of({{1.2, -2.4}, {0.1, 150}})));
}

TEST(Complex, IsFolded) {
  const auto chunked = asarray(z.compute(), {.chunks = {2}});
  EXPECT_EQ(sum(chunked).compute()(), complex128(-0.5, 2.5));
  EXPECT_EQ(prod(z(slice(2))).compute()(), complex128(-2.5, -2.5));
  EXPECT_EQ(mean(chunked).compute()(), complex128(-0.5 / 3, 2.5 / 3));
  test::expect_values<double, 0>(var(chunked).compute(), {}, {1.7777777777777777});
  EXPECT_TRUE(any(z).compute()());
  EXPECT_FALSE(all(z).compute()());
  const auto rows = ones<complex64>({3, 2}) * complex128(0, 1);
  static_assert(std::same_as<decltype(rows)::value_type, complex64>);
  expect_near(sum(rows, axis<0>).compute(), {{0, 3}, {0, 3}});
}

TEST(Complex, IsChosenConvertedAndMixedWithRealNumbers) {
  expect_near(where(real(z) > 0, z, 0).compute(), {{1, 2}, {0, 0}, {0, 0}});
  expect_near(astype<complex64>(z).compute(), {{1, 2}, {-1.5, 0.5}, {0, 0}});
  const auto mixed = astype<complex64>(z) + asarray(ndarray<float, 1>::of({1, 2, 3}));
  static_assert(std::same_as<decltype(mixed)::value_type, complex64>);
  expect_near(mixed.compute(), {{2, 2}, {0.5, 0.5}, {3, 0}});
  expect_near((real(z) * complex128(0, 1)).compute(), {{0, 1}, {0, -1.5}, {0, 0}});
}

TEST(Complex, IsMultipliedAsMatrices) {
  const auto a = asarray(ndarray<complex128, 2>::of({{{1, 1}, {2, 0}}, {{0, 0}, {0, 1}}}));
  const auto b = asarray(ndarray<complex128, 2>::of({{{0, 1}, {1, 0}}, {{2, 0}, {0, -1}}}));
  EXPECT_EQ(matmul(a, b).compute(),
            (ndarray<complex128, 2>::of({{{3, 1}, {1, -1}}, {{0, 2}, {1, 0}}})));
}

}  // namespace
}  // namespace tessera
