// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"

#include "unit/core/integers_of_floats.hpp"
#include "unit/core/message_of.hpp"
#include "unit/kernel/run_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

using testing::run_op;
using testing::run_tree;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Expects the same values, NaN for NaN and zeros of the same sign.
template <class T>
void expect_same(const std::vector<T>& computed, const std::vector<T>& expected) {
  ASSERT_EQ(computed.size(), expected.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(computed[i])) << "element " << i << " is " << computed[i];
    } else {
      EXPECT_EQ(computed[i], expected[i]) << "element " << i;
      EXPECT_EQ(std::signbit(computed[i]), std::signbit(expected[i])) << "element " << i;
    }
  }
}

/// Expects values that differ by no more than `ulps` units in the last place.
void expect_close(const std::vector<double>& computed, const std::vector<double>& expected,
                  double ulps) {
  ASSERT_EQ(computed.size(), expected.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      EXPECT_TRUE(computed[i] == expected[i] ||
                  (std::isnan(computed[i]) && std::isnan(expected[i])))
          << "element " << i << " is " << computed[i];
    } else {
      const double unit = std::nextafter(std::fabs(expected[i]), inf) - std::fabs(expected[i]);
      EXPECT_NEAR(computed[i], expected[i], ulps * unit) << "element " << i;
    }
  }
}

// NumPy 1.24 computes the expected values.
const std::vector<std::int8_t> a8{-128, -128, -7, 7, -7, 7, 5, -5, 0, 127, 1};
const std::vector<std::int8_t> b8{-1, 0, 2, -2, -2, 2, 0, -1, 3, 127, -128};
using int8s = std::vector<std::int8_t>;

