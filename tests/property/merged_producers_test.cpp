// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs of products, transforms, sorted lines, gathers, scans and folds of stored
/// arrays: producers that are merged into the steps of their readers leave all bits as they are,
/// and tasks within the memory.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace samples;

using matrix = ts::array<double, 2>;

/// Returns a random number of rows of equal lengths that `count` elements are.
index_t pick_rows_of(index_t count) {
  index_t rows = pick(1, count);
  while (count % rows != 0) ++rows;
  return rows;
}

/// Random programs of square matrices.
class programs {
 public:
  /// Products and transforms take several MB: libraries have buffers of their own.
  programs(ts::spec limits, bool has_libraries)
      : limits_(std::move(limits)), has_libraries_(has_libraries) {
    const index_t count = pick(1, 3);
    for (index_t i = 0; i < count; ++i) add_stored("x" + std::to_string(i));
  }

  /// Returns a fold of a random function of the arrays.
  matrix next() {
    const index_t num_steps = pick(1, 5);
    for (index_t i = 0; i < num_steps; ++i) arrays_.push_back(step(recent(), recent()));
    return fold(arrays_.back());
  }

  /// Returns a product of integers. Its bits do not depend on blocks, in any plan.
  static matrix product(const matrix& x, const matrix& y) {
    const auto integers = [](const matrix& a) { return ts::round(ts::clip(a * 4.0, -99.0, 99.0)); };
    return ts::matmul(integers(x), ts::matrix_transpose(integers(y))) / 16.0;
  }

 private:
  void add_stored(const std::string& name) {
    const std::array<index_t, 2> chunks = pick_extents<2>(1, extent_);
    const auto values = pick_values({extent_, extent_});
    const ts::ndarray<double, 2> elements({extent_, extent_}, values.values);
    const auto scaled = ts::asarray(elements) / 7.0;
    (void)ts::plan(ts::stored(scaled, store_, name, {.chunks = chunks})).compute();
    arrays_.push_back(ts::open<double, 2>(store_, name, limits_));
  }

  /// The last ones are taken more often, so that programs get deep.
  matrix recent() {
    const auto count = static_cast<index_t>(arrays_.size());
    return arrays_[static_cast<std::size_t>(std::max(pick(0, count - 1), pick(0, count - 1)))];
  }

  matrix step(const matrix& x, const matrix& y) const {
    switch (pick(has_libraries_ ? 1 : 4, 13)) {
      case 1:
        return product(x, y);
      case 2:
        return ts::abs(ts::fft(x, ts::axis<0>)) / 8.0;
      case 3:
        return ts::real(ts::fft(x, ts::axis<1>)) / 8.0;
      case 4:
        return ts::sort(x);
      case 5:
        return ts::sort(x, ts::axis<0>);
      case 6:
        return ts::take(x, pick_rows(), ts::axis<0>);
      case 7:
        return ts::take(x, pick_rows(), ts::axis<1>);
      case 8:
        return ts::cumulative_sum(x, ts::axis<1>);
      case 9:
      case 10:
        return smooth<0>(x);
      case 11:
      case 12:
        return smooth<1>(x);
      default:
        return x - ts::mean(y, ts::axis<1>, ts::keepdims);
    }
  }

  /// Returns sums of windows of `x` along an axis, with a border of any kind.
  template <int Axis>
  [[nodiscard]] matrix smooth(const matrix& x) const {
    const index_t most = std::min<index_t>(3, extent_ - 1);
    const index_t before = pick(0, most);
    const index_t after = pick(0, most);
    index_t widths[2][2] = {};
    widths[Axis][0] = before;
    widths[Axis][1] = after;
    std::vector<double> weights;
    for (index_t k = 0; k < before + after + 1; ++k) {
      weights.push_back(static_cast<double>(pick(1, 9)) / 7.0);
    }
    const auto padded = ts::pad(x, widths, static_cast<ts::boundary>(pick(0, 4)));
    return ts::correlate(padded, weights, ts::axis<Axis>);
  }

  [[nodiscard]] ts::array<std::int64_t, 1> pick_rows() const {
    std::vector<std::int64_t> rows;
    for (index_t i = 0; i < extent_; ++i) rows.push_back(pick(0, extent_ - 1));
    return ts::asarray(rows);
  }

  /// Returns the elements of `x` in rows of another length.
  static matrix reshaped(const matrix& x) {
    const index_t count = x.shape()[0] * x.shape()[1];
    const index_t rows = pick_rows_of(count);
    return ts::reshape(x, {rows, count / rows});
  }

  static matrix fold(const matrix& x) {
    switch (pick(0, 6)) {
      case 0:
        return ts::sum(x, ts::axis<1>, ts::keepdims);
      case 1:
        return ts::mean(ts::square(x), ts::axis<0>, ts::keepdims);
      case 2:
        return ts::max(x, ts::axis<1>, ts::keepdims);
      case 3:
        return ts::var(x, ts::axis<0>, ts::keepdims);
      case 4:
        return ts::max(reshaped(x), ts::axis<1>, ts::keepdims);
      case 5:
        return ts::mean(reshaped(x), ts::axis<1>, ts::keepdims);
      default:
        return ts::cumulative_sum(x, ts::axis<0>);
    }
  }

  index_t extent_ = pick(2, 24);
  ts::spec limits_;
  bool has_libraries_;
  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
  std::vector<matrix> arrays_;
};

