// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folds over unlike axes of one array: their reads, apart and together, in the plan and in the
/// store.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {
namespace {

using test::counting_store;

constexpr std::array<index_t, 3> extents{48, 50, 36};
constexpr std::array<index_t, 3> chunks{8, 20, 18};
constexpr long all_chunks = 6 * 3 * 2;

double element(index_t i, index_t j, index_t k) {
  return static_cast<double>((i * i + 7 * j) % 13 - (j * k + i) % 5);
}

/// A stored array of 6 x 3 x 2 chunks; its store counts.
class SharedWalks : public ::testing::Test {
 protected:
  SharedWalks() {
    ndarray<double, 3> values(extents);
    for_each([&](index_t i, index_t j, index_t k) { values(i, j, k) = element(i, j, k); });
    // Compressed, so that a chunk is read whole whatever is wanted of it.
    store(asarray(std::move(values), {.chunks = chunks}), store_, "x",
          {.compressor = codec::zlib{}});
  }

  template <class F>
  static void for_each(F f) {
    for (index_t i = 0; i < extents[0]; ++i) {
      for (index_t j = 0; j < extents[1]; ++j) {
        for (index_t k = 0; k < extents[2]; ++k) f(i, j, k);
      }
    }
  }

  [[nodiscard]] array<double, 3> open_x() const {
    return open<double, 3>(store_, "x", {.costs = {.workers = 4}});
  }

  struct counted {
    long planned = 0;
    long read = 0;
  };

  /// Computes `outputs`, hands them to `check`, and returns the reads.
  template <class Check, class... Outputs>
  counted run(const pass_switches& passes, Check check, const Outputs&... outputs) {
    const auto computed = plan(passes, outputs...);
    const long before = store_->num_reads();
    std::apply(check, computed.compute());
    constexpr long chunk_bytes = chunks[0] * chunks[1] * chunks[2] * sizeof(double);
    return {static_cast<long>(computed.bytes_read().count()) / chunk_bytes,
            store_->num_reads() - before};
  }