TEST(Elementwise, WrapsIntegersThatOverflow) {
  EXPECT_EQ(run_op<op::add>(a8, b8), (int8s{127, -128, -5, 5, -9, 9, 5, -6, 3, -2, -127}));
  EXPECT_EQ(run_op<op::subtract>(a8, b8), (int8s{-127, -128, -9, 9, -5, 5, 5, -4, -3, 0, -127}));
  EXPECT_EQ(run_op<op::multiply>(a8, b8), (int8s{-128, 0, -14, -14, 14, 14, 0, 5, 0, 1, -128}));
  EXPECT_EQ(run_op<op::negative>(a8), (int8s{-128, -128, 7, -7, 7, -7, -5, 5, 0, -127, -1}));
  EXPECT_EQ(run_op<op::abs>(a8), (int8s{-128, -128, 7, 7, 7, 7, 5, 5, 0, 127, 1}));
  EXPECT_EQ(run_op<op::square>(a8), (int8s{0, 0, 49, 49, 49, 49, 25, 25, 0, 1, 1}));
  const std::vector<std::uint16_t> large{65535, 40000};
  EXPECT_EQ(run_op<op::multiply>(large, large), (std::vector<std::uint16_t>{1, 4096}));
  const std::vector<std::int64_t> least{std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(run_op<op::add>(least, least), (std::vector<std::int64_t>{0}));
}

TEST(Elementwise, DividesIntegersAsPythonDoesAndByZeroGivesZero) {
  EXPECT_EQ(run_op<op::floor_divide>(a8, b8), (int8s{-128, 0, -4, -4, 3, 3, 0, 5, 0, 1, -1}));
  EXPECT_EQ(run_op<op::remainder>(a8, b8), (int8s{0, 0, 1, -1, -1, 1, 0, 0, 0, 0, -127}));
  const std::vector<std::int64_t> least{std::numeric_limits<std::int64_t>::min()};
  const std::vector<std::int64_t> minus_one{-1};
  EXPECT_EQ(run_op<op::floor_divide>(least, minus_one), least);
  EXPECT_EQ(run_op<op::remainder>(least, minus_one), (std::vector<std::int64_t>{0}));
}

TEST(Elementwise, ShiftsEveryBitOutWhenTheCountIsNotBelowTheWidth) {
  EXPECT_EQ(run_op<op::bitwise_left_shift>(a8, b8), (int8s{0, -128, -28, 0, 0, 28, 5, 0, 0, 0, 0}));
  EXPECT_EQ(run_op<op::bitwise_right_shift>(a8, b8),
            (int8s{-1, -128, -2, 0, -1, 1, 5, -1, 0, 0, 0}));
  const std::vector<std::uint64_t> x{~std::uint64_t{0}, ~std::uint64_t{0}, 6};
  const std::vector<std::uint64_t> count{64, 63, 1};
  EXPECT_EQ(run_op<op::bitwise_right_shift>(x, count), (std::vector<std::uint64_t>{0, 1, 3}));
  EXPECT_EQ(run_op<op::bitwise_left_shift>(x, count),
            (std::vector<std::uint64_t>{0, std::uint64_t{1} << 63, 12}));
}

/// Returns the sum of the bytes that `Op` makes of all pairs, each times its number.
template <class Op, class T>
std::uint64_t sum_over_pairs(std::uint8_t mask = 255) {
  std::vector<T> x;
  std::vector<T> y;
  for (unsigned k = 0; k < 1U << 16; ++k) {
    x.push_back(static_cast<T>(k >> 8));
    y.push_back(static_cast<T>(k & mask));
  }
  std::uint64_t sum = 0;
  std::uint64_t number = 0;
  for (const T value : run_op<Op>(x, y)) sum += ++number * static_cast<std::uint8_t>(value);
  return sum;
}

// v = numpy.arange(256, dtype="u1").view(type); x = v.repeat(256); y = numpy.tile(v, 256)
// (f(x, y).view("u1").astype("u8") * numpy.arange(1, 65537, dtype="u8")).sum()
TEST(Elementwise, ComputesEveryPairOfBytesAsNumPyDoes) {
  EXPECT_EQ((sum_over_pairs<op::floor_divide, std::int8_t>()), 272244195075U);
  EXPECT_EQ((sum_over_pairs<op::remainder, std::int8_t>()), 271155902370U);
  EXPECT_EQ((sum_over_pairs<op::bitwise_left_shift, std::int8_t>()), 8203599744U);
  EXPECT_EQ((sum_over_pairs<op::bitwise_right_shift, std::int8_t>()), 410369294336U);
  EXPECT_EQ((sum_over_pairs<op::multiply, std::int8_t>()), 270570192896U);
  EXPECT_EQ((sum_over_pairs<op::floor_divide, std::uint8_t>()), 7667644086U);
  EXPECT_EQ((sum_over_pairs<op::remainder, std::uint8_t>()), 138802131002U);
  EXPECT_EQ((sum_over_pairs<op::bitwise_left_shift, std::uint8_t>()), 8203599744U);
  EXPECT_EQ((sum_over_pairs<op::bitwise_right_shift, std::uint8_t>()), 2809078784U);
  EXPECT_EQ((sum_over_pairs<op::multiply, std::uint8_t>()), 270570192896U);
  // numpy.power(x, (y.view("u1") & 127).view(type))
  EXPECT_EQ((sum_over_pairs<op::pow, std::int8_t>(127)), 136402503936U);
  EXPECT_EQ((sum_over_pairs<op::pow, std::uint8_t>(127)), 136402503936U);
}

TEST(Elementwise, ComputesBitsAndSignsOfIntegers) {
  EXPECT_EQ(run_op<op::bitwise_and>(a8, b8), (int8s{-128, 0, 0, 6, -8, 2, 0, -5, 0, 127, 0}));
  EXPECT_EQ(run_op<op::bitwise_xor>(a8, b8), (int8s{127, -128, -5, -7, 7, 5, 5, 4, 3, 0, -127}));
  EXPECT_EQ(run_op<op::bitwise_invert>(a8), (int8s{127, 127, 6, -8, 6, -8, -6, 4, -1, -128, -2}));
  EXPECT_EQ(run_op<op::sign>(a8), (int8s{-1, -1, -1, 1, -1, 1, 1, -1, 0, 1, 1}));
  EXPECT_EQ(run_op<op::maximum>(a8, b8), (int8s{-1, 0, 2, 7, -2, 7, 5, -1, 3, 127, 1}));
  EXPECT_EQ(run_op<op::minimum>(a8, b8), (int8s{-128, -128, -7, -2, -7, 2, 0, -5, 0, 127, -128}));
}

TEST(Elementwise, RaisesIntegersToPowers) {
  const std::vector<std::int32_t> base{2, -3, 3, 0, 0, -1, 7};
  const std::vector<std::int32_t> exponent{31, 3, 21, 0, 5, 7, 0};
  EXPECT_EQ(run_op<op::pow>(base, exponent),
            (std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min(), -27, 1870418611, 1,
                                       0, -1, 1}));
  EXPECT_EQ(
      run_op<op::pow>(std::vector<std::uint8_t>{2, 3, 255}, std::vector<std::uint8_t>{8, 6, 2}),
      (std::vector<std::uint8_t>{0, 217, 1}));
}

