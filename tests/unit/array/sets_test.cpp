// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/sets.hpp"

#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/support.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::temporary_directory;

constexpr index_t size = 150'000;

/// A spec of which triples of 24 bytes for all elements are far more than the memory.
spec little(const temporary_directory& folder) {
  return {.work_dir = (folder.path() / "work").string(), .allowed_memory = bytes{1'000'000}};
}

/// Returns numbers of which most are there once, some very often, with zeros of either sign and
/// NaN.
std::vector<double> many_values() {
  std::vector<double> values;
  std::mt19937 random(11);
  for (index_t i = 0; i < size; ++i) {
    const auto kind = random() % 100;
    values.push_back(kind == 0   ? std::numeric_limits<double>::quiet_NaN()
                     : kind == 1 ? -0.0
                     : kind == 2 ? 0.0
                     : kind < 20 ? static_cast<double>(random() % 7)
                                 : std::ldexp(static_cast<double>(random()), -20) - 1000);
  }
  return values;
}

array<double, 2> stored_in(const temporary_directory& folder, const std::vector<double>& values,
                           const spec& limits) {
  ndarray<double, 2> elements({3, size / 3});
  std::copy(values.begin(), values.end(), elements.data());
  const auto x = asarray(std::move(elements), {.chunks = {2, 3001}, .spec = limits});
  return store(x, (folder.path() / "x").string());
}

TEST(Sets, OfMoreValuesThanAreMergedAreFoundByOrder) {
  const temporary_directory folder;
  std::vector<double> values = many_values();
  const auto x = stored_in(folder, values, little(folder));
  const auto first_zero =
      std::find_if(values.begin(), values.end(), [](double value) { return value == 0; });
  const bool is_negative = std::signbit(*first_zero);
  const auto unique = unique_counts(x);
  const auto alone = unique_values(x);
  const auto num_nan =
      std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  index_t position = 0;
  for (auto run = values.begin(); run != values.end(); ++position) {
    const auto end = std::upper_bound(run, values.end(), *run);
    ASSERT_EQ(unique.values(position), *run);
    ASSERT_EQ(unique.counts(position), end - run);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(alone(position)),
              std::bit_cast<std::uint64_t>(unique.values(position)));
    if (*run == 0) {
      EXPECT_EQ(std::signbit(alone(position)), is_negative);
    }
    run = end;
  }
  ASSERT_GT(position, size / 2);
  ASSERT_EQ(unique.values.size(), position + num_nan);
  ASSERT_EQ(alone.size(), position + num_nan);
  for (; position < alone.size(); ++position) {
    ASSERT_TRUE(std::isnan(alone(position)));
    ASSERT_EQ(unique.counts(position), 1);
  }
}

TEST(Sets, FoundByOrderLeaveNothingBehind) {
  const temporary_directory folder;
  const auto x = stored_in(folder, many_values(), little(folder));
  EXPECT_GT(unique_values(x).size(), size / 2);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "work")) {
    EXPECT_NE(entry.path().filename(), "sorted");
  }
}

TEST(Sets, OfTwoArraysAndPlacesInThemComeOfValuesFoundByOrder) {
  const temporary_directory folder;
  const spec limits = little(folder);
  const auto x = arange<std::int32_t>(0, 100'000, 1, {.chunks = {5000}, .spec = limits});
  const auto unique = unique_inverse(remainder(x * 3, 100'000));
  EXPECT_EQ(unique.values.size(), 100'000);
  const auto inverse = unique.inverse_indices.compute();
  for (index_t i = 0; i < 100'000; i += 997) ASSERT_EQ(inverse(i), i * 3 % 100'000);
  const auto common = intersect1d(x, x + 99'990);
  test::expect_values(
      common, {10},
      {99'990, 99'991, 99'992, 99'993, 99'994, 99'995, 99'996, 99'997, 99'998, 99'999});
}

TEST(Sets, OfMoreValuesThanTheHostHoldsAreRefusedWithTheirNumber) {
  const temporary_directory folder;
  // Tasks have room beside the memory of the process; the result has one element or row too many.
  const bytes host = memory_with_code() + bytes{80'000'000};
  const spec limits{.work_dir = (folder.path() / "work").string(),
                    .allowed_memory = bytes{10'000'000},
                    .host_memory = host};
  const auto num_values = static_cast<index_t>(host.count() / 16 + 1);
  const auto x =
      arange<double>(0, static_cast<double>(num_values), 1, {.chunks = {50'000}, .spec = limits});
  test::expect_error<memory_error>([&] { (void)unique_counts(x); },
                                   {"unique_counts: " + std::to_string(num_values) + " elements",
                                    "16 bytes each", format_short(host) + " of host memory"});
}

}  // namespace
}  // namespace tessera
