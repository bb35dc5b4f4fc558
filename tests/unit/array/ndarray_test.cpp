// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/ndarray.hpp"

#include "tessera/kernel/eigen.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

template <class T, std::size_t N>
std::string text_of(const ndarray<T, N>& array) {
  std::ostringstream out;
  out << array;
  return out.str();
}

template <class T, std::size_t N>
ndarray<T, N> counting(const std::array<index_t, N>& shape) {
  ndarray<T, N> result(shape);
  std::iota(result.span().begin(), result.span().end(), T{0});
  return result;
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const shape_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Ndarray, HoldsValuesInRowMajorOrder) {
  const ndarray<int, 2> x({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.shape(), (std::array<index_t, 2>{2, 3}));
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x(0, 2), 3);
  EXPECT_EQ(x(1, 0), 4);
  EXPECT_EQ(x.at(1, 2), 6);
  EXPECT_EQ(x.data()[4], 5);
  EXPECT_EQ(x.span().size(), 6U);
}

TEST(Ndarray, IsZeroUnlessToldOtherwise) {
  EXPECT_EQ((ndarray<double, 2>({1, 2})), (ndarray<double, 2>({1, 2}, {0.0, 0.0})));
  EXPECT_EQ((ndarray<double, 2>().size()), 0);
  EXPECT_EQ((ndarray<double, 0>()()), 0.0);
}

