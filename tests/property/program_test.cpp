// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs on random arrays: whatever the chunks, the places, the passes and the executor,
/// a program computes what plain loops compute. Elements are small integers, so sums are exact.

#include "tessera/plan/planned.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "property/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <string>
#include <variant>
#include <vector>

namespace {

namespace ts = tessera;
using reference::dense;
using reference::position;
using ts::index_t;

index_t pick(index_t low, index_t high) { return *rc::gen::inRange<index_t>(low, high + 1); }

ts::spec pick_spec() {
  ts::spec spec;
  spec.work_dir = ::testing::TempDir() + "tessera-property";
  spec.intermediate_compressor = *rc::gen::element<std::string>("none", "lz4");
  return spec;
}

ts::run_with pick_run() {
  const int which = *rc::gen::inRange(0, 3);
  if (which == 0) return {.executor = ts::executors::serial()};
  if (which == 1) return {.executor = ts::executors::threads(3)};
  return {};
}

ts::pass_switches pick_passes() {
  return {.cull = *rc::gen::arbitrary<bool>(),
          .share = *rc::gen::arbitrary<bool>(),
          .fuse_producers = *rc::gen::arbitrary<bool>(),
          .fuse_siblings = *rc::gen::arbitrary<bool>(),
          .split_folds = *rc::gen::arbitrary<bool>(),
          .size_blocks = *rc::gen::arbitrary<bool>(),
          .memory_tier = *rc::gen::arbitrary<bool>()};
}

template <std::size_t N>
std::array<index_t, N> pick_extents(index_t least, index_t most) {
  std::array<index_t, N> extents{};
  for (index_t& extent : extents) extent = pick(least, most);
  return extents;
}

dense pick_values(const std::vector<index_t>& shape) {
  return reference::make(shape, [](const position&) { return static_cast<double>(pick(-9, 9)); });
}

/// An array in both worlds.
template <std::size_t N>
struct sample {
  dense values;
  ts::array<double, N> array;
};

/// Puts values into memory or into a store, in random chunks.
template <std::size_t N>
sample<N> place(dense values, const ts::spec& spec) {
  std::array<index_t, N> shape{};
  std::copy(values.shape.begin(), values.shape.end(), shape.begin());
  std::array<index_t, N> chunks{};
  for (std::size_t axis = 0; axis < N; ++axis) chunks[axis] = pick(1, shape[axis] + 1);
  const ts::ndarray<double, N> elements(shape, values.values);
  auto in_memory = ts::asarray(elements, {.chunks = chunks, .spec = spec});
  if (*rc::gen::arbitrary<bool>()) return {std::move(values), in_memory};
  auto store = std::make_shared<ts::memory_store>();
  ts::store_options options;
  if (*rc::gen::arbitrary<bool>()) options.compressor = ts::codec::none{};
  const auto plan = ts::plan(ts::stored(in_memory, store, "x", options), pick_run());
  (void)plan.compute();
  return {std::move(values), ts::open<double, N>(store, "x", spec)};
}

template <std::size_t N>
sample<N> pick_sample(const std::array<index_t, N>& shape, const ts::spec& spec) {
  return place<N>(pick_values({shape.begin(), shape.end()}), spec);
}

/// Computes an expression under random passes, into memory or through a store in random chunks.
template <class E>
auto compute(const E& e, const ts::spec& spec) {
  constexpr std::size_t rank = E::rank;
  if (*rc::gen::arbitrary<bool>()) return ts::plan(pick_passes(), pick_run(), e).compute();
  const auto shape = e.shape();
  std::array<index_t, rank> chunks{};
  for (std::size_t axis = 0; axis < rank; ++axis) chunks[axis] = pick(1, shape[axis] + 1);
  auto store = std::make_shared<ts::memory_store>();
  const auto plan =
      ts::plan(pick_passes(), pick_run(), ts::stored(e, store, "y", {.chunks = chunks}));
  (void)plan.compute();
  return ts::open<typename E::value_type, rank>(store, "y", spec).compute(pick_run());
}

template <class Result>
void expect_equal(const Result& computed, const dense& expected) {
  RC_ASSERT(std::vector<index_t>(computed.shape().begin(), computed.shape().end()) ==
            expected.shape);
  std::size_t i = 0;
  for (const auto value : computed.span()) {
    const double wanted = expected.values[i++];
    const auto found = static_cast<double>(value);
    RC_ASSERT(found == wanted || (std::isnan(found) && std::isnan(wanted)) ||
              std::abs(found - wanted) <= 1e-12 * (1 + std::abs(wanted)));
  }
}

double sum_of(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

double mean_of(const std::vector<double>& x) { return sum_of(x) / static_cast<double>(x.size()); }

double var_of(const std::vector<double>& x) {
  // In long double: what is checked is more exact than a plain sum of doubles.
  const long double mean = static_cast<long double>(sum_of(x)) / static_cast<long double>(x.size());
  long double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return static_cast<double>(sum / static_cast<long double>(x.size()));
}

RC_GTEST_PROP(Program, ElementwiseBroadcastsAsNumPyDoes, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto b =
      pick_sample<3>({pick(0, 1) ? shape[0] : 1, shape[1], pick(0, 1) ? shape[2] : 1}, spec);
  const auto w = pick_sample<1>({shape[2]}, spec);
  const auto expected = reference::make(a.values.shape, [&](const position& at) {
    const position in_b{b.values.shape[0] == 1 ? 0 : at[0], at[1],
                        b.values.shape[2] == 1 ? 0 : at[2]};
    return a.values(at) * b.values(in_b) + w.values({at[2]}) - 2 * a.values(at);
  });
  expect_equal(compute(a.array * b.array + w.array - 2.0 * a.array, spec), expected);
}

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

/// Python's slice of an axis: the indices that it selects.
std::vector<index_t> selected(index_t extent, index_t start, index_t stop, index_t step) {
  std::vector<index_t> indices;
  for (index_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (i >= 0 && i < extent) indices.push_back(i);
  }
  return indices;
}

RC_GTEST_PROP(Program, SlicesSelectAsPythonDoes, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 11);
  const auto a = pick_sample(shape, spec);
  const index_t start = pick(0, shape[0] - 1);
  const index_t stop = pick(start, shape[0]);
  const index_t step = pick(1, 3);
  const index_t back = pick(1, 3);
  const index_t at1 = pick(0, shape[1] - 1);
  const auto rows = selected(shape[0], start, stop, step);
  const auto columns = selected(shape[2], shape[2] - 1, -1, -back);
  const auto expected =
      reference::make({static_cast<index_t>(rows.size()), static_cast<index_t>(columns.size())},
                      [&](const position& at) {
                        return a.values({rows[static_cast<std::size_t>(at[0])], at1,
                                         columns[static_cast<std::size_t>(at[1])]});
                      });
  const auto view =
      a.array(ts::slice(start, stop, step), at1, ts::slice(ts::none, ts::none, -back));
  expect_equal(compute(view, spec), expected);
  expect_equal(compute(view + view, spec), reference::make(expected.shape, [&](const position& at) {
                 return 2 * expected(at);
               }));
}

RC_GTEST_PROP(Program, PermutedAndSlicedOperandsFuse, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(2, 9);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample<3>({shape[2], shape[0], shape[1]}, spec);
  const auto sum = ts::permute_dims(a.array + 1.0, ts::axis<2, 0, 1>) * b.array;
  const auto difference = sum(ts::slice(1, ts::none)) - sum(ts::slice(ts::none, -1));
  const auto value = [&](index_t i, index_t j, index_t k) {
    return (a.values({j, k, i}) + 1) * b.values({i, j, k});
  };
  const auto expected =
      reference::make({shape[2] - 1, shape[0], shape[1]}, [&](const position& at) {
        return value(at[0] + 1, at[1], at[2]) - value(at[0], at[1], at[2]);
      });
  expect_equal(compute(difference, spec), expected);
}

RC_GTEST_PROP(Program, MatmulContractsWhateverTheChunks, ()) {
  const ts::spec spec = pick_spec();
  const auto n = pick_extents<3>(1, 40);
  const auto a = pick_sample<2>({n[0], n[1]}, spec);
  const auto b = pick_sample<2>({n[2], n[1]}, spec);
  const auto expected = reference::make({n[0], n[2]}, [&](const position& at) {
    double sum = 0;
    for (index_t k = 0; k < n[1]; ++k) sum += 2 * a.values({at[0], k}) * b.values({at[1], k});
    return sum;
  });
  expect_equal(compute(ts::matmul(a.array * 2.0, ts::permute_dims(b.array, ts::axis<1, 0>)), spec),
               expected);
}

RC_GTEST_PROP(Program, ConcatAndStackAssemble, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample<2>({pick(1, 9), shape[1]}, spec);
  const auto joined = ts::concat(std::tuple(a.array, b.array * 3.0, a.array), ts::axis<0>);
  const auto expected =
      reference::make({2 * shape[0] + b.values.shape[0], shape[1]}, [&](const position& at) {
        if (at[0] < shape[0]) return a.values(at);
        if (at[0] < shape[0] + b.values.shape[0]) return 3 * b.values({at[0] - shape[0], at[1]});
        return a.values({at[0] - shape[0] - b.values.shape[0], at[1]});
      });
  expect_equal(compute(joined, spec), expected);
  const auto c = pick_sample(shape, spec);
  expect_equal(compute(ts::stack(std::tuple(a.array, c.array), ts::axis<1>) + 1.0, spec),
               reference::make({shape[0], 2, shape[1]}, [&](const position& at) {
                 return (at[1] == 0 ? a : c).values({at[0], at[2]}) + 1;
               }));
}

RC_GTEST_PROP(Program, RechunkKeepsValues, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 30);
  const auto a = pick_sample(shape, spec);
  std::array<index_t, 2> chunks{pick(1, shape[0] + 3), pick(1, shape[1] + 3)};
  expect_equal(compute(ts::rechunk(a.array, chunks), spec), a.values);
  expect_equal(compute(ts::sum(ts::rechunk(a.array * 2.0, chunks), ts::axis<1>), spec),
               reference::fold(a.values, {false, true},
                               [](const std::vector<double>& x) { return 2 * sum_of(x); }));
}