TEST(Elementwise, RefusesNegativePowersOfIntegers) {
  const std::string message = tessera::testing::message_of<value_error>(
      [] { run_op<op::pow>(std::vector<int>{2}, std::vector<int>{-2}); });
  EXPECT_NE(message.find("-2"), std::string::npos) << message;
}

// NumPy 1.24 computes the expected values.
const std::vector<double> a{7, -7, 7, -7, 0.0, -0.0, 1, -1, inf, 1, nan, 5.5, 0.3, -1e-20, 3, -0.0};
const std::vector<double> b{2, 2, -2, -2, 3, 3, 0, 0.0, 2, -inf, 1, -0.0, 0.1, 3, inf, -5};

TEST(Elementwise, DividesFloatsAsPythonDoes) {
  expect_same(run_op<op::floor_divide>(a, b),
              {3, -4, -4, 3, 0.0, -0.0, inf, -inf, nan, -1, nan, -inf, 2, -1, 0.0, 0.0});
  expect_same(run_op<op::remainder>(a, b), {1, 1, -1, -1, 0.0, 0.0, nan, nan, nan, -inf, nan, nan,
                                            0.09999999999999998, 3, 3, -0.0});
}

TEST(Elementwise, PropagatesNaNInExtremaAndClip) {
  expect_same(run_op<op::maximum>(a, b),
              {7, 2, 7, -2, 3, 3, 1, 0, inf, 1, nan, 5.5, 0.3, 3, inf, -0.0});
  expect_same(run_op<op::minimum>(a, b),
              {2, -7, -2, -7, 0.0, -0.0, 0, -1, 2, -inf, nan, -0.0, 0.1, -1e-20, 3, -5});
  expect_same(run_op<op::maximum>(std::vector<double>{1, nan}, std::vector<double>{nan, nan}),
              {nan, nan});
  expect_same(run_op<op::clip>(std::vector<double>{nan, -5, 5, 2},
                               std::vector<double>{0, 0, 0, nan}, std::vector<double>{3, 3, 3, 3}),
              {nan, 0, 3, nan});
}

TEST(Elementwise, ComputesFunctionsOfTwoFloats) {
  expect_close(
      run_op<op::logaddexp>(a, b),
      {7.006715348489118, 2.000123402189723, 7.000123402189724, -1.993284651510882,
       3.048587351573742, 3.048587351573742, 1.3132616875182228, 0.31326168751822286, inf, 1.0, nan,
       5.504078443270571, 0.8981388693815917, 3.048587351573742, inf, 0.006715348489118068},
      2);
  expect_close(run_op<op::logaddexp>(std::vector<double>{1000, -inf, inf, inf, -inf},
                                     std::vector<double>{1000, -inf, inf, -inf, 3}),
               {1000.6931471805599, -inf, inf, inf, 3}, 1);
  expect_close(run_op<op::pow>(a, b),
               {49, 49, 0.02040816326530612, 0.02040816326530612, 0.0, -0.0, 1, 1, inf, 1, nan, 1,
                0.8865681505652133, -9.999999999999998e-61, inf, -inf},
               1);
  expect_close(
      run_op<op::atan2>(a, b),
      {1.2924966677897851, -1.2924966677897851, 1.849095985800008, -1.849095985800008, 0.0, -0.0,
       1.5707963267948966, -1.5707963267948966, 1.5707963267948966, 3.141592653589793, nan,
       1.5707963267948966, 1.2490457723982544, -3.3333333333333333e-21, 0.0, -3.141592653589793},
      1);
  expect_same(run_op<op::copysign>(a, b),
              {7, 7, -7, -7, 0.0, 0.0, 1, 1, inf, -1, nan, -5.5, 0.3, 1e-20, 3, -0.0});
  expect_close(run_op<op::hypot>(std::vector<double>{3, 1e200}, std::vector<double>{4, 1e200}),
               {5, 1.414213562373095e200}, 1);
  expect_same(run_op<op::nextafter>(std::vector<double>{1, 0}, std::vector<double>{0, 1}),
              {0.9999999999999999, 5e-324});
}