TEST(Ndarray, IsMadeFromNestedBraces) {
  const auto x = ndarray<float, 3>::of({{{1, 2}, {3, 4}, {5, 6}}});
  EXPECT_EQ(x, (ndarray<float, 3>({1, 3, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ((ndarray<bool, 1>::of({true, false})), (ndarray<bool, 1>({2}, {true, false})));
  EXPECT_EQ((ndarray<int, 0>::of(4)), (ndarray<int, 0>(4)));
}

TEST(Ndarray, RefusesRowsOfDifferentLengths) {
  EXPECT_EQ(message_of([] {
              (void)ndarray<int, 2>::of({{1, 2}, {3}});
            }),
            "ndarray::of: rows of 2 and of 1 values stand side by side; rows of one axis must have "
            "equal lengths");
}

TEST(Ndarray, RefusesAnotherNumberOfValuesThanElements) {
  EXPECT_EQ(message_of([] {
              (void)ndarray<int, 2>({2, 2}, {1, 2, 3});
            }),
            "ndarray: 3 values were given for shape (2, 2), which has 4 elements; give as many "
            "values as there are elements");
}

TEST(Ndarray, ChecksTheIndicesOfAt) {
  ndarray<int, 2> x({2, 3});
  x.at(1, 2) = 7;
  EXPECT_EQ(x(1, 2), 7);
  EXPECT_EQ(message_of([&] { (void)x.at(1, 3); }),
            "ndarray::at: index (1, 3) is outside of shape (2, 3) along axis 1; each index must be "
            "in [0, extent)");
  EXPECT_THROW((void)x.at(-1, 0), shape_error);
  EXPECT_THROW((void)std::as_const(x).at(2, 0), shape_error);
}

TEST(Ndarray, IsAValue) {
  ndarray<int, 1> x({2}, {1, 2});
  ndarray<int, 1> copy = x;
  copy(0) = 9;
  EXPECT_EQ(x(0), 1);
  x = copy;
  copy(1) = 8;
  EXPECT_EQ(x, (ndarray<int, 1>({2}, {9, 2})));
  const ndarray<int, 1> moved = std::move(x);
  EXPECT_EQ(moved(0), 9);
}

TEST(Ndarray, TakesOverABufferWithoutCopying) {
  const std::vector<double> values{1.5, 2.5};
  const std::shared_ptr<std::byte[]> buffer(new std::byte[2 * sizeof(double)]);
  std::memcpy(buffer.get(), values.data(), 2 * sizeof(double));
  const ndarray<double, 1> x({2}, buffer);
  EXPECT_EQ(static_cast<const void*>(x.data()), buffer.get());
  EXPECT_EQ(x, (ndarray<double, 1>({2}, values)));
}

TEST(Ndarray, OfRankZeroConvertsToItsElement) {
  const ndarray<double, 0> x(2.5);
  const double value = x;
  EXPECT_EQ(value, 2.5);
}

TEST(Ndarray, IsEqualToArraysOfTheSameShapeAndValues) {
  EXPECT_NE((ndarray<int, 2>({1, 2})), (ndarray<int, 2>({2, 1})));
  EXPECT_NE((ndarray<int, 1>({1}, {1})), (ndarray<int, 1>({1}, {2})));
  EXPECT_NE((ndarray<double, 0>(std::nan(""))), (ndarray<double, 0>(std::nan(""))));
}

TEST(Ndarray, IsSeenByEigenInPlace) {
  auto x = counting<double>(std::array<index_t, 2>{2, 3});
  eigen(x)(1, 0) = 10;
  EXPECT_EQ(x(1, 0), 10);
  const auto v = counting<double>(std::array<index_t, 1>{3});
  EXPECT_EQ(eigen(x).transpose()(2, 1), 5);
  EXPECT_EQ((eigen(v) * 2)(2), 4);
  const ndarray<float16, 1> h({3}, {float16(1), float16(2), float16(0.5)});
  EXPECT_EQ(eigen(h).cast<float>().sum(), 3.5F);
  static_assert(!std::is_assignable_v<decltype(eigen(v)(0)), double>);
}

// The expected texts come from numpy.str, NumPy 1.24.

TEST(NdarrayPrint, AlignsIntegersAndBooleans) {
  EXPECT_EQ(text_of(ndarray<int, 2>::of({{1, -20}, {300, 4}})),
            "[[  1 -20]\n"
            " [300   4]]");
  EXPECT_EQ(text_of(ndarray<bool, 2>::of({{true, false}, {false, true}})),
            "[[ True False]\n"
            " [False  True]]");
  EXPECT_EQ(text_of(counting<std::int8_t>(std::array<index_t, 3>{2, 2, 2})),
            "[[[0 1]\n"
            "  [2 3]]\n"
            "\n"
            " [[4 5]\n"
            "  [6 7]]]");
}

TEST(NdarrayPrint, ShowsEightDigitsAfterThePointAndTheSignOfZero) {
  EXPECT_EQ(text_of(ndarray<double, 1>::of({0.1, 1.0 / 3, 2.0, -0.0})),
            "[ 0.1         0.33333333  2.         -0.        ]");
  EXPECT_EQ(text_of(ndarray<double, 1>::of({99999999.5, 1e5})), "[99999999.5   100000. ]");
}

TEST(NdarrayPrint, ShowsTheShortestDigitsOfFloat32) {
  EXPECT_EQ(text_of(ndarray<float, 1>::of({0.1F, 1.0F / 3, 2.0F})),
            "[0.1        0.33333334 2.        ]");
  EXPECT_EQ(text_of(ndarray<float, 1>::of({99999992.0F})), "[99999992.]");
}

TEST(NdarrayPrint, UsesExponentsForLargeSmallAndWideRanges) {
  EXPECT_EQ(text_of(ndarray<double, 1>::of({1e-5, 1.0, -123456.789})),
            "[ 1.00000000e-05  1.00000000e+00 -1.23456789e+05]");
  EXPECT_EQ(text_of(ndarray<double, 1>::of({1e8, 1.0})), "[1.e+08 1.e+00]");
  EXPECT_EQ(text_of(ndarray<double, 1>::of({1e-100, 1.0})), "[1.e-100 1.e+000]");
  EXPECT_EQ(text_of(ndarray<float, 1>::of({5.5364813e10F, 0.3F})), "[5.5364813e+10 3.0000001e-01]");
}

TEST(NdarrayPrint, AlignsWhatIsNotFinite) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text_of(ndarray<double, 1>::of({nan, 1.5, -inf})), "[ nan  1.5 -inf]");
  EXPECT_EQ(text_of(ndarray<double, 1>::of({nan, inf})), "[nan inf]");
}

TEST(NdarrayPrint, ShowsTheShortestDigitsOfFloat16) {
  const auto of = [](std::initializer_list<float> values) {
    ndarray<float16, 1> array({static_cast<index_t>(values.size())});
    std::transform(values.begin(), values.end(), array.begin(),
                   [](float value) { return float16(value); });
    return text_of(array);
  };
  EXPECT_EQ(of({0.1F, 2.0F, -0.333F}), "[ 0.1    2.    -0.333]");
  EXPECT_EQ(of({1.0F, 2.5F, 0.1F, 65504.0F}), "[1.00e+00 2.50e+00 1.00e-01 6.55e+04]");
  EXPECT_EQ(of({65504.0F}), "[65504.]");
  EXPECT_EQ(of({2.5F, std::nanf("")}), "[2.5 nan]");
  EXPECT_EQ(text_of(ndarray<float16, 0>(float16(65504.0F))), "65500.0");
  EXPECT_EQ(text_of(ndarray<float16, 0>(float16(2049.0F))), "2048.0");
  EXPECT_EQ(text_of(ndarray<float16, 0>(float16(1e-7F))), "1e-07");
}

TEST(NdarrayPrint, AlignsTheTwoPartsOfComplexNumbers) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text_of(ndarray<complex128, 1>::of({{1.25, 10.5}, {-3, 0.125}})),
            "[ 1.25+10.5j   -3.   +0.125j]");
  EXPECT_EQ(text_of(ndarray<complex128, 1>::of({{nan, 1}, {2, 0}, {1, inf}})),
            "[nan +1.j  2. +0.j  1.+infj]");
  EXPECT_EQ(text_of(ndarray<complex64, 1>::of({{1, 2}, {-3.25F, -1e-3F}})),
            "[ 1.  +2.e+00j -3.25-1.e-03j]");
  EXPECT_EQ(text_of(ndarray<complex128, 0>({1, 2})), "(1+2j)");
  EXPECT_EQ(text_of(ndarray<complex64, 0>({0.1F, -2.5F})), "(0.1-2.5j)");
  EXPECT_EQ(text_of(ndarray<complex128, 0>({0, 2})), "2j");
  EXPECT_EQ(text_of(ndarray<complex128, 0>({-0.0, 2})), "(-0+2j)");
  EXPECT_EQ(text_of(ndarray<complex128, 0>({1e20, nan})), "(1e+20+nanj)");
}