// A product loops over steps of its own in each step of its reader: the gathered rows stay in
// memory until the last one. Each factor is -5, and there are 11 products: (25 * 11 / 16)^2.
TEST(MergedProducers, KeepTheirOperandsWhileTheyLoop) {
  constexpr index_t extent = 11;
  const ts::testing::temporary_directory work_dir;
  ts::spec limits;
  limits.work_dir = work_dir.path().string();
  limits.costs.read_bandwidth = limits.costs.write_bandwidth = ts::bytes{1'000'000};
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::plan(ts::stored(ts::full({extent, extent}, -9.0) / 7.0, store, "x",
                            {.chunks = std::array<index_t, 2>{4, 1}}))
      .compute();
  const matrix x = ts::open<double, 2>(store, "x", limits);
  const std::vector<std::int64_t> rows(extent, 0);
  const matrix gathered = ts::take(x, ts::asarray(rows), ts::axis<1>);
  const auto squares = ts::square(programs::product(gathered, x));
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, ts::run_with{},
                      matrix(ts::mean(squares, ts::axis<0>, ts::keepdims)));
  const auto values = plan.compute();
  for (const double value : values.span()) EXPECT_EQ(value, 17.1875 * 17.1875);
}

/// Returns limits of memory that are ample, or tight for programs without libraries.
ts::spec pick_limits(bool is_ample) {
  ts::spec limits = pick_spec();
  limits.reserved_memory = ts::bytes{0};
  const index_t tight = pick(10'000, 100'000);
  limits.allowed_memory = ts::bytes{static_cast<std::uint64_t>(is_ample ? 300'000'000 : tight)};
  limits.costs.read_bandwidth = limits.costs.write_bandwidth = ts::bytes{1'000'000};
  return limits;
}

/// Returns the plan of `program`, or nullopt if none keeps to the memory.
std::optional<ts::plan<matrix>> plan_of(const matrix& program, ts::pass_switches passes) {
  try {
    return ts::plan(passes, pick_run(), program);
  } catch (const ts::memory_error&) {
    return std::nullopt;
  }
}

RC_GTEST_PROP(MergedProducers, LeaveTheBitsAndKeepToTheMemory, ()) {
  const bool is_ample = *rc::gen::arbitrary<bool>();
  const ts::spec limits = pick_limits(is_ample);
  const matrix program = programs(limits, is_ample).next();
  ts::pass_switches passes{.memory_tier = *rc::gen::arbitrary<bool>()};
  const auto merged = plan_of(program, passes);
  passes.fuse_epilogues = false;
  const auto apart = plan_of(program, passes);
  RC_ASSERT(merged.has_value() || !apart.has_value());
  if (!apart) return;
  RC_ASSERT(merged->projected_memory() <= limits.allowed_memory);
  const bool is_merged = merged->num_operations() < apart->num_operations();
  RC_CLASSIFY(is_merged);
  const auto expected = apart->compute();
  const auto values = merged->compute();
  RC_ASSERT(values.shape() == expected.shape());
  RC_ASSERT(std::memcmp(values.data(), expected.data(), expected.span().size_bytes()) == 0);
}

using cube = ts::array<double, 3>;

/// Returns sorted lines, planes or sums of `x`, or gathered elements of it.
cube pick_producer(const cube& x) {
  switch (pick(1, 5)) {
    case 1:
      return ts::sort(x, ts::axis<1>);
    case 2:
      return ts::sort(x);
    case 3:
      return ts::sort(ts::sort(x, ts::axis<1>));
    case 4:
      return ts::cumulative_sum(x, ts::axis<2>);
    default:
      std::vector<std::int64_t> positions;
      for (index_t i = pick(1, 6); i > 0; --i) positions.push_back(pick(0, x.shape()[1] - 1));
      return ts::take(x, ts::asarray(positions), ts::axis<1>);
  }
}

/// Expects the elements, the greatest element, its position and the sum of each row of `lines`.
/// The elements of `y`, which have been computed apart, are the rows in row-major order.
void expect_lines(const ts::pass_switches& passes, const matrix& lines,
                  const ts::ndarray<double, 3>& y) {
  const auto [rows, columns] = lines.shape();
  const auto twice = ts::plan(passes, pick_run(), lines + lines).compute();
  const auto most = ts::plan(passes, pick_run(), ts::max(lines, ts::axis<1>)).compute();
  const auto first = ts::plan(passes, pick_run(), ts::argmax(lines, ts::axis<1>)).compute();
  const auto sums =
      ts::plan(passes, pick_run(), ts::sum(lines(ts::whole, ts::slice(1, ts::none)), ts::axis<1>))
          .compute();
  for (index_t i = 0; i < rows; ++i) {
    const double* const row = y.data() + i * columns;
    const double* const greatest = std::max_element(row, row + columns);
    for (index_t j = 0; j < columns; ++j) RC_ASSERT(twice(i, j) == 2 * row[j]);
    RC_ASSERT(most(i) == *greatest);
    RC_ASSERT(first(i) == greatest - row);
    RC_ASSERT(sums(i) == std::accumulate(row + 1, row + columns, 0.0));
  }
}

// Elements are small integers: sums are exact. Shapes may cut rows and columns of the producer.
RC_GTEST_PROP(MergedProducers, AreSeenInAnotherShape, ()) {
  const ts::spec limits = pick_limits(true);
  const cube y = pick_producer(pick_sample(pick_extents<3>(1, 6), limits).array);
  const index_t count = y.shape()[0] * y.shape()[1] * y.shape()[2];
  const index_t rows = pick_rows_of(count);
  const matrix lines = ts::reshape(y, {rows, count / rows});
  const ts::pass_switches passes{.memory_tier = *rc::gen::arbitrary<bool>()};
  const ts::pass_switches apart{.fuse_epilogues = false, .memory_tier = passes.memory_tier};
  const auto most = ts::max(lines, ts::axis<1>);
  RC_CLASSIFY(ts::plan(passes, most).num_operations() < ts::plan(apart, most).num_operations());
  expect_lines(passes, lines, y.compute());
}

}  // namespace
