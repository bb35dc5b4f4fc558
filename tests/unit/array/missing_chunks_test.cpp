// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chunks that are missing hold the fill value: a function of nothing but these is computed once
/// and spread.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;

std::atomic<long> num_calls{0};

/// Counts how often it is called.
struct counting_square {
  double operator()(double x) const {
    ++num_calls;
    return x * x - 1;
  }
};

/// An array of which some chunks are missing, and its values.
struct sparse {
  ts::array<double, 2> stored;
  ts::ndarray<double, 2> values;
};

/// Makes an array of which the chunk `i, j` is missing unless `is_there(i, j)`.
template <class IsThere>
sparse make_sparse(const std::shared_ptr<ts::memory_store>& store, const std::string& path,
                   std::array<index_t, 2> shape, std::array<index_t, 2> chunks, double fill,
                   IsThere is_there) {
  ts::ndarray<double, 2> full(shape);
  ts::ndarray<double, 2> values(shape);
  for (index_t i = 0; i < shape[0]; ++i) {
    for (index_t j = 0; j < shape[1]; ++j) {
      full(i, j) = static_cast<double>(100 * i - 7 * j);
      values(i, j) = is_there(i / chunks[0], j / chunks[1]) ? full(i, j) : fill;
    }
  }
  ts::store(ts::asarray(std::move(full), {.chunks = chunks}), store, path, {.fill_value = fill});
  for (index_t i = 0; i * chunks[0] < shape[0]; ++i) {
    for (index_t j = 0; j * chunks[1] < shape[1]; ++j) {
      if (!is_there(i, j)) store->erase(path + "/" + std::to_string(i) + "." + std::to_string(j));
    }
  }
  return {ts::open<double, 2>(store, path), std::move(values)};
}

/// Makes an array of which each chunk is missing with a probability that is drawn.
template <class Below>
sparse draw_sparse(const std::shared_ptr<ts::memory_store>& store, const char* path,
                   std::array<index_t, 2> shape, double fill, Below below) {
  const index_t part = below(4);
  std::vector<bool> there;
  for (int i = 0; i < 50 * 50; ++i) there.push_back(part > below(3));
  const std::array<index_t, 2> chunks{1 + below(20), 1 + below(20)};
  return make_sparse(store, path, shape, chunks, fill, [&](index_t i, index_t j) {
    return there[static_cast<std::size_t>(i * 50 + j)];
  });
}

class MissingChunks : public ::testing::Test {
 protected:
  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
};

TEST_F(MissingChunks, AreComputedOnce) {
  // 2 x 3 chunks of 50 x 40, of which two are there; the chunks at the lower end are cut off.
  const auto x = make_sparse(store_, "x", {90, 120}, {50, 40}, 3.0,
                             [](index_t i, index_t j) { return i == 0 && j != 1; });
  num_calls = 0;
  const auto squares = ts::compute(ts::map(counting_square{}, x.stored));
  EXPECT_EQ(num_calls, 2 * 50 * 40 + 4);
  for (index_t i = 0; i < 90; ++i) {
    for (index_t j = 0; j < 120; ++j) {
      EXPECT_EQ(squares(i, j), x.values(i, j) * x.values(i, j) - 1) << i << ", " << j;
    }
  }
}

TEST_F(MissingChunks, AreWrittenLikeOthers) {
  const auto x = make_sparse(store_, "x", {90, 120}, {50, 40}, 3.0,
                             [](index_t i, index_t j) { return i == 1 && j == 2; });
  num_calls = 0;
  ts::store(ts::map(counting_square{}, x.stored), store_, "y");
  // The last chunk has 40 rows of the array.
  EXPECT_EQ(num_calls, 40 * 40 + 5);
  EXPECT_EQ(store_->list("y").size(), 6U + store_->list("x").size() - 1);
  const auto squares = ts::compute(ts::open<double, 2>(store_, "y"));
  for (index_t i = 0; i < 90; ++i) {
    for (index_t j = 0; j < 120; ++j) {
      EXPECT_EQ(squares(i, j), x.values(i, j) * x.values(i, j) - 1);
    }
  }
}

TEST_F(MissingChunks, BesideOthersAreOperandsLikeAll) {
  const auto x =
      make_sparse(store_, "x", {60, 60}, {20, 20}, -1.0, [](index_t i, index_t) { return i == 0; });
  const auto y =
      make_sparse(store_, "y", {60, 60}, {20, 20}, 5.0, [](index_t, index_t j) { return j == 0; });
  const auto sums = ts::compute(x.stored * 2.0 + y.stored);
  for (index_t i = 0; i < 60; ++i) {
    for (index_t j = 0; j < 60; ++j) EXPECT_EQ(sums(i, j), x.values(i, j) * 2 + y.values(i, j));
  }
}

// Slices, differences and sums of arrays with chunks missing at random, against loops over their
// elements.
TEST_F(MissingChunks, AtRandomHoldTheFillValue) {
  std::mt19937 random(20261124);
  const auto below = [&](index_t n) { return static_cast<index_t>(random() % n); };
  for (int round = 0; round < 150; ++round) {
    const std::array<index_t, 2> shape{10 + below(40), 10 + below(40)};
    const auto x = draw_sparse(store_, "x", shape, 3.0, below);
    const auto y = draw_sparse(store_, "y", shape, -2.0, below);
    const index_t top = below(shape[0] - 5);
    const index_t first_column = below(shape[1] - 5);
    const index_t step = 1 + below(3);
    const auto part = [&](const ts::array<double, 2>& of) {
      return of(ts::slice(top, shape[0], step), ts::slice(first_column, shape[1]));
    };
    const auto map = ts::compute(part(x.stored) * part(y.stored) + 1.0);
    const auto rows = ts::compute(ts::sum(x.stored - y.stored, ts::axis<1>));
    const auto differences = ts::compute(ts::diff(x.stored, ts::axis<0>));
    for (index_t i = 0; i < map.shape()[0]; ++i) {
      for (index_t j = 0; j < map.shape()[1]; ++j) {
        const index_t row = top + i * step;
        ASSERT_EQ(map(i, j), x.values(row, first_column + j) * y.values(row, first_column + j) + 1)
            << round;
      }
    }
    for (index_t i = 0; i < shape[0]; ++i) {
      double sum = 0;
      for (index_t j = 0; j < shape[1]; ++j) sum += x.values(i, j) - y.values(i, j);
      ASSERT_EQ(rows(i), sum) << round;
    }
    for (index_t i = 0; i + 1 < shape[0]; ++i) {
      for (index_t j = 0; j < shape[1]; ++j) {
        ASSERT_EQ(differences(i, j), x.values(i + 1, j) - x.values(i, j)) << round;
      }
    }
    store_->erase_all("x");
    store_->erase_all("y");
  }
}

}  // namespace