TEST(Elementwise, RoundsHalvesToEven) {
  const std::vector<double> x{0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 2251799813685249.5};
  expect_same(run_op<op::round>(x), {0, 2, 2, -0.0, -2, 0, 2251799813685250});
  expect_same(run_op<op::floor>(x), {0, 1, 2, -1, -2, 0, 2251799813685249});
  expect_same(run_op<op::ceil>(x), {1, 2, 3, -0.0, -1, 1, 2251799813685250});
  expect_same(run_op<op::trunc>(x), {0, 1, 2, -0.0, -1, 0, 2251799813685249});
}

TEST(Elementwise, ClassifiesFloats) {
  const std::vector<double> x{nan, inf, -inf, -0.0, 0.0, -1, 5e-324};
  using bools = std::vector<bool>;
  EXPECT_EQ(run_op<op::isnan>(x), (bools{true, false, false, false, false, false, false}));
  EXPECT_EQ(run_op<op::isinf>(x), (bools{false, true, true, false, false, false, false}));
  EXPECT_EQ(run_op<op::isfinite>(x), (bools{false, false, false, true, true, true, true}));
  EXPECT_EQ(run_op<op::logical_not>(x), (bools{false, false, false, true, true, false, false}));
  expect_same(run_op<op::sign>(x), {nan, 1, -1, 0, 0, -1, 1});
  EXPECT_EQ(run_op<op::signbit>(std::vector<float>{-0.0F, 0.0F, -1, 1}),
            (bools{true, false, true, false}));
}

TEST(Elementwise, ComparesWithNaNAsIeeeDoes) {
  const std::vector<float> x{1, 2, std::nanf(""), 3};
  const std::vector<float> y{2, 2, 1, std::nanf("")};
  using bools = std::vector<bool>;
  EXPECT_EQ(run_op<op::less>(x, y), (bools{true, false, false, false}));
  EXPECT_EQ(run_op<op::less_equal>(x, y), (bools{true, true, false, false}));
  EXPECT_EQ(run_op<op::greater>(x, y), (bools{false, false, false, false}));
  EXPECT_EQ(run_op<op::greater_equal>(x, y), (bools{false, true, false, false}));
  EXPECT_EQ(run_op<op::equal>(x, y), (bools{false, true, false, false}));
  EXPECT_EQ(run_op<op::not_equal>(x, y), (bools{true, false, true, true}));
}

TEST(Elementwise, AddsAndMultipliesBoolsAsOrAndAnd) {
  using bools = std::vector<bool>;
  const bools p{false, false, true, true};
  const bools q{false, true, false, true};
  EXPECT_EQ(run_op<op::add>(p, q), (bools{false, true, true, true}));
  EXPECT_EQ(run_op<op::multiply>(p, q), (bools{false, false, false, true}));
  EXPECT_EQ(run_op<op::logical_xor>(p, q), (bools{false, true, true, false}));
  EXPECT_EQ(run_op<op::bitwise_invert>(p), (bools{true, true, false, false}));
  EXPECT_EQ(run_op<op::maximum>(p, q), (bools{false, true, true, true}));
}

/// Expects NumPy's integers in strips of all lengths: in the vectorised part and in the rest.
template <class Float>
void expect_numpys_integers(const std::vector<testing::integers_of_float<Float>>& table) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, table.size(), std::size_t{1021}}) {
    std::vector<Float> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(table[i % table.size()].value);
    const auto expect = [&]<class To>(To) {
      std::vector<To> expected;
      for (std::size_t i = 0; i < size; ++i) {
        expected.push_back(std::get<To>(table[i % table.size()].integers));
      }
      EXPECT_EQ(run_op<op::astype<To>>(x), expected) << sizeof(To) << " bytes of " << size;
    };
    std::apply([&](auto... of_type) { (expect(of_type), ...); }, table.front().integers);
  }
}

