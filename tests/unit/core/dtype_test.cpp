// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/dtype.hpp"

#include "tessera/core/float16.hpp"
#include "tessera/kernel/float16.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace {

using namespace tessera;

struct row {
  dtype type;
  std::string_view name;
  std::size_t size;
};

// Names and sizes of the Python Array API standard, section "Data Types"; float16 is NumPy's.
constexpr std::array<row, 14> standard{{{dtype::boolean, "bool", 1},
                                        {dtype::int8, "int8", 1},
                                        {dtype::int16, "int16", 2},
                                        {dtype::int32, "int32", 4},
                                        {dtype::int64, "int64", 8},
                                        {dtype::uint8, "uint8", 1},
                                        {dtype::uint16, "uint16", 2},
                                        {dtype::uint32, "uint32", 4},
                                        {dtype::uint64, "uint64", 8},
                                        {dtype::float16, "float16", 2},
                                        {dtype::float32, "float32", 4},
                                        {dtype::float64, "float64", 8},
                                        {dtype::complex64, "complex64", 8},
                                        {dtype::complex128, "complex128", 16}}};

TEST(Dtype, HasTheNamesAndSizesOfTheStandard) {
  for (const row& expected : standard) {
    EXPECT_EQ(name_of(expected.type), expected.name);
    EXPECT_EQ(size_of(expected.type), expected.size);
  }
}

TEST(Dtype, IsVisitedAsTheCppTypeThatItStandsFor) {
  for (const row& expected : standard) {
    visit_dtype(expected.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(dtype_of<T>, expected.type);
      EXPECT_EQ(sizeof(T), expected.size);
    });
  }
}

// numpy.float16(x).view("u2").
TEST(Float16, IsRoundedOnceFromFloat64) {
  EXPECT_EQ(float16_bits(1.0), 0x3c00);
  EXPECT_EQ(float16_bits(-0.0), 0x8000);
  EXPECT_EQ(float16_bits(0.1), 0x2e66);
  EXPECT_EQ(float16_bits(65504.0), 0x7bff);
  EXPECT_EQ(float16_bits(65520.0), 0x7c00);
  EXPECT_EQ(float16_bits(5.960464477539063e-08), 0x0001);
  EXPECT_EQ(float16_bits(INFINITY), 0x7c00);
  // Just above half way between 1 and its neighbour, and half way itself once it is a float.
  EXPECT_EQ(float16_bits(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(float16_bits(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(float16_bits(-1.0 - 0x1p-11 - 0x1p-40), 0xbc01);
}

TEST(Float16, HasTheValueOfItsBits) {
  EXPECT_EQ(float16_value(0x2e66), 0.0999755859375F);
  EXPECT_EQ(float16_value(0x0001), 0x1p-24F);
  EXPECT_TRUE(std::isnan(float16_value(0x7e00)));
  EXPECT_EQ(float16_value(0xfc00), -INFINITY);
}

TEST(Dtype, IsDefinedForElementTypesOnly) {
  EXPECT_TRUE(element<float>);
  EXPECT_TRUE(element<bool>);
  EXPECT_FALSE(element<std::string>);
  EXPECT_FALSE(element<const double>);
  EXPECT_FALSE(element<void*>);
}

}  // namespace
