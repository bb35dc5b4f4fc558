// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random folds, alone and beside others, in parts or in one.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

using namespace samples;

RC_GTEST_PROP(Program, ReductionsFoldTheRightElements, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 12);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample(shape, spec);
  const dense product = reference::make(
      a.values.shape, [&](const position& at) { return a.values(at) * b.values(at); });
  const auto ab = a.array * b.array;
  expect_equal(compute(ts::sum(ab, ts::axis<0>), spec),
               reference::fold(product, {true, false, false}, sum_of));
  expect_equal(compute(ts::mean(ab, ts::axis<1>), spec),
               reference::fold(product, {false, true, false}, mean_of));
  expect_equal(compute(ts::var(ab, ts::axis<-1>), spec),
               reference::fold(product, {false, false, true}, var_of));
  expect_equal(compute(ts::max(ab, ts::axis<0, 2>), spec),
               reference::fold(product, {true, false, true}, [](const std::vector<double>& x) {
                 return *std::max_element(x.begin(), x.end());
               }));
  expect_equal(compute(ts::sum(ab), spec), reference::fold(product, {true, true, true}, sum_of));
}

RC_GTEST_PROP(Program, AMapAndAFoldOfOneArrayComeOutOfOneWalk, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 12);
  const auto a = pick_sample(shape, spec);
  const dense tripled =
      reference::make(a.values.shape, [&](const position& at) { return 3 * a.values(at) - 1; });
  auto store = std::make_shared<ts::memory_store>();
  std::array<index_t, 3> chunks{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    chunks[axis] = pick(0, 2) == 0 ? pick(1, shape[axis] + 1) : a.array.chunks()[axis];
  }
  auto passes = pick_passes();
  passes.fuse_siblings = true;
  const auto plan = ts::plan(passes, pick_run(), ts::sum(3.0 * a.array - 1.0, ts::axis<0>),
                             ts::stored(3.0 * a.array - 1.0, store, "y", {.chunks = chunks}),
                             ts::var(a.array, ts::axis<0>), ts::max(a.array));
  const auto [sums, written, vars, greatest] = plan.compute();
  expect_equal(sums, reference::fold(tripled, {true, false, false}, sum_of));
  expect_equal(ts::open<double, 3>(store, "y", spec).compute(), tripled);
  expect_equal(vars, reference::fold(a.values, {true, false, false}, var_of));
  RC_ASSERT(greatest() == *std::max_element(a.values.values.begin(), a.values.values.end()));
}

TEST(LongFold, IsTheSameInPartsOrInOne) {
  constexpr index_t rows = 180'000;
  const auto values = reference::make({rows, 2}, [](const position& at) {
    return static_cast<double>((at[0] * 7 + at[1] * 3) % 19 - 9);
  });
  const dense var = reference::fold(values, {true, false}, var_of);
  const double sum = sum_of(values.values);
  const ts::ndarray<double, 2> elements({rows, 2}, values.values);
  for (const index_t chunk : {1000, 70'001, 200'000}) {
    for (const bool is_split : {true, false}) {
      const auto x = ts::asarray(elements, {.chunks = {chunk, 1}});
      const auto plan = ts::plan(ts::pass_switches{.split_folds = is_split},
                                 ts::var(x, ts::axis<0>), ts::sum(x), ts::mean(x));
      const auto [found_var, found_sum, found_mean] = plan.compute();
      EXPECT_NEAR(found_var(0), var.values[0], 1e-12 * var.values[0]) << chunk;
      EXPECT_NEAR(found_var(1), var.values[1], 1e-12 * var.values[1]) << chunk;
      EXPECT_EQ(found_sum(), sum) << chunk;
      EXPECT_NEAR(found_mean(), sum / (2.0 * rows), 1e-15) << chunk;
    }
  }
}

TEST(LongFold, IsTheSameBesideAMap) {
  constexpr index_t rows = 180'000;
  const auto values = reference::make({rows, 2}, [](const position& at) {
    return static_cast<double>((at[0] * 7 + at[1] * 3) % 19 - 9);
  });
  const ts::ndarray<double, 2> elements({rows, 2}, values.values);
  for (const index_t chunk : {1000, 70'001}) {
    const auto x = ts::asarray(elements, {.chunks = {chunk, 2}});
    const auto store = std::make_shared<ts::memory_store>();
    const auto plan =
        ts::plan(ts::stored(x * 2.0, store, "y"), ts::sum(x, ts::axis<0>), ts::max(x, ts::axis<0>));
    EXPECT_EQ(plan.num_operations(), 2U) << "one walk, and one for its states";
    const auto [written, sums, greatest] = plan.compute();
    const auto y = ts::open<double, 2>(store, "y").compute();
    double sum = 0;
    for (index_t row = 0; row < rows; ++row) {
      ASSERT_EQ(y(row, 0), 2 * values({row, 0})) << row;
      ASSERT_EQ(y(row, 1), 2 * values({row, 1})) << row;
      sum += values({row, 0});
    }
    EXPECT_EQ(sums(0), sum);
    EXPECT_EQ(greatest(0), 9.0);
  }
}

}  // namespace