TEST(Elementwise, CastsFloatsToIntegersAsNumPyDoes) {
  expect_numpys_integers(testing::integers_of_doubles);
  expect_numpys_integers(testing::integers_of_floats);
}

// numpy.array([numpy.inf, -numpy.inf, numpy.nan, 65504, -1.5], "f2").astype(type)
TEST(Elementwise, CastsFloat16ToIntegersAsNumPyDoes) {
  std::vector<float16> x;
  for (const double value : {inf, -inf, nan, 65504.0, -1.5}) x.push_back(float16(value));
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(run_op<op::astype<std::int32_t>>(x),
            (std::vector<std::int32_t>{least, least, least, 65504, -1}));
  EXPECT_EQ(run_op<op::astype<std::int8_t>>(x), (std::vector<std::int8_t>{0, 0, 0, -32, -1}));
  EXPECT_EQ(run_op<op::astype<std::uint32_t>>(x),
            (std::vector<std::uint32_t>{0, 0, 0, 65504, 4294967295}));
  EXPECT_EQ(run_op<op::astype<std::uint64_t>>(x),
            (std::vector<std::uint64_t>{0, 1ULL << 63, 1ULL << 63, 65504, ~0ULL}));
  EXPECT_EQ(run_op<op::astype<bool>>(x), (std::vector<bool>{true, true, true, true, true}));
}

TEST(Elementwise, CastsToBoolAsNotZero) {
  EXPECT_EQ(run_op<op::astype<bool>>(std::vector<double>{0, -0.0, nan, 0.5}),
            (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(run_op<op::astype<bool>>(std::vector<int>{0, 256, -1}),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(run_op<op::astype<double>>(std::vector<bool>{false, true}),
            (std::vector<double>{0, 1}));
}

TEST(Elementwise, CastsIntegersModuloTheirWidth) {
  EXPECT_EQ(run_op<op::astype<std::uint8_t>>(std::vector<int>{-1, 256, 300}),
            (std::vector<std::uint8_t>{255, 0, 44}));
}

TEST(Elementwise, SelectsByACondition) {
  EXPECT_EQ(run_op<op::where>(std::vector<bool>{true, false}, std::vector<int>{1, 2},
                              std::vector<int>{3, 4}),
            (std::vector<int>{1, 4}));
}

TEST(Elementwise, ComputesAWholeTreeOnStripsOfEverySize) {
  using x = tree_operand<double, 0>;
  using y = tree_operand<double, 1>;
  using norm =
      tree_node<op::sqrt,
                tree_node<op::add, tree_node<op::multiply, x, x>, tree_node<op::multiply, y, y>>>;
  using half = tree_node<op::multiply, tree_constant<double>, x>;
  const tree_node<op::subtract, norm, half> tree{{}, {norm{}, half{{}, {{0.5}, {}}}}};
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<double> u;
    std::vector<double> v;
    std::vector<double> expected;
    for (std::size_t i = 0; i < size; ++i) {
      const auto k = static_cast<double>(i);
      u.push_back(3 * k);  // sides 3 : 4 : 5, so everything is exact
      v.push_back(4 * k);
      expected.push_back(3.5 * k);
    }
    EXPECT_EQ(run_tree(tree, u, v), expected);
  }
}

TEST(Elementwise, SelectsWithComparisonsInOneTree) {
  using x = tree_operand<double, 0>;
  using zero = tree_constant<double>;
  using positive = tree_node<op::greater, x, zero>;
  const tree_node<op::where, positive, tree_node<op::sqrt, x>, zero> tree{
      {}, {positive{{}, {x{}, zero{0}}}, {}, zero{-1}}};
  std::vector<double> values(40, -4.0);
  std::vector<double> expected(40, -1.0);
  values[3] = values[38] = 9;
  expected[3] = expected[38] = 3;
  values[17] = nan;
  EXPECT_EQ(run_tree(tree, values), expected);
}

TEST(Elementwise, CallsAUsersFunction) {
  const double offset = 100;
  const auto f = [offset](double x, float y) { return offset + x * static_cast<double>(y); };
  using map = op::map<decltype(f), 2>;
  EXPECT_EQ((run_op<map>(std::vector<double>{1, 2}, std::vector<float>{3, 4}, map{f})),
            (std::vector<double>{103, 108}));
}

}  // namespace
}  // namespace tessera