  template <class Check, class... Outputs>
  void expect_read_once(Check check, const Outputs&... outputs) {
    constexpr auto num_apart = static_cast<long>(sizeof...(Outputs)) * all_chunks;
    const counted apart = run({.fuse_siblings = false, .memory_tier = false}, check, outputs...);
    EXPECT_GE(apart.planned, num_apart);
    EXPECT_EQ(apart.read, num_apart);
    const counted together = run({}, check, outputs...);
    EXPECT_EQ(together.read, all_chunks);
    // Besides chunks, the plan reads states.
    EXPECT_LE(together.planned, all_chunks + all_chunks / 2);
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

TEST_F(SharedWalks, OfSumsOverUnlikeAxesReadOnce) {
  const auto x = open_x();
  ndarray<double, 2> over_0({extents[1], extents[2]});
  ndarray<double, 2> over_1({extents[0], extents[2]});
  ndarray<double, 2> over_2({extents[0], extents[1]});
  for_each([&](index_t i, index_t j, index_t k) {
    over_0(j, k) += element(i, j, k);
    over_1(i, k) += element(i, j, k);
    over_2(i, j) += element(i, j, k);
  });
  expect_read_once(
      [&](const auto& a, const auto& b, const auto& c) {
        EXPECT_EQ(a, over_0);
        EXPECT_EQ(b, over_1);
        EXPECT_EQ(c, over_2);
      },
      sum(x, axis<0>), sum(x, axis<1>), sum(x, axis<2>));
}

TEST_F(SharedWalks, OfAMeanOverTimeAndASumOfAllReadOnce) {
  const auto x = open_x();
  ndarray<double, 2> means({extents[1], extents[2]});
  double total = 0;
  for_each([&](index_t i, index_t j, index_t k) {
    means(j, k) += element(i, j, k) / static_cast<double>(extents[0]);
    total += element(i, j, k);
  });
  expect_read_once(
      [&](const auto& a, const auto& b) {
        for (index_t j = 0; j < extents[1]; ++j) {
          for (index_t k = 0; k < extents[2]; ++k) ASSERT_NEAR(a(j, k), means(j, k), 1e-12);
        }
        EXPECT_EQ(b(), total);
      },
      mean(x, axis<0>), sum(x));
}

TEST_F(SharedWalks, OfGroupsAndAGreatestOfMapsReadOnce) {
  const auto x = open_x();
  ndarray<std::int64_t, 1> labels({extents[0]});
  for (index_t i = 0; i < extents[0]; ++i) labels(i) = i % 3;
  ndarray<double, 3> groups({3, extents[1], extents[2]});
  ndarray<double, 1> greatest({extents[0]});
  for (double& value : greatest.span()) value = -100;
  for_each([&](index_t i, index_t j, index_t k) {
    groups(i % 3, j, k) += element(i, j, k);
    greatest(i) = std::max(greatest(i), element(i, j, k));
  });
  expect_read_once(
      [&](const auto& a, const auto& b) {
        EXPECT_EQ(a, groups);
        EXPECT_EQ(b, greatest);
      },
      groupby_reduce(x, asarray(labels, {.chunks = {chunks[0]}}), op::sum{}, 3, axis<0>),
      max(x, axis<1, 2>));
}

// Folds take several small chunks in a step; a map beside them takes one.
TEST_F(SharedWalks, OfManySmallChunksReadOnce) {
  constexpr index_t rows = 300;
  constexpr index_t columns = 512;
  ndarray<double, 2> values({rows, columns});
  ndarray<double, 1> over_0({columns});
  ndarray<double, 1> over_1({rows});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      values(i, j) = element(i, j, 3);
      over_0(j) += values(i, j);
      over_1(i) += values(i, j);
    }
  }
  store(asarray(std::move(values), {.chunks = {1, columns}}), store_, "rows");
  const auto x = open<double, 2>(store_, "rows", {.costs = {.workers = 4}});
  EXPECT_EQ(plan(sum(x, axis<0>)).explain().operations.front().step, (index_vector{8, columns}));
  const auto planned = plan(stored(x + 1.0, store_, "more"), sum(x, axis<0>), sum(x, axis<1>));
  const long before = store_->num_reads();
  const auto [incremented, a, b] = planned.compute();
  EXPECT_EQ(store_->num_reads() - before, rows);
  EXPECT_EQ(a, over_0);
  EXPECT_EQ(b, over_1);
  EXPECT_EQ(incremented.compute()(rows - 1, 2), element(rows - 1, 2, 3) + 1);
}

// Only the folds read the map then, so that it is computed on the way.
TEST_F(SharedWalks, OfFoldsOfAMapNeitherStoreItNorReadItAgain) {
  const array<double, 3> w = sqrt(abs(open_x()));
  const auto check = [&](const auto& a, const auto& b) {
    double over_0 = 0;
    for (index_t i = 0; i < extents[0]; ++i) over_0 += std::sqrt(std::abs(element(i, 4, 7)));
    EXPECT_NEAR(a(4, 7), over_0, 1e-12 * over_0);
    double of_map = 0;
    for (index_t j = 0; j < extents[1]; ++j) {
      for (index_t k = 0; k < extents[2]; ++k) of_map += std::sqrt(std::abs(element(9, j, k)));
    }
    EXPECT_NEAR(b(9), of_map, 1e-12 * of_map);
  };
  const pass_switches apart{.fuse_siblings = false, .memory_tier = false};
  const auto stored = plan(apart, sum(w, axis<0>), sum(w, axis<1, 2>));
  const bytes map_bytes{48 * 50 * 36 * sizeof(double)};
  EXPECT_GE(stored.bytes_written(), map_bytes);
  EXPECT_EQ(run({}, check, sum(w, axis<0>), sum(w, axis<1, 2>)).read, all_chunks);
  EXPECT_LT(plan(sum(w, axis<0>), sum(w, axis<1, 2>)).bytes_written(),
            bytes{map_bytes.count() / 2});
}

TEST_F(SharedWalks, OfAMapThatIsStoredAndFoldsOfItReadOnce) {
  const auto twice = 2.0 * open_x();
  double total = 0;
  ndarray<double, 2> over_0({extents[1], extents[2]});
  for_each([&](index_t i, index_t j, index_t k) {
    over_0(j, k) += 2 * element(i, j, k);
    total += 2 * element(i, j, k);
  });
  const auto planned = plan(stored(twice, store_, "twice"), sum(twice, axis<0>), sum(twice));
  const long before = store_->num_reads();
  const auto [doubled, a, b] = planned.compute();
  EXPECT_EQ(store_->num_reads() - before, all_chunks);
  EXPECT_EQ(a, over_0);
  EXPECT_EQ(b(), total);
  const auto stored_twice = doubled.compute();
  for_each([&](index_t i, index_t j, index_t k) {
    ASSERT_EQ(stored_twice(i, j, k), 2 * element(i, j, k));
  });
}

// Nothing is read from storage then, but memory is gone over once in the place of three times.
TEST_F(SharedWalks, OfElementsInMemoryAreOne) {
  ndarray<double, 3> values(extents);
  ndarray<double, 2> over_0({extents[1], extents[2]});
  ndarray<double, 2> over_1({extents[0], extents[2]});
  double total = 0;
  for_each([&](index_t i, index_t j, index_t k) {
    values(i, j, k) = element(i, j, k);
    over_0(j, k) += element(i, j, k);
    over_1(i, k) += element(i, j, k);
    total += element(i, j, k);
  });
  const auto x = asarray(std::move(values));
  const auto planned = plan(sum(x, axis<0>), sum(x, axis<1>), sum(x));
  long num_readers = 0;
  for (const planned_operation& planned_op : planned.bounded().inside().operations) {
    for (const planned_operand& read : planned_op.inputs) {
      const auto& placement = planned.bounded().inside().arrays[read.array].placement;
      if (std::holds_alternative<memory_source>(placement)) ++num_readers;
    }
  }
  EXPECT_EQ(num_readers, 1);
  const auto [a, b, c] = planned.compute();
  EXPECT_EQ(a, over_0);
  EXPECT_EQ(b, over_1);
  EXPECT_EQ(c(), total);
}

// A walk over all of it holds the states of a whole row of the one, and of a column of the other.
TEST_F(SharedWalks, AreApartWhereStatesOfBothDoNotFit) {
  const auto zeros_of = [&](index_t n) {
    return open<double, 2>(store_, "large" + std::to_string(n), {.allowed_memory = bytes{1 << 20}});
  };
  constexpr index_t n = 1 << 16;
  static_cast<void>(zarr_array::create(
      store_, "large" + std::to_string(n),
      {.shape = {n, n}, .chunks = {128, 128}, .dtype = data_type(dtype::float64)}));
  const auto x = zeros_of(n);
  const auto planned = plan(sum(x, axis<0>), sum(x, axis<1>));
  EXPECT_LE(planned.projected_memory(), bytes{1 << 20});
}

// One walk holds 512 results; each further one reads the array once more.
TEST_F(SharedWalks, OfVeryManyResultsAreSeveral) {
  constexpr int num_sums = 1100;
  const auto x = open_x();
  std::vector<array<double, 0>> sums;
  for (int i = 0; i < num_sums; ++i) sums.emplace_back(sum(x + static_cast<double>(i)));
  const auto computed = plan(sums);
  const long before = store_->num_reads();
  const auto values = computed.compute();
  EXPECT_EQ(store_->num_reads() - before, 3 * all_chunks);
  double total = 0;
  for_each([&](index_t i, index_t j, index_t k) { total += element(i, j, k); });
  constexpr double num_elements = extents[0] * extents[1] * extents[2];
  ASSERT_EQ(values.size(), num_sums);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i](), total + static_cast<double>(i) * num_elements);
  }
}

}  // namespace
}  // namespace tessera
