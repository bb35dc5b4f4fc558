// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/elementwise_kernel.hpp"

#include "unit/kernel/run_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::run_op;

template <class T>
const std::vector<T> special_values{T{0},
                                    -T{0},
                                    T{1},
                                    -T{1},
                                    T{0.5},
                                    -T{0.5},
                                    static_cast<T>(88.8),
                                    -T{104},
                                    static_cast<T>(709.7),
                                    T{710},
                                    -static_cast<T>(708.5),
                                    -T{745},
                                    T{1e5},
                                    static_cast<T>(1e-10),
                                    std::numeric_limits<T>::infinity(),
                                    -std::numeric_limits<T>::infinity(),
                                    std::numeric_limits<T>::quiet_NaN(),
                                    std::numeric_limits<T>::denorm_min(),
                                    -std::numeric_limits<T>::denorm_min(),
                                    std::numeric_limits<T>::min(),
                                    std::numeric_limits<T>::min() / 3,
                                    std::numeric_limits<T>::max(),
                                    std::numeric_limits<T>::lowest()};

template <class T>
std::vector<T> random_values(T low, T high) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<T> uniform(low, high);
  std::vector<T> values;
  for (int i = 0; i < 20'011; ++i) values.push_back(uniform(random));
  return values;
}

/// Returns how many units in the last place of `exact`, rounded to `T`, `found` is from it.
template <class T>
long double units_off(T computed, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(computed))
    return std::isnan(rounded) == std::isnan(computed) ? 0 : 1e9L;
  if (std::isinf(rounded) || std::isinf(computed)) return rounded == computed ? 0 : 1e9L;
  const T magnitude = std::fabs(rounded);
  const T unit = magnitude < std::numeric_limits<T>::max()
                     ? std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude
                     : magnitude - std::nextafter(magnitude, T{0});
  return std::fabs((static_cast<long double>(computed) - exact) / unit);
}

/// Expects `Op` to be within 3 units of `exact` over [low, high] and at every special value, and
/// zeros to have the sign of `exact`.
template <class Op, class T, class F>
void expect_accurate(T low, T high, F exact) {
  auto x = random_values<T>(low, high);
  x.insert(x.end(), special_values<T>.begin(), special_values<T>.end());
  const std::vector<T> computed = run_op<Op>(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double expected = exact(static_cast<long double>(x[i]));
    ASSERT_LE(units_off(computed[i], expected), 3.0L)
        << std::string(Op::name) << "(" << x[i] << ") = " << computed[i];
    if (computed[i] == T{0}) {
      ASSERT_EQ(std::signbit(computed[i]), std::signbit(expected))
          << std::string(Op::name) << "(" << x[i] << ")";
    }
  }
}

template <class T>
void expect_accurate_functions() {
  using wide = long double;
  expect_accurate<op::sqrt, T>(0, 100, [](wide x) { return std::sqrt(x); });
  expect_accurate<op::exp, T>(-90, 90, [](wide x) { return std::exp(x); });
  expect_accurate<op::exp, T>(-1, 1, [](wide x) { return std::exp(x); });
  expect_accurate<op::expm1, T>(-2, 2, [](wide x) { return std::expm1(x); });
  expect_accurate<op::log, T>(0, 3, [](wide x) { return std::log(x); });
  expect_accurate<op::log, T>(0, static_cast<T>(1e30), [](wide x) { return std::log(x); });
  expect_accurate<op::log, T>(0, 10 * std::numeric_limits<T>::min(),
                              [](wide x) { return std::log(x); });
  expect_accurate<op::log1p, T>(static_cast<T>(-0.9), 2, [](wide x) { return std::log1p(x); });
  expect_accurate<op::log2, T>(0, 3, [](wide x) { return std::log2(x); });
  expect_accurate<op::log10, T>(0, 3, [](wide x) { return std::log10(x); });
  expect_accurate<op::sin, T>(-10, 10, [](wide x) { return std::sin(x); });
  expect_accurate<op::cos, T>(-10, 10, [](wide x) { return std::cos(x); });
  expect_accurate<op::tan, T>(-10, 10, [](wide x) { return std::tan(x); });
  expect_accurate<op::asin, T>(-1, 1, [](wide x) { return std::asin(x); });
  expect_accurate<op::acos, T>(-1, 1, [](wide x) { return std::acos(x); });
  expect_accurate<op::atan, T>(-5, 5, [](wide x) { return std::atan(x); });
  expect_accurate<op::sinh, T>(-5, 5, [](wide x) { return std::sinh(x); });
  expect_accurate<op::cosh, T>(-5, 5, [](wide x) { return std::cosh(x); });
  expect_accurate<op::tanh, T>(-5, 5, [](wide x) { return std::tanh(x); });
  expect_accurate<op::asinh, T>(-5, 5, [](wide x) { return std::asinh(x); });
  expect_accurate<op::acosh, T>(1, 5, [](wide x) { return std::acosh(x); });
  expect_accurate<op::atanh, T>(-1, 1, [](wide x) { return std::atanh(x); });
  expect_accurate<op::reciprocal, T>(-5, 5, [](wide x) { return 1 / x; });
  expect_accurate<op::square, T>(-5, 5, [](wide x) { return x * x; });
  expect_accurate<op::abs, T>(-5, 5, [](wide x) { return std::fabs(x); });
  expect_accurate<op::negative, T>(-5, 5, [](wide x) { return -x; });
}

TEST(ElementwiseAccuracy, OfFloat64IsThreeUnitsInTheLastPlace) {
  expect_accurate_functions<double>();
}

TEST(ElementwiseAccuracy, OfFloat32IsThreeUnitsInTheLastPlace) {
  expect_accurate_functions<float>();
}

/// Expects the bits of each value to be the same wherever it stands in a strip.
template <class Op, class T>
void expect_values_of_operands_alone(T low, T high) {
  auto x = random_values<T>(low, high);
  x.resize(200);
  x[70] = std::numeric_limits<T>::denorm_min();  // takes another path than its neighbours
  x[71] = T{1000};
  const std::vector<T> whole = run_op<Op>(x);
  for (std::size_t first = 0; first < 40; ++first) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{40}}) {
      const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(first + 50),
                                x.begin() + static_cast<std::ptrdiff_t>(first + 50 + size));
      const std::vector<T> computed = run_op<Op>(part);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(computed[i], whole[first + 50 + i])
            << std::string(Op::name) << "(" << part[i] << ")";
      }
    }
  }
}

TEST(ElementwiseAccuracy, IsTheSameWhereverAnElementStands) {
  expect_values_of_operands_alone<op::exp, double>(-2, 2);
  expect_values_of_operands_alone<op::log, double>(0, 2);
  expect_values_of_operands_alone<op::exp, float>(-2, 2);
  expect_values_of_operands_alone<op::log, float>(0, 2);
  expect_values_of_operands_alone<op::sin, float>(-9, 9);
  expect_values_of_operands_alone<op::cos, float>(-9, 9);
  expect_values_of_operands_alone<op::log1p, float>(0, 2);
  expect_values_of_operands_alone<op::expm1, float>(-2, 2);
}

}  // namespace
}  // namespace tessera
