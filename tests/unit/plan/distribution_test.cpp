// SPDX-License-Identifier: Apache-2.0
#include "plan/api/distribution.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

distribution of_two_by_three() {
  // 5 x 7 elements in chunks of 3 x 3: the last ones are smaller.
  return {chunk_grid({5, 7}, {3, 3}), {0, 1, 2, 5, 4, 3}, 6, {{0, 0}, {3, 3}}, "t"};
}

TEST(Distribution, FindsTheHolderOfAnElement) {
  const distribution parts = of_two_by_three();
  EXPECT_EQ(parts.holder_of({0, 0}), 0U);
  EXPECT_EQ(parts.holder_of({2, 3}), 1U);
  EXPECT_EQ(parts.holder_of({3, 2}), 5U);
  EXPECT_EQ(parts.holder_of({4, 6}), 3U);
}

TEST(Distribution, LiesAlikeWhateverIsHereAndWhateverItHolds) {
  distribution distribution_b = of_two_by_three();
  distribution_b.here = {{3, 0}, {5, 3}};
  distribution_b.identity = "u";
  EXPECT_TRUE(lie_alike(of_two_by_three(), distribution_b));
  distribution_b.holders[0] = 1;
  EXPECT_FALSE(lie_alike(of_two_by_three(), distribution_b));
}

}  // namespace
}  // namespace tessera
