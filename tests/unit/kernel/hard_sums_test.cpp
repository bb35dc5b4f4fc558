// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/moments.hpp"
#include "tessera/function/shape_moments.hpp"
#include "tessera/function/sums.hpp"

#include "unit/kernel/run_fold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::buffer;
using testing::fold_states;

// Sums of float64 are at least as accurate as NumPy's pairwise sums.

/// A sequence of numbers, and its name.
struct sequence {
  std::string name;
  index_t length;
  double (*element)(index_t);
};

double alternating(index_t i) { return (i % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(i + 1); }
double growing(index_t i) { return std::exp(static_cast<double>(i) * 1e-5); }
double shrinking(index_t i) {
  return 1 / (static_cast<double>(i + 1) * static_cast<double>(i + 1));
}
double equal(index_t /*i*/) { return 0.1; }
double great_mean(index_t i) { return 1e9 + std::sin(static_cast<double>(i)); }
double cancelling(index_t i) { return std::sin(static_cast<double>(i) * 0.37) * 1e6; }

const std::vector<sequence>& sequences() {
  static const std::vector<sequence> all{
      {"alternating", 1'000'003, &alternating}, {"growing", 1'000'000, &growing},
      {"shrinking", 1'000'001, &shrinking},     {"equal", 1'000'000, &equal},
      {"great mean", 999'999, &great_mean},     {"cancelling", 1'000'002, &cancelling}};
  return all;
}

/// Returns the sum of elements of `x` as NumPy adds them: in blocks of at most 128 elements with
/// eight accumulators, blocks in pairs.
///
/// Source: `pairwise_sum` in NumPy's `loops_utils.h.src`.
double pairwise_sum(const sequence& x, index_t first, index_t size) {
  if (size > 128) {
    const index_t half = size / 2 - size / 2 % 8;
    return pairwise_sum(x, first, half) + pairwise_sum(x, first + half, size - half);
  }
  double sums[8];
  for (index_t k = 0; k < 8; ++k) sums[k] = x.element(first + k);
  index_t i = 8;
  for (; i + 8 <= size; i += 8) {
    for (index_t k = 0; k < 8; ++k) sums[k] += x.element(first + i + k);
  }
  double sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < size; ++i) sum += x.element(first + i);
  return sum;
}

/// Returns the sum with 11 more bits, compensated.
long double exact_sum(const sequence& x) {
  long double sum = 0;
  long double error = 0;
  for (index_t i = 0; i < x.length; ++i) {
    const long double element = x.element(i);
    const long double next = sum + element;
    error += std::fabs(sum) >= std::fabs(element) ? (sum - next) + element : (element - next) + sum;
    sum = next;
  }
  return sum + error;
}

/// Expects `sum` to be no farther from the exact sum than NumPy's. As NumPy's may be near by luck,
/// one rounding of the sum of magnitudes is allowed.
void expect_accurate(const sequence& x, double sum) {
  const long double exact = exact_sum(x);
  const auto error = [&](double rounded) {
    return static_cast<double>(std::fabs(rounded - exact));
  };
  double magnitudes = 0;
  for (index_t i = 0; i < x.length; ++i) magnitudes += std::fabs(x.element(i));
  EXPECT_LE(error(sum), std::max(error(pairwise_sum(x, 0, x.length)), magnitudes * 0x1p-53))
      << x.name;
}

TEST(HardSums, AreAsAccurateAsNumpysAlongStrips) {
  for (const sequence& x : sequences()) {
    std::vector<double> elements;
    for (index_t i = 0; i < x.length; ++i) elements.push_back(x.element(i));
    expect_accurate(x, testing::fold_all<double>(op::sum::kernel<double>(), elements));
  }
}

TEST(HardSums, AreAsAccurateAsNumpysAcrossStrips) {
  for (const sequence& x : sequences()) {
    std::vector<double> elements;
    for (index_t i = 0; i < x.length; ++i) elements.push_back(x.element(i));
    expect_accurate(x, testing::fold_each<double>(op::sum::kernel<double>(), elements));
  }
}

// Leaves of few elements, which a tree merges: their states hold all in the error.
TEST(HardSums, AreAsAccurateAsNumpysIfStatesAreMerged) {
  for (const sequence& x : sequences()) {
    fold_states total(op::sum::kernel<double>(), 1);
    for (index_t i = 0; i < x.length; i += 3) {
      fold_states leaf(op::sum::kernel<double>(), 1);
      for (index_t k = i; k < std::min(i + 3, x.length); ++k) {
        buffer<double> element(std::vector<double>{x.element(k)});
        leaf.take_each(element.bytes());
      }
      total.merge(leaf);
    }
    expect_accurate(x, total.finish<double>()[0]);
  }
}

TEST(HardSums, OfInfinitiesAreMerged) {
  buffer<double> infinite(std::vector<double>{INFINITY});
  buffer<double> finite(std::vector<double>{1.0});
  fold_states total(op::sum::kernel<double>(), 1);
  fold_states leaf(op::sum::kernel<double>(), 1);
  leaf.take_all(infinite.bytes(), 1);
  total.merge(leaf);
  fold_states more(op::sum::kernel<double>(), 1);
  more.take_each(finite.bytes());
  total.merge(more);
  EXPECT_EQ(total.finish<double>()[0], INFINITY);
}

/// Takes `elements` one by one.
void take(fold_states& state, const std::vector<double>& elements) {
  for (const double x : elements) state.take_each(buffer<double>(std::vector<double>{x}).bytes());
}

/// Returns the sum of all elements, if the ones of `before` and of `added` are merged.
double merged_sum(const std::vector<double>& before, const std::vector<double>& added) {
  fold_states total(op::sum::kernel<double>(), 1);
  fold_states state(op::sum::kernel<double>(), 1);
  take(total, before);
  take(state, added);
  total.merge(state);
  return total.finish<double>()[0];
}

/// Returns ones between `first` and `last`: more elements than a sum adds plainly.
std::vector<double> ones_between(double first, double last) {
  std::vector<double> elements(detail::plain_additions + 1, 1);
  elements.front() = first;
  elements.back() = last;
  return elements;
}

TEST(HardSums, KeepElementsThatAreNoNumbersInMerges) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> ones = ones_between(1, 1);
  EXPECT_TRUE(std::isnan(merged_sum(ones_between(infinity, nan), ones)));
  EXPECT_TRUE(std::isnan(merged_sum(ones_between(1, nan), ones_between(infinity, 1))));
  EXPECT_TRUE(std::isnan(merged_sum(ones_between(1, -infinity), ones_between(infinity, 1))));
  EXPECT_EQ(merged_sum(std::vector<double>(ones.size() + 2, infinity), ones), infinity);
}

/// Returns elements of `x` from `first` to `last`.
std::vector<double> elements_of(const sequence& x, index_t first, index_t last) {
  std::vector<double> elements;
  for (index_t i = first; i < last; ++i) elements.push_back(x.element(i));
  return elements;
}

/// Expects one result of two leaves, whether the second is merged as it is, as in one task, or both
/// are merged into identities first, as in a tree of tasks. The second has `length` elements.
void expect_merged_alike(const fold_kernel& kernel, const sequence& x, index_t length) {
  constexpr index_t boundary = 80;
  fold_states direct(kernel, 1);
  fold_states leaf(kernel, 1);
  fold_states stored(kernel, 1);
  fold_states total(kernel, 1);
  take(direct, elements_of(x, 0, boundary));
  take(leaf, elements_of(x, boundary, boundary + length));
  total.merge(direct);
  stored.merge(leaf);
  total.merge(stored);
  direct.merge(leaf);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(direct.finish<double>()[0]),
            std::bit_cast<std::uint64_t>(total.finish<double>()[0]))
      << kernel.name << " of " << x.name << ", " << length;
}