TEST(NdarrayPrint, WrapsLongRows) {
  auto x = counting<std::int64_t>(std::array<index_t, 1>{30});
  for (auto& element : x) element *= 1000;
  EXPECT_EQ(text_of(x),
            "[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n"
            " 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000\n"
            " 24000 25000 26000 27000 28000 29000]");
}

TEST(NdarrayPrint, SummarisesMoreThanAThousandElements) {
  EXPECT_EQ(text_of(counting<std::int64_t>(std::array<index_t, 1>{1001})),
            "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(text_of(counting<double>(std::array<index_t, 2>{40, 50})),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]\n"
            " [5.000e+01 5.100e+01 5.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]\n"
            " [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]\n"
            " ...\n"
            " [1.850e+03 1.851e+03 1.852e+03 ... 1.897e+03 1.898e+03 1.899e+03]\n"
            " [1.900e+03 1.901e+03 1.902e+03 ... 1.947e+03 1.948e+03 1.949e+03]\n"
            " [1.950e+03 1.951e+03 1.952e+03 ... 1.997e+03 1.998e+03 1.999e+03]]");
  EXPECT_EQ(text_of(counting<std::uint16_t>(std::array<index_t, 3>{8, 2, 100})),
            "[[[   0    1    2 ...   97   98   99]\n"
            "  [ 100  101  102 ...  197  198  199]]\n"
            "\n"
            " [[ 200  201  202 ...  297  298  299]\n"
            "  [ 300  301  302 ...  397  398  399]]\n"
            "\n"
            " [[ 400  401  402 ...  497  498  499]\n"
            "  [ 500  501  502 ...  597  598  599]]\n"
            "\n"
            " ...\n"
            "\n"
            " [[1000 1001 1002 ... 1097 1098 1099]\n"
            "  [1100 1101 1102 ... 1197 1198 1199]]\n"
            "\n"
            " [[1200 1201 1202 ... 1297 1298 1299]\n"
            "  [1300 1301 1302 ... 1397 1398 1399]]\n"
            "\n"
            " [[1400 1401 1402 ... 1497 1498 1499]\n"
            "  [1500 1501 1502 ... 1597 1598 1599]]]");
}

TEST(NdarrayPrint, ShowsArraysWithoutElementsAsEmptyBrackets) {
  EXPECT_EQ(text_of(ndarray<double, 2>({0, 3})), "[]");
  EXPECT_EQ(text_of(ndarray<double, 3>({2, 0, 3})), "[]");
}

TEST(NdarrayPrint, ShowsRankZeroAsAScalar) {
  EXPECT_EQ(text_of(ndarray<double, 0>(3.0)), "3.0");
  EXPECT_EQ(text_of(ndarray<double, 0>(1e16)), "1e+16");
  EXPECT_EQ(text_of(ndarray<double, 0>(0.0001)), "0.0001");
  EXPECT_EQ(text_of(ndarray<double, 0>(1.5e-5)), "1.5e-05");
  EXPECT_EQ(text_of(ndarray<float, 0>(0.1F)), "0.1");
  EXPECT_EQ(text_of(ndarray<float, 0>(1.2345678e15F)), "1234567800000000.0");
  EXPECT_EQ(text_of(ndarray<double, 0>(std::nan(""))), "nan");
  EXPECT_EQ(text_of(ndarray<double, 0>(-0.0)), "-0.0");
  EXPECT_EQ(text_of(ndarray<bool, 0>(true)), "True");
  EXPECT_EQ(text_of(ndarray<std::int8_t, 0>(std::int8_t{-5})), "-5");
}

}  // namespace
}  // namespace tessera
