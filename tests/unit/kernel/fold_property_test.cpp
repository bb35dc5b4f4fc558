// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"

#include "unit/kernel/run_fold.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tessera {
namespace {

using testing::buffer;
using testing::fold_states;

/// Elements spread over many magnitudes around `offset`.
std::vector<double> random_values(std::uint64_t seed, std::size_t size, double offset,
                                  double spread) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) {
    values.push_back(offset + normal(random) * std::exp(spread * normal(random)));
  }
  return values;
}

/// Folds `x` along a random tree: parts by strips or by elements, merged in random order.
template <class Output, class T>
Output fold_in_parts(const fold_kernel& kernel, const std::vector<T>& x, std::uint64_t seed,
                     const kernel_parameters& parameters = {}) {
  std::mt19937_64 random(seed);
  buffer<T> in(x);
  std::vector<fold_states> states;
  std::size_t begin = 0;
  while (begin < x.size()) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 400, x.size() - begin);
    if (states.empty() || random() % 3 == 0) states.emplace_back(kernel, 1);
    fold_states& state = states[random() % states.size()];
    const std::byte* const part = in.bytes() + begin * sizeof(T);
    if (random() % 2 == 0) {
      state.take_all(part, static_cast<index_t>(size));
    } else {
      for (std::size_t i = 0; i < size; ++i) state.take_each(part + i * sizeof(T));
    }
    begin += size;
  }
  if (states.empty()) states.emplace_back(kernel, 1);
  std::shuffle(states.begin(), states.end(), random);
  while (states.size() > 1) {
    states[random() % (states.size() - 1)].merge(states.back());
    states.pop_back();
  }
  return states[0].finish<Output>(parameters)[0];
}

/// Returns the sum rounded once: exact to far below the last place of a double.
long double reference_sum(const std::vector<double>& x) {
  long double sum = 0;
  long double error = 0;
  for (const double value : x) {
    const long double next = sum + value;
    const long double added = next - sum;
    error += (sum - (next - added)) + (value - added);
    sum = next;
  }
  return sum + error;
}

long double reference_squares(const std::vector<double>& x) {
  const long double mean = reference_sum(x) / static_cast<long double>(x.size());
  long double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  return squares;
}

double one_unit(double value) {
  return std::nextafter(std::fabs(value), INFINITY) - std::fabs(value);
}

long double magnitude_of(const std::vector<double>& x) {
  long double magnitude = 0;
  for (const double value : x) magnitude += std::fabs(value);
  return magnitude;
}

RC_GTEST_PROP(FoldProperty, SumsOfFloat64RoundNoMoreThanOneStripDoesHoweverTheyAreSplit,
              (std::uint64_t seed)) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 5000);
  const auto x = random_values(seed, size, 0.0, 8.0);
  // At most 13 additions in a lane of a strip of 400, 5 of lanes; each is off by half a place.
  const auto rounded = static_cast<double>(18 * 0x1p-53L * magnitude_of(x));
  const auto expected = static_cast<double>(reference_sum(x));
  const double sum = fold_in_parts<double>(op::sum::kernel<double>(), x, seed);
  RC_ASSERT(std::fabs(sum - expected) <= one_unit(expected) + rounded);
  const auto count = static_cast<double>(size);
  const double mean = fold_in_parts<double>(op::mean::kernel<double>(), x, seed);
  RC_ASSERT(std::fabs(mean - expected / count) <= 2 * one_unit(mean) + rounded / count);
}

RC_GTEST_PROP(FoldProperty, SumsOfFloat32AreRightToTheLastPlaceHoweverTheyAreSplit,
              (std::uint64_t seed)) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 5000);
  std::vector<float> x;
  std::vector<double> wide;
  for (const double value : random_values(seed, size, 1.0, 2.0)) {
    x.push_back(static_cast<float>(value));
    wide.push_back(static_cast<double>(x.back()));
  }
  const long double exact = reference_sum(wide);
  const float sum = fold_in_parts<float>(op::sum::kernel<float>(), x, seed);
  // Half a place for the result, and the rounding of the float64 sums under cancellation.
  const auto position =
      static_cast<long double>(std::nextafter(std::fabs(sum), INFINITY) - std::fabs(sum));
  RC_ASSERT(std::fabs(static_cast<long double>(sum) - exact) <=
            0.51L * position + 1e-13L * magnitude_of(wide));
}

