// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/elementwise.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/core/error.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

template <class T>
array<T, 1> row(std::initializer_list<T> values) {
  ndarray<T, 1> elements({static_cast<index_t>(values.size())}, values);
  return asarray(std::move(elements), {.chunks = {4}});
}

TEST(Elementwise, ArithmeticOfOneOperand) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>((negative(x)).compute(), {9},
                           {2.5, 1.5, 0.5, 0.0, -0.25, -0.5, -1.5, -2.5, -3.75});
  expect_values<double, 1>((positive(x)).compute(), {9},
                           {-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>((abs(x)).compute(), {9},
                           {2.5, 1.5, 0.5, 0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>((sign(x)).compute(), {9},
                           {-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  expect_values<double, 1>((square(x)).compute(), {9},
                           {6.25, 2.25, 0.25, 0.0, 0.0625, 0.25, 2.25, 6.25, 14.0625});
  const auto p = row<double>({0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0});
  expect_values<double, 1>((sqrt(p)).compute(), {9},
                           {0.3535533905932738, 0.5, 0.7071067811865476, 0.8660254037844386, 1.0,
                            1.224744871391589, 1.4142135623730951, 1.7320508075688772, 2.0});
  expect_values<double, 1>(
      (reciprocal(p)).compute(), {9},
      {8.0, 4.0, 2.0, 1.3333333333333333, 1.0, 0.6666666666666666, 0.5, 0.3333333333333333, 0.25});
}

TEST(Elementwise, RoundsHalvesToEven) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>((ceil(x)).compute(), {9},
                           {-2.0, -1.0, -0.0, -0.0, 1.0, 1.0, 2.0, 3.0, 4.0});
  expect_values<double, 1>((floor(x)).compute(), {9},
                           {-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0});
  expect_values<double, 1>((round(x)).compute(), {9},
                           {-2.0, -2.0, -0.0, -0.0, 0.0, 0.0, 2.0, 2.0, 4.0});
  expect_values<double, 1>((trunc(x)).compute(), {9},
                           {-2.0, -1.0, -0.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0});
}

TEST(Elementwise, ExponentialsAndLogarithms) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>(
      (exp(x)).compute(), {9},
      {0.0820849986238988, 0.22313016014842982, 0.6065306597126334, 1.0, 1.2840254166877414,
       1.6487212707001282, 4.481689070338065, 12.182493960703473, 42.52108200006278});
  expect_values<double, 1>(
      (expm1(x)).compute(), {9},
      {-0.9179150013761012, -0.7768698398515702, -0.3934693402873666, -0.0, 0.2840254166877415,
       0.6487212707001282, 3.481689070338065, 11.182493960703473, 41.52108200006278});
  const auto p = row<double>({0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0});
  expect_values<double, 1>(
      (log(p)).compute(), {9},
      {-2.0794415416798357, -1.3862943611198906, -0.6931471805599453, -0.2876820724517809, 0.0,
       0.4054651081081644, 0.6931471805599453, 1.0986122886681096, 1.3862943611198906});
  expect_values<double, 1>((log1p(p)).compute(), {9},
                           {0.11778303565638346, 0.22314355131420974, 0.4054651081081644,
                            0.5596157879354227, 0.6931471805599453, 0.916290731874155,
                            1.0986122886681096, 1.3862943611198906, 1.6094379124341003});
  expect_values<double, 1>((log2(p)).compute(), {9},
                           {-3.0, -2.0, -1.0, -0.4150374992788438, 0.0, 0.5849625007211562, 1.0,
                            1.584962500721156, 2.0});
  expect_values<double, 1>(
      (log10(p)).compute(), {9},
      {-0.9030899869919435, -0.6020599913279624, -0.3010299956639812, -0.12493873660829995, 0.0,
       0.17609125905568124, 0.3010299956639812, 0.47712125471966244, 0.6020599913279624});
}

TEST(Elementwise, TrigonometricFunctions) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>(
      (sin(x)).compute(), {9},
      {-0.5984721441039564, -0.9974949866040544, -0.47942553860420295, -0.0, 0.24740395925452296,
       0.47942553860420295, 0.9974949866040544, 0.5984721441039564, -0.5715613187423437});
  expect_values<double, 1>(
      (cos(x)).compute(), {9},
      {-0.8011436155469338, 0.0707372016677029, 0.8775825618903725, 1.0, 0.968912421710645,
       0.8775825618903725, 0.0707372016677029, -0.8011436155469338, -0.8205593573395608});
  expect_values<double, 1>(
      (tan(x)).compute(), {9},
      {0.7470222972386602, -14.10141994717172, -0.5463024898437905, -0.0, 0.25534192122103627,
       0.5463024898437905, 14.10141994717172, -0.7470222972386602, 0.6965508511114601});
  expect_values<double, 1>(
      (atan(x)).compute(), {9},
      {-1.1902899496825317, -0.982793723247329, -0.4636476090008061, -0.0, 0.24497866312686414,
       0.4636476090008061, 0.982793723247329, 1.1902899496825317, 1.3101939350475555});
  const auto u = row<double>({-1.0, -0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 0.75, 0.875});
  expect_values<double, 1>(
      (asin(u)).compute(), {9},
      {-1.5707963267948966, -0.5235987755982989, -0.25268025514207865, 0.0, 0.1253278311680654,
       0.25268025514207865, 0.5235987755982989, 0.8480620789814809, 1.0654358165107394});
  expect_values<double, 1>((acos(u)).compute(), {9},
                           {3.141592653589793, 2.0943951023931957, 1.8234765819369751,
                            1.5707963267948966, 1.445468495626831, 1.318116071652818,
                            1.0471975511965976, 0.7227342478134157, 0.5053605102841573});
}

TEST(Elementwise, HyperbolicFunctions) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>(
      (sinh(x)).compute(), {9},
      {-6.0502044810397875, -2.1292794550948173, -0.5210953054937474, -0.0, 0.2526123168081683,
       0.5210953054937474, 2.1292794550948173, 6.0502044810397875, 21.248782127103386});
  expect_values<double, 1>(
      (cosh(x)).compute(), {9},
      {6.132289479663686, 2.352409615243247, 1.1276259652063807, 1.0, 1.031413099879573,
       1.1276259652063807, 2.352409615243247, 6.132289479663686, 21.272299872959394});
  expect_values<double, 1>(
      (tanh(x)).compute(), {9},
      {-0.9866142981514303, -0.9051482536448665, -0.46211715726000974, -0.0, 0.24491866240370913,
       0.46211715726000974, 0.9051482536448665, 0.9866142981514303, 0.9988944427261528});
  expect_values<double, 1>(
      (asinh(x)).compute(), {9},
      {-1.6472311463710958, -1.1947632172871092, -0.48121182505960347, -0.0, 0.24746646154726346,
       0.48121182505960347, 1.1947632172871092, 1.6472311463710958, 2.0322246215338136});
  expect_values<double, 1>(
      (atanh(row<double>({-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 0.75, 0.875}))).compute(), {8},
      {-0.5493061443340549, -0.25541281188299536, 0.0, 0.12565721414045303, 0.25541281188299536,
       0.5493061443340549, 0.9729550745276566, 1.354025100551105});
  expect_values<double, 1>(
      (acosh(row<double>({1.0, 1.5, 2.0, 3.0, 4.0}))).compute(), {5},
      {0.0, 0.9624236501192069, 1.3169578969248168, 1.762747174039086, 2.0634370688955603});
}

TEST(Elementwise, ArithmeticOfTwoOperands) {
  const auto a = row<double>({7.5, -7.5, 3.0, -3.0, 0.5, 2.0});
  const auto b = row<double>({2.0, 2.0, -1.5, 1.5, 3.0, -2.0});
  expect_values<double, 1>((add(a, b)).compute(), {6}, {9.5, -5.5, 1.5, -1.5, 3.5, 0.0});
  expect_values<double, 1>((subtract(a, b)).compute(), {6}, {5.5, -9.5, 4.5, -4.5, -2.5, 4.0});
  expect_values<double, 1>((multiply(a, b)).compute(), {6}, {15.0, -15.0, -4.5, -4.5, 1.5, -4.0});
  expect_values<double, 1>((divide(a, b)).compute(), {6},
                           {3.75, -3.75, -2.0, -2.0, 0.16666666666666666, -1.0});
  expect_values<double, 1>((floor_divide(a, b)).compute(), {6}, {3.0, -4.0, -2.0, -2.0, 0.0, -1.0});
  expect_values<double, 1>((remainder(a, b)).compute(), {6}, {1.5, 0.5, -0.0, 0.0, 0.5, -0.0});
  expect_values<double, 1>((maximum(a, b)).compute(), {6}, {7.5, 2.0, 3.0, 1.5, 3.0, 2.0});
  expect_values<double, 1>((minimum(a, b)).compute(), {6}, {2.0, -7.5, -1.5, -3.0, 0.5, -2.0});
  expect_values<double, 1>(
      (pow(row<double>({0.125, 0.25, 0.5, 0.75, 1.0, 1.5}), b)).compute(), {6},
      {0.015625, 0.0625, 2.8284271247461903, 0.649519052838329, 1.0, 0.4444444444444444});
}

TEST(Elementwise, FunctionsOfTwoOperands) {
  const auto a = row<double>({7.5, -7.5, 3.0, -3.0, 0.5, 2.0});
  const auto b = row<double>({2.0, 2.0, -1.5, 1.5, 3.0, -2.0});
  expect_values<double, 1>((atan2(a, b)).compute(), {6},
                           {1.3101939350475555, -1.3101939350475555, 2.0344439357957027,
                            -1.1071487177940904, 0.16514867741462683, 2.356194490192345});
  expect_values<double, 1>((hypot(a, b)).compute(), {6},
                           {7.762087348130012, 7.762087348130012, 3.3541019662496847,
                            3.3541019662496847, 3.0413812651491097, 2.8284271247461903});
  expect_values<double, 1>((copysign(a, b)).compute(), {6}, {7.5, 7.5, -3.0, 3.0, 0.5, -2.0});
  expect_values<double, 1>((logaddexp(a, b)).compute(), {6},
                           {7.504078443270571, 2.0000748490286293, 3.011047744848594,
                            1.5110477448485937, 3.0788897342925496, 2.01814992791781});
  const ndarray<double, 1> next = nextafter(a, b).compute();
  EXPECT_EQ(next(0), std::nextafter(7.5, 2.0));
  EXPECT_EQ(next(4), std::nextafter(0.5, 3.0));
}

TEST(Elementwise, Comparisons) {
  const auto a = row<double>({7.5, -7.5, 3.0, -3.0, 0.5, 2.0});
  const auto b = row<double>({2.0, 2.0, -1.5, -3.0, 3.0, -2.0});
  expect_values<bool, 1>((a < b).compute(), {6}, {false, true, false, false, true, false});
  expect_values<bool, 1>((a <= b).compute(), {6}, {false, true, false, true, true, false});
  expect_values<bool, 1>((a > b).compute(), {6}, {true, false, true, false, false, true});
  expect_values<bool, 1>((a >= b).compute(), {6}, {true, false, true, true, false, true});
  expect_values<bool, 1>((a == b).compute(), {6}, {false, false, false, true, false, false});
  expect_values<bool, 1>((a != b).compute(), {6}, {true, true, true, false, true, true});
}

TEST(Elementwise, IntegersFollowPython) {
  const auto a = row<std::int32_t>({7, -7, 13, -13, 0, 5});
  const auto b = row<std::int32_t>({2, 2, -4, 4, 3, -5});
  expect_values<std::int32_t, 1>((a + b).compute(), {6}, {9, -5, 9, -9, 3, 0});
  expect_values<std::int32_t, 1>((a - b).compute(), {6}, {5, -9, 17, -17, -3, 10});
  expect_values<std::int32_t, 1>((a * b).compute(), {6}, {14, -14, -52, -52, 0, -25});
  expect_values<std::int32_t, 1>((a % b).compute(), {6}, {1, 1, -3, 3, 0, 0});
  expect_values<std::int32_t, 1>((a & b).compute(), {6}, {2, 0, 12, 0, 0, 1});
  expect_values<std::int32_t, 1>((a | b).compute(), {6}, {7, -5, -3, -9, 3, -1});
  expect_values<std::int32_t, 1>((a ^ b).compute(), {6}, {5, -5, -15, -9, 3, -2});
  expect_values<std::int32_t, 1>((floor_divide(a, b)).compute(), {6}, {3, -4, -4, -4, 0, -1});
  expect_values<double, 1>((a / b).compute(), {6}, {3.5, -3.5, -3.25, -3.25, 0.0, -1.0});
  expect_values<std::int32_t, 1>((~a).compute(), {6}, {-8, 6, -14, 12, -1, -6});
  expect_values<std::int32_t, 1>((a << 2).compute(), {6}, {28, -28, 52, -52, 0, 20});
  expect_values<std::int32_t, 1>((a >> 1).compute(), {6}, {3, -4, 6, -7, 0, 2});
  expect_values<double, 1>((sqrt(abs(a))).compute(), {6},
                           {2.6457513110645907, 2.6457513110645907, 3.605551275463989,
                            3.605551275463989, 0.0, 2.23606797749979});
}

TEST(Elementwise, TestsOfSpecialValues) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto x = row<double>({nan, inf, -inf, 0.0, -0.0, 1.0});
  expect_values<bool, 1>((isnan(x)).compute(), {6}, {true, false, false, false, false, false});
  expect_values<bool, 1>((isinf(x)).compute(), {6}, {false, true, true, false, false, false});
  expect_values<bool, 1>((isfinite(x)).compute(), {6}, {false, false, false, true, true, true});
  expect_values<bool, 1>((signbit(x(slice(1, none)))).compute(), {5},
                         {false, true, false, true, false});
}

