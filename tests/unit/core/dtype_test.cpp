// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/dtype.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <sstream>
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
    std::ostringstream out;
    out << expected.type;
    EXPECT_EQ(out.str(), expected.name);
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

TEST(Dtype, IsDefinedForElementTypesOnly) {
  EXPECT_TRUE(element<float>);
  EXPECT_TRUE(element<bool>);
  EXPECT_FALSE(element<std::string>);
  EXPECT_FALSE(element<const double>);
  EXPECT_FALSE(element<void*>);
}

}  // namespace
