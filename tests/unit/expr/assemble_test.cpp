// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/assemble.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

constexpr index_t most = std::numeric_limits<index_t>::max();
constexpr index_t least = std::numeric_limits<index_t>::min();

/// Returns the index of the element that is first in an axis of `extent` rolled by `shift`.
index_t first_of_rolled(index_t extent, index_t shift) {
  const array_layout layout{{extent}, {1000}, nullptr};
  const std::array<std::size_t, 1> axes{0};
  const assembly rolled = assemble_rolled(layout, axes, std::array{shift});
  const assembled_piece& first = rolled.pieces.front();
  EXPECT_EQ(first.where.start, (index_vector{0}));
  return first.map(index_vector{0})[0];
}

// Expected: Python's `-shift % extent`.
TEST(Assemblies, RollByAnyShift) {
  EXPECT_EQ(first_of_rolled(10, 3), 7);
  EXPECT_EQ(first_of_rolled(10, -3), 3);
  EXPECT_EQ(first_of_rolled(10, most), 3);
  EXPECT_EQ(first_of_rolled(10, least), 8);
  EXPECT_EQ(first_of_rolled(most, 5), most - 5);
  EXPECT_EQ(first_of_rolled(most, -5), 5);
  EXPECT_EQ(first_of_rolled(most, most), 0);
  EXPECT_EQ(first_of_rolled(most, least), 1);
}

}  // namespace
}  // namespace tessera