TEST(Elementwise, LogicalFunctions) {
  const auto a = row<bool>({true, true, false, false});
  const auto b = row<bool>({true, false, true, false});
  expect_values<bool, 1>((a && b).compute(), {4}, {true, false, false, false});
  expect_values<bool, 1>((a || b).compute(), {4}, {true, true, true, false});
  expect_values<bool, 1>((logical_xor(a, b)).compute(), {4}, {false, true, true, false});
  expect_values<bool, 1>((!a).compute(), {4}, {false, false, true, true});
  expect_values<bool, 1>((a & b).compute(), {4}, {true, false, false, false});
  expect_values<bool, 1>((~a).compute(), {4}, {false, false, true, true});
}

TEST(Elementwise, SelectsAndClips) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<double, 1>((where(x > 0, x, -1.0)).compute(), {9},
                           {-1.0, -1.0, -1.0, -1.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<std::int64_t, 1>((where(x > 0, 1, 0)).compute(), {9}, {0, 0, 0, 0, 1, 1, 1, 1, 1});
  expect_values<double, 1>((clip(x, -1, 2.0)).compute(), {9},
                           {-1.0, -1.0, -0.5, -0.0, 0.25, 0.5, 1.5, 2.0, 2.0});
  expect_values<double, 1>((clip(x, -1, where(x > 2, 2.25, 1.0))).compute(), {9},
                           {-1.0, -1.0, -0.5, -0.0, 0.25, 0.5, 1.0, 2.25, 2.25});
}

TEST(Elementwise, ConvertsElements) {
  const auto x = row<double>({-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5, 3.75});
  expect_values<std::int16_t, 1>((astype<std::int16_t>(x)).compute(), {9},
                                 {-2, -1, 0, 0, 0, 0, 1, 2, 3});
  expect_values<float, 1>((astype<float>(x) * 2).compute(), {9},
                          {-5.0F, -3.0F, -1.0F, -0.0F, 0.5F, 1.0F, 3.0F, 5.0F, 7.5F});
  expect_values<bool, 1>((astype<bool>(x)).compute(), {9},
                         {true, true, true, false, true, true, true, true, true});
}

TEST(Elementwise, BroadcastsAsNumPy) {
  const auto column = asarray(ndarray<int, 2>::of({{10}, {20}, {30}}), {.chunks = {2, 1}});
  const auto line = row<int>({1, 2, 3, 4, 5});
  const auto sum = column + line;
  EXPECT_EQ(sum.shape(), (std::array<index_t, 2>{3, 5}));
  expect_values<int, 2>(sum.compute(), {3, 5},
                        {11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35});
}

TEST(Elementwise, SameOperandTwiceIsRight) {
  const auto x = row<double>({1, 2, 3, 4, 5});
  expect_values<double, 1>((x * x + x).compute(), {5}, {2, 6, 12, 20, 30});
}

TEST(Elementwise, WeakScalarsTakeTheDtypeOfTheArray) {
  const auto f = row<float>({1, 2});
  const auto i = row<std::int32_t>({1, 2});
  const auto b = row<bool>({true, false});
  static_assert(std::same_as<decltype(f * 2.0)::value_type, float>);
  static_assert(std::same_as<decltype(f + 1)::value_type, float>);
  static_assert(std::same_as<decltype(i + 1)::value_type, std::int32_t>);
  static_assert(std::same_as<decltype(1LL + i)::value_type, std::int32_t>);
  static_assert(std::same_as<decltype(i * 2.5)::value_type, double>);
  static_assert(std::same_as<decltype(b + 1)::value_type, std::int64_t>);
  static_assert(std::same_as<decltype(b * 0.5)::value_type, double>);
  static_assert(std::same_as<decltype(i > 1)::value_type, bool>);
  expect_values<double, 1>((i * 2.5).compute(), {2}, {2.5, 5.0});
  expect_values<float, 1>((1 - f).compute(), {2}, {0, -1});
}

TEST(Elementwise, ScalarThatDoesNotFitIsRefused) {
  const auto i = row<std::int8_t>({1, 2});
  expect_error<value_error>([&] { static_cast<void>(i + 200); }, {"add", "200", "int8"});
  const auto u = row<std::uint8_t>({1, 2});
  expect_error<value_error>([&] { static_cast<void>(u * -1); }, {"multiply", "-1", "uint8"});
  const auto f = row<float>({1, 2});
  expect_error<value_error>([&] { static_cast<void>(f * 1e300); }, {"multiply", "float32"});
  // The shortest text of the greatest float32 is above that value, and rounds to it (IEEE 754).
  constexpr float greatest = std::numeric_limits<float>::max();
  const auto halves = row<float>({1, 0.5F});
  expect_values<float, 1>((halves * 3.4028235e+38).compute(), {2}, {greatest, greatest / 2});
  expect_error<value_error>([&] { static_cast<void>(f * 3.4028236e+38); }, {"float32"});
}

TEST(Elementwise, ShapesThatDoNotBroadcastAreRefusedAtOnce) {
  const auto a = zeros<double>({2, 3});
  const auto b = zeros<double>({2, 4});
  expect_error<shape_error>([&] { static_cast<void>(a * b); }, {"multiply", "(2, 3)", "(2, 4)"});
}

TEST(Elementwise, MapsAFunctionOfOnesOwn) {
  const auto x = row<double>({1, 2, 3});
  const auto y = row<std::int32_t>({10, 20, 30});
  const auto z = map([](double a, std::int32_t b) { return a + 2 * b; }, x, y);
  expect_values<double, 1>(z.compute(), {3}, {21, 42, 63});
  const double offset = 0.5;
  expect_values<double, 1>(map([offset](double a) { return a + offset; }, x).compute(), {3},
                           {1.5, 2.5, 3.5});
}

}  // namespace
}  // namespace tessera
