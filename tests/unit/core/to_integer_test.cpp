// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/to_integer.hpp"

#include "unit/core/integers_of_floats.hpp"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

template <class Float>
void expect_integers(const std::vector<testing::integers_of_float<Float>>& table) {
  for (const auto& row : table) {
    SCOPED_TRACE(row.value);
    const auto expect = [&row]<class To>(To expected) {
      EXPECT_EQ(to_integer<To>(row.value), expected);
    };
    std::apply([&](auto... expected) { (expect(expected), ...); }, row.integers);
  }
}

TEST(ToInteger, IsNumPysForEveryFloat) {
  expect_integers(testing::integers_of_doubles);
  expect_integers(testing::integers_of_floats);
}

TEST(ToInteger, IsKnownToTheCompiler) {
  static_assert(to_integer<std::int8_t>(300.7) == 44);
  static_assert(to_integer<std::int32_t>(testing::nan) == std::numeric_limits<std::int32_t>::min());
  static_assert(to_integer<std::uint64_t>(-1.5F) == ~std::uint64_t{0});
}

}  // namespace
}  // namespace tessera
