// SPDX-License-Identifier: Apache-2.0

/// \file
/// Folds of an array, computed by the tasks of a function of whole lines of it.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

constexpr index_t rows = 60;
constexpr index_t columns = 40;
constexpr ts::bytes size{rows * columns * sizeof(double)};

/// A stored array in chunks of four rows. Column j has the numbers from j to j + 59, in an order of
/// its own: its median and its mean are j + 29.5.
class JoinedLines : public ::testing::Test {
 protected:
  JoinedLines() {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) {
        values(i, j) = static_cast<double>((i * 7 + j) % rows + j);
      }
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {4, columns}}), store_, "x",
              {.compressor = ts::codec::none{}});
  }

  [[nodiscard]] ts::array<double, 2> x(const ts::spec& limits = {}) const {
    return ts::open<double, 2>(store_, "x", limits);
  }

  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
};

TEST_F(JoinedLines, ReadTheArrayOnce) {
  const auto median = ts::quantile(x(), 0.5, ts::axis<0>);
  const auto mean = ts::mean(x(), ts::axis<0>);
  const ts::plan joined(median, mean);
  EXPECT_EQ(joined.num_operations(), 1U);
  EXPECT_EQ(joined.bytes_read(), size);
  EXPECT_EQ(ts::plan(ts::pass_switches{.fuse_siblings = false}, median, mean).bytes_read(),
            size * 2);
  const auto [medians, means] = joined.compute();
  for (index_t j = 0; j < columns; ++j) {
    EXPECT_EQ(medians(j), static_cast<double>(j) + 29.5) << j;
    EXPECT_EQ(means(j), static_cast<double>(j) + 29.5) << j;
  }
}

// A task has memory for some columns: it reads them from a copy.
TEST_F(JoinedLines, FoldFunctionsOfTheResultInCutBlocks) {
  const ts::spec limits{.allowed_memory = 12_kB, .intermediate_compressor = "none"};
  const auto u = x(limits);
  const auto median = ts::quantile(u, 0.5, ts::axis<0>);
  const auto above = ts::sum(ts::astype<double>(u > median), ts::axis<0>);
  const ts::plan joined(median, above);
  EXPECT_LE(joined.bytes_read(), size * 3);
  const auto [medians, counts] = joined.compute();
  for (index_t j = 0; j < columns; ++j) {
    EXPECT_EQ(medians(j), static_cast<double>(j) + 29.5) << j;
    EXPECT_EQ(counts(j), 30.0) << j;
  }
}

TEST_F(JoinedLines, LeaveFoldsOfOtherAxes) {
  const ts::plan plan(ts::quantile(x(), 0.5, ts::axis<0>), ts::mean(x(), ts::axis<1>));
  EXPECT_EQ(plan.num_operations(), 2U);
}

}  // namespace