RC_GTEST_PROP(Program, SeveralResultsShareWhatTheyHaveInCommon, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 15);
  const auto u = pick_sample(shape, spec);
  const auto v = pick_sample(shape, spec);
  ts::array<double, 2> x = u.array;
  const index_t rounds = pick(0, 4);
  for (index_t i = 0; i < rounds; ++i) x = x * 2.0 + v.array;
  const auto plan = ts::plan(pick_passes(), pick_run(), ts::mean(u.array * v.array, ts::axis<0>),
                             ts::mean(u.array * u.array, ts::axis<0>), x,
                             u.array - ts::mean(u.array, ts::axis<0>, ts::keepdims), x + x);
  const auto [uv, uu, loop, anomaly, twice] = plan.compute();
  const dense looped = reference::make(u.values.shape, [&](const position& at) {
    double value = u.values(at);
    for (index_t i = 0; i < rounds; ++i) value = value * 2 + v.values(at);
    return value;
  });
  const auto mean_rows = [&](const dense& x_, const dense& y) {
    return reference::fold(
        reference::make(x_.shape, [&](const position& at) { return x_(at) * y(at); }),
        {true, false}, mean_of);
  };
  expect_equal(uv, mean_rows(u.values, v.values));
  expect_equal(uu, mean_rows(u.values, u.values));
  expect_equal(loop, looped);
  expect_equal(twice,
               reference::make(looped.shape, [&](const position& at) { return 2 * looped(at); }));
  const dense mean = reference::fold(u.values, {true, false}, mean_of);
  expect_equal(anomaly, reference::make(u.values.shape, [&](const position& at) {
                 return u.values(at) - mean({at[1]});
               }));
}