RC_GTEST_PROP(FoldProperty, VariancesAreRightFarFromZeroHoweverTheyAreSplit, (std::uint64_t seed)) {
  const auto size = *rc::gen::inRange<std::size_t>(2, 5000);
  const double offset = *rc::gen::element(0.0, 1.0, -1e5, 1e9);
  const auto x = random_values(seed, size, offset, 0.0);
  const long double squares = reference_squares(x);
  const double variance =
      fold_in_parts<double>(op::var::kernel<double>(), x, seed, op::var{1}.parameters());
  const auto expected = static_cast<double>(squares / static_cast<long double>(size - 1));
  // Rounding of the running mean moves each distance by a few units in the last place of `offset`.
  const double tolerance = 1e-13 + 4 * one_unit(offset) / std::sqrt(expected);
  RC_ASSERT(std::fabs(variance - expected) <= expected * tolerance);
  const double deviation =
      fold_in_parts<double>(op::stddev::kernel<double>(), x, seed, op::var{1}.parameters());
  RC_ASSERT(std::fabs(deviation - std::sqrt(expected)) <= std::sqrt(expected) * tolerance);
}

RC_GTEST_PROP(FoldProperty, IntegersAreExactHoweverTheyAreSplit,
              (std::vector<std::int16_t> x, std::uint64_t seed)) {
  std::int64_t sum = 0;
  std::uint64_t product = 1;
  for (const std::int16_t value : x) {
    sum += value;
    product *= static_cast<std::uint64_t>(value);
  }
  RC_ASSERT(fold_in_parts<std::int64_t>(op::sum::kernel<std::int16_t>(), x, seed) == sum);
  RC_ASSERT(fold_in_parts<std::int64_t>(op::prod::kernel<std::int16_t>(), x, seed) ==
            static_cast<std::int64_t>(product));
  const bool expected_any = std::any_of(x.begin(), x.end(), [](auto value) { return value != 0; });
  const bool expected_all = std::all_of(x.begin(), x.end(), [](auto value) { return value != 0; });
  RC_ASSERT(fold_in_parts<bool>(op::any::kernel<std::int16_t>(), x, seed) == expected_any);
  RC_ASSERT(fold_in_parts<bool>(op::all::kernel<std::int16_t>(), x, seed) == expected_all);
  RC_PRE(!x.empty());
  RC_ASSERT(fold_in_parts<std::int16_t>(op::min::kernel<std::int16_t>(), x, seed) ==
            *std::min_element(x.begin(), x.end()));
  RC_ASSERT(fold_in_parts<std::int16_t>(op::max::kernel<std::int16_t>(), x, seed) ==
            *std::max_element(x.begin(), x.end()));
}

/// Expects that folding rows into states gives the same as folding each column alone.
template <class Output, class T>
void expect_each_folds_columns(const fold_kernel& kernel, std::uint64_t seed, std::size_t rows,
                               std::size_t columns) {
  const auto values = random_values(seed, rows * columns, 3.0, 0.0);
  buffer<T> in(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) in.data()[i] = static_cast<T>(values[i]);
  fold_states states(kernel, static_cast<index_t>(columns));
  for (std::size_t row = 0; row < rows; ++row) {
    states.take_each(in.bytes() + row * columns * sizeof(T));
  }
  const auto folded = states.finish<Output>();
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<T> x;
    for (std::size_t row = 0; row < rows; ++row) x.push_back(in.data()[row * columns + column]);
    const auto expected = static_cast<double>(testing::fold_all<Output>(kernel, x));
    RC_ASSERT(std::fabs(static_cast<double>(folded[column]) - expected) <=
              1e-6 * std::fabs(expected));
  }
}

RC_GTEST_PROP(FoldProperty, StatesOfNeighboursDoNotTouch, (std::uint64_t seed)) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 40);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 70);
  expect_each_folds_columns<double, double>(op::sum::kernel<double>(), seed, rows, columns);
  expect_each_folds_columns<float, float>(op::mean::kernel<float>(), seed, rows, columns);
  expect_each_folds_columns<float, float>(op::stddev::kernel<float>(), seed, rows, columns);
  expect_each_folds_columns<double, int>(op::var::kernel<int>(), seed, rows, columns);
  expect_each_folds_columns<float, float>(op::max::kernel<float>(), seed, rows, columns);
  expect_each_folds_columns<std::int64_t, int>(op::prod::kernel<int>(), seed, rows, columns);
  expect_each_folds_columns<bool, int>(op::any::kernel<int>(), seed, rows, columns);
}

}  // namespace
}  // namespace tessera
