// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random folds, alone and beside further folds, in parts or in one.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <utility>
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

double position_of_greatest(const std::vector<double>& x) {
  return static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin());
}

double position_of_least(const std::vector<double>& x) {
  return static_cast<double>(std::min_element(x.begin(), x.end()) - x.begin());
}

double sum_of_positive(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value > 0 ? value : 0;
  return sum;
}

RC_GTEST_PROP(Program, PositionsAreThoseOfTheFirstBestElements, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 12);
  const auto a = pick_sample(shape, spec);
  expect_equal(compute(ts::argmax(a.array, ts::axis<0>), spec),
               reference::fold(a.values, {true, false, false}, position_of_greatest));
  expect_equal(compute(ts::argmin(2.0 * a.array, ts::axis<1>), spec),
               reference::fold(a.values, {false, true, false}, position_of_least));
  expect_equal(compute(ts::argmax(a.array, ts::axis_at(2)), spec),
               reference::fold(a.values, {false, false, true}, position_of_greatest));
  expect_equal(compute(ts::argmin(a.array), spec),
               reference::fold(a.values, {true, true, true}, position_of_least));
  expect_equal(compute(ts::last(a.array, ts::axis<1>), spec),
               reference::fold(a.values, {false, true, false},
                               [](const std::vector<double>& x) { return x.back(); }));
  expect_equal(compute(ts::sum(a.array, ts::axis<0, 2>, ts::where(a.array > 0.0)), spec),
               reference::fold(a.values, {true, false, true}, sum_of_positive));
}

RC_GTEST_PROP(Program, CellsAreTheBestElementsInOrder, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 12);
  const auto a = pick_sample(shape, spec);
  const index_t k = pick(1, shape[1]);
  const dense wanted = reference::make({shape[0], k, shape[2]}, [&](const position& at) {
    std::vector<double> line;
    for (index_t i = 0; i < shape[1]; ++i) line.push_back(a.values({at[0], i, at[2]}));
    std::sort(line.begin(), line.end(), std::greater<>());
    return line[static_cast<std::size_t>(at[1])];
  });
  expect_equal(compute(ts::topk(a.array, k, ts::axis<1>), spec), wanted);
  const dense positions = reference::make({k, shape[1], shape[2]}, [&](const position& at) {
    return at[0] < shape[0] ? static_cast<double>(at[0]) : 0.0;
  });
  if (k <= shape[0]) {
    // Of equal elements the first come first.
    expect_equal(compute(ts::argtopk(0.0 * a.array, -k, ts::axis<0>), spec), positions);
  }
}

RC_GTEST_PROP(Program, GroupsHoldTheElementsOfTheirLabels, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 12);
  const auto a = pick_sample(shape, spec);
  const index_t groups = pick(1, 5);
  ts::ndarray<std::int32_t, 1> labels({shape[1]});
  for (auto& label : labels.span()) label = static_cast<std::int32_t>(pick(-1, groups + 1));
  const auto l = ts::asarray(labels, {.chunks = {pick(1, shape[1] + 1)}, .spec = spec});
  const auto sums = [&](const position& at) {
    double sum = 0;
    for (index_t i = 0; i < shape[1]; ++i) {
      if (labels(i) == at[1]) sum += a.values({at[0], i, at[2]});
    }
    return sum;
  };
  expect_equal(compute(ts::groupby_reduce(a.array, l, ts::op::sum{}, groups, ts::axis<1>), spec),
               reference::make({shape[0], groups, shape[2]}, sums));
  // Labels that are computed of the elements themselves.
  const auto group_numbers = ts::astype<std::int64_t>(a.array);
  const dense counts = reference::make({groups}, [&](const position& at) {
    return static_cast<double>(
        std::count_if(a.values.values.begin(), a.values.values.end(),
                      [&](double value) { return static_cast<index_t>(value) == at[0]; }));
  });
  expect_equal(compute(ts::bincount(group_numbers, groups), spec), counts);
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

/// Expects the greatest elements, the places of the least ones and the means of groups in a column.
void expect_column(const dense& values, const ts::ndarray<std::int16_t, 1>& labels, index_t column,
                   const ts::ndarray<double, 2>& best,
                   const ts::ndarray<std::int64_t, 2>& least_positions,
                   const ts::ndarray<double, 2>& means) {
  std::vector<std::pair<double, index_t>> sorted;
  std::vector<double> sums(6, 0.0);
  std::vector<double> counts(6, 0.0);
  for (index_t row = 0; row < labels.size(); ++row) {
    sorted.emplace_back(values({row, column}), row);
    if (labels(row) < 0) continue;
    sums[static_cast<std::size_t>(labels(row))] += values({row, column});
    ++counts[static_cast<std::size_t>(labels(row))];
  }
  std::sort(sorted.begin(), sorted.end());
  for (index_t k = 0; k < 5; ++k) {
    EXPECT_EQ(best(k, column), sorted[sorted.size() - 1 - static_cast<std::size_t>(k)].first);
  }
  for (index_t k = 0; k < 4; ++k) {
    EXPECT_EQ(least_positions(k, column), sorted[static_cast<std::size_t>(k)].second);
  }
  for (index_t group = 0; group < 6; ++group) {
    const auto g = static_cast<std::size_t>(group);
    EXPECT_NEAR(means(group, column), sums[g] / counts[g], 1e-9);
  }
}

