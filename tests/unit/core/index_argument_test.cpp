// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index_argument.hpp"

#include "tessera/core/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

template <std::size_t N>
std::array<index_t, N> values_of(const index_argument (&values)[N]) {
  return detail::to_indices(values);
}

TEST(IndexArgument, TakesEachIntegerTypeWithItsValue) {
  const std::size_t rows = 3;
  std::uint8_t columns = 255;
  short backwards = -1;
  unsigned long long most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(values_of({rows, columns, backwards, most, 7}),
            (std::array<index_t, 5>{3, 255, -1, 9223372036854775807, 7}));
}

TEST(IndexArgument, RefusesWhatInt64CannotHold) {
  std::uint64_t value = std::uint64_t{1} << 63;
  EXPECT_THROW(values_of({value}), value_error);
  EXPECT_THROW(values_of({std::numeric_limits<std::uint64_t>::max()}), value_error);
}

}  // namespace
}  // namespace tessera