/// Tells whether a plan writes anything between its tasks to storage.
bool stores_intermediates(const ts::bounded_plan& plan) {
  const ts::bounded_plan::implementation& inside = plan.inside();
  for (std::size_t i = 0; i < inside.arrays.size(); ++i) {
    const auto* place = std::get_if<ts::stored_place>(&inside.arrays[i].place);
    const bool is_result = std::ranges::find(inside.outputs, i) != inside.outputs.end();
    if (place != nullptr && place->is_intermediate && !is_result) return true;
  }
  return false;
}

// A program that is allowed what its tasks need, and no more, has no memory for intermediates.
TEST(TightMemory, PutsIntermediatesIntoStorageAndChangesNoValues) {
  int num_plans = 0;
  int num_with_stored = 0;
  const bool holds = rc::check([&] {
    ts::spec spec = pick_spec();
    const auto shape = pick_extents<2>(2, 12);
    const dense values = pick_values({shape[0], shape[1]});
    const ts::ndarray<double, 2> elements(shape, values.values);
    const std::array<index_t, 2> chunks{pick(1, shape[0]), pick(1, shape[1])};
    const std::array<index_t, 2> others{pick(1, shape[0]), pick(1, shape[1])};
    const ts::pass_switches passes = pick_passes();
    const ts::run_with how = pick_run();
    const auto planned = [&](bool has_memory_tier) {
      const auto a = ts::asarray(elements, {.chunks = chunks, .spec = spec});
      const auto b = ts::rechunk(a * 2.0, others);
      auto wanted = passes;
      wanted.memory_tier = has_memory_tier;
      return ts::plan(wanted, how, ts::matmul(ts::matrix_transpose(b), b + 1.0),
                      b - ts::max(b, ts::axis<0>, ts::keepdims));
    };
    spec.allowed_memory = planned(false).projected_memory();
    const auto plan = planned(true);
    ++num_plans;
    num_with_stored += stores_intermediates(plan.bounded()) ? 1 : 0;
    const auto [product, below] = plan.compute();
    expect_equal(product, reference::make({shape[1], shape[1]}, [&](const position& at) {
                   double sum = 0;
                   for (index_t k = 0; k < shape[0]; ++k) {
                     sum += 2 * values({k, at[0]}) * (2 * values({k, at[1]}) + 1);
                   }
                   return sum;
                 }));
    const dense most = reference::fold(values, {true, false}, [](const std::vector<double>& x) {
      return *std::max_element(x.begin(), x.end());
    });
    expect_equal(below, reference::make(values.shape, [&](const position& at) {
                   return 2 * values(at) - 2 * most({at[1]});
                 }));
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(10 * num_with_stored, num_plans);
}

RC_GTEST_PROP(Program, ZeroExtentsWorkEverywhere, ()) {
  const ts::spec spec = pick_spec();
  auto shape = pick_extents<2>(1, 5);
  shape[static_cast<std::size_t>(pick(0, 1))] = 0;
  const auto a = pick_sample(shape, spec);
  expect_equal(compute(a.array + 1.0, spec), a.values);
  expect_equal(compute(ts::sum(a.array, ts::axis<0>), spec),
               reference::fold(a.values, {true, false}, sum_of));
  expect_equal(compute(ts::sum(a.array), spec), dense{{}, {0.0}});
  expect_equal(compute(ts::matmul(ts::permute_dims(a.array, ts::axis<1, 0>), a.array), spec),
               reference::make({shape[1], shape[1]}, [](const position&) { return 0.0; }));
}

}  // namespace