TEST(LongFold, FindsPlacesCellsAndGroupsInPartsOrInOne) {
  constexpr index_t rows = 180'000;
  // Each column has its greatest and least elements in several parts.
  const auto values = reference::make({rows, 2}, [](const position& at) {
    return static_cast<double>((at[0] * 7919 + at[1] * 3) % 50'021);
  });
  ts::ndarray<std::int16_t, 1> labels({rows});
  for (index_t row = 0; row < rows; ++row) labels(row) = static_cast<std::int16_t>(row % 7 - 1);
  const auto of_column = [&](const auto& f) {
    return reference::fold(values, {true, false}, f).values;
  };
  const auto greatest = of_column(position_of_greatest);
  const auto least_position = reference::fold(values, {true, true}, position_of_least).values;
  const ts::ndarray<double, 2> elements({rows, 2}, values.values);
  for (const index_t chunk : {1000, 70'001}) {
    for (const bool is_split : {true, false}) {
      const auto x = ts::asarray(elements, {.chunks = {chunk, 1}});
      const auto l = ts::asarray(labels, {.chunks = {chunk}});
      const auto plan =
          ts::plan(ts::pass_switches{.split_folds = is_split}, ts::argmax(x, ts::axis<0>),
                   ts::argmin(x), ts::topk(x, 5, ts::axis<0>), ts::argtopk(x, -4, ts::axis<0>),
                   ts::groupby_reduce(x, l, ts::op::mean{}, 6, ts::axis<0>));
      const auto [positions, position, best, least_positions, means] = plan.compute();
      for (index_t column = 0; column < 2; ++column) {
        EXPECT_EQ(static_cast<double>(positions(column)),
                  greatest[static_cast<std::size_t>(column)]);
        SCOPED_TRACE(std::to_string(chunk) + (is_split ? " split" : ""));
        expect_column(values, labels, column, best, least_positions, means);
      }
      EXPECT_EQ(static_cast<double>(position()), least_position.front());
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

RC_GTEST_PROP(Program, FunctionsOfWhatIsMadeAreThoseOfItsElements, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 12);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample<2>({shape[1], pick(1, 12)}, spec);
  const auto c = pick_sample<2>({shape[0], b.values.shape[1]}, spec);
  const auto row = pick_sample<1>({shape[1]}, spec);
  const dense sums = reference::fold(a.values, {true, false}, sum_of);
  expect_equal(compute(2.0 * ts::sum(a.array, ts::axis<0>) - row.array, spec),
               reference::make(sums.shape,
                               [&](const position& at) { return 2 * sums(at) - row.values(at); }));
  expect_equal(compute(c.array - ts::matmul(a.array, b.array) * 3.0, spec),
               reference::make(c.values.shape, [&](const position& at) {
                 double sum = 0;
                 for (index_t k = 0; k < shape[1]; ++k) {
                   sum += a.values({at[0], k}) * b.values({k, at[1]});
                 }
                 return c.values(at) - 3 * sum;
               }));
  expect_equal(
      compute(ts::astype<float>(ts::argmax(a.array, ts::axis<1>)) + 0.5F, spec),
      reference::make({shape[0]}, [&](const position& at) {
        const auto positions = reference::fold(a.values, {false, true}, position_of_greatest);
        return positions(at) + 0.5;
      }));
  expect_equal(compute(ts::abs(ts::topk(a.array, 1, ts::axis<0>)), spec),
               reference::make({1, shape[1]}, [&](const position& at) {
                 const dense greatest =
                     reference::fold(a.values, {true, false}, [](const std::vector<double>& x) {
                       return *std::max_element(x.begin(), x.end());
                     });
                 return std::abs(greatest({at[1]}));
               }));
  expect_equal(compute(ts::cumulative_sum(a.array, ts::axis<1>) - a.array * row.array, spec),
               reference::make(a.values.shape, [&](const position& at) {
                 double sum = 0;
                 for (index_t k = 0; k <= at[1]; ++k) sum += a.values({at[0], k});
                 return sum - a.values(at) * row.values({at[1]});
               }));
}

}  // namespace