TEST(HardSums, HaveTheSameBitsIfLeavesAreMergedIntoIdentitiesFirst) {
  for (const fold_kernel* kernel :
       {&op::sum::kernel<double>(), &op::mean::kernel<double>(), &op::prod::kernel<double>(),
        &op::var::kernel<double>(), &op::skew::kernel<double>()}) {
    for (const sequence& x : sequences()) {
      for (const index_t length : {1, 2, 3, 5, 7, 15, 16, 17, 40}) {
        expect_merged_alike(*kernel, x, length);
      }
    }
  }
}

TEST(HardSums, OfAHundredMillionEqualNumbersAreAsAccurate) {
  buffer<double> in(std::vector<double>(max_strip, 0.1));
  fold_states state(op::sum::kernel<double>(), 1);
  const sequence numbers{"10^8 equal", 100'000'000 / max_strip * max_strip, &equal};
  for (index_t i = 0; i < numbers.length; i += max_strip) state.take_all(in.bytes(), max_strip);
  const long double exact = static_cast<long double>(numbers.length) * 0.1;
  EXPECT_LE(static_cast<double>(std::fabs(state.finish<double>()[0] - exact)),
            static_cast<double>(std::fabs(pairwise_sum(numbers, 0, numbers.length) - exact)));
}

}  // namespace
}  // namespace tessera
