// SPDX-License-Identifier: Apache-2.0
#include "tessera/meta/axes.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Axes, RangeIsThatOfPython) {
  EXPECT_TRUE((axes_in_range<3, 0, 2, -3>));
  EXPECT_FALSE((axes_in_range<3, 3>));
  EXPECT_FALSE((axes_in_range<3, -4>));
  EXPECT_FALSE((axes_in_range<0, 0>));
  EXPECT_TRUE((axes_in_range<0>));
}

TEST(Axes, NegativeAxesNameTheSameAsPositiveOnes) {
  EXPECT_EQ(normalised_axis(-1, 4), 3U);
  EXPECT_EQ(normalised_axis(2, 4), 2U);
  EXPECT_FALSE((axes_distinct<3, 0, -3>));
  EXPECT_TRUE((axes_distinct<4, 0, -3>));
  EXPECT_FALSE((axes_distinct<2, 1, 0, 1>));
}

TEST(Axes, MaskHasOneBitForEachAxis) {
  EXPECT_EQ((axis_mask_of<4, 0, -1>), 0b1001U);
  EXPECT_EQ((axis_mask_of<3>), 0b111U);
  EXPECT_EQ((axis_mask_of<32>), 0xFFFFFFFFU);
  EXPECT_EQ((axis_mask_of<0>), 0U);
}

}  // namespace
}  // namespace tessera
