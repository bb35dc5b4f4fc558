// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of every family over chains of views, lists, masks, repeats and joins, against plain
/// loops.

#include "property/random_program.hpp"
#include "property/samples.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace samples;

RC_GTEST_PROP(Producers, EachFunctionReadsThemAsPlainLoopsDo, ()) {
  random_program::generator programs(pick, pick_spec(), pick_passes(), pick_run());
  for (int i = 0; i < 5; ++i) {
    const auto wrong = random_program::difference(programs.next());
    if (wrong) RC_FAIL(*wrong);
  }
}

// The middle of each window is the element itself.
TEST(Overlap, SeesAnOperandThroughARepeat) {
  const auto z = ts::asarray(ts::ndarray<double, 1>({3}, {5, 6, 7}));
  const auto middle = [](ts::block_view<const double, 1> a, ts::block_view<double, 1> y) {
    for (index_t i = 0; i < y.size(); ++i) y(i) = a(i + 1);
  };
  const auto y =
      ts::map_overlap<double>(middle, ts::repeat(z, 2, ts::axis<0>), {.depth = {{1, 1}}}).compute();
  EXPECT_EQ(std::vector<double>(y.span().begin(), y.span().end()),
            (std::vector<double>{5, 5, 6, 6, 7, 7}));
}

}  // namespace
