// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of a stored array, and of coarser elements of it, computed by its producer.

#include "tessera/tessera.hpp"

#include "unit/plan/stored_image.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ::testing::HasSubstr;
using ts::index_t;
using matrix = ts::array<double, 2>;

/// Means of 2 x 2 elements; of a last row or column that has no other, none.
matrix halved(const matrix& y) {
  const auto [m, n] = y.shape();
  const auto along = [](index_t first, index_t extent) {
    return ts::slice(first, extent / 2 * 2, 2);
  };
  return (y(along(0, m), along(0, n)) + y(along(0, m), along(1, n)) + y(along(1, m), along(0, n)) +
          y(along(1, m), along(1, n))) /
         4.0;
}

/// Takes as long as ten million additions, for the cost model.
struct heavy {
  static constexpr double weight = 1e7;
  double operator()(double x) const { return x + 1; }
};

class Levels : public ts::test::stored_image {
 protected:
  void expect_means(const std::string& name, index_t width) const {
    const ts::ndarray<double, 2> levels = open(name).compute();
    for (index_t i = 0; i < levels.shape()[0]; ++i) {
      for (index_t j = 0; j < levels.shape()[1]; ++j) {
        const double mean = mean_at(width, i, j);
        ASSERT_NEAR(levels(i, j), mean, 1e-12 * (1 + std::abs(mean))) << name << i << ' ' << j;
      }
    }
  }

  /// Returns why the pass leaves an operation that `outputs` are made by.
  template <class... Outputs>
  [[nodiscard]] std::string why_left(const Outputs&... outputs) const {
    std::string why = "it is not left";
    for (const auto& operation : ts::plan(apart_, settings_, outputs...).explain().operations) {
      for (const auto& note : operation.notes) {
        if (note.pass == "fuse_levels" && !note.is_done) why = note.text;
      }
    }
    return why;
  }

  /// Only levels compute functions of a stored array in its producer.
  ts::pass_switches apart_{.fuse_producers = false, .fuse_siblings = false};
};

TEST_F(Levels, OfAPyramidAreMadeWithItsFirst) {
  const matrix first = halved(open("x"));
  const matrix second = halved(first);
  const matrix third = halved(second);
  const auto run_with = [&](const ts::pass_switches& passes) {
    return run(passes, to("1", first), to("2", second), to("3", third));
  };
  const counted apart = run_with({.fuse_levels = false});
  EXPECT_EQ(apart.operations.size(), 3U);
  EXPECT_EQ(apart.read, 3 * all_chunks);
  const counted together = run_with({});
  EXPECT_EQ(together.operations,
            (std::vector<std::string>{"(((x + x) + x) + x) / 4, ... | 48 tasks"}));
  EXPECT_EQ(together.read, all_chunks);
  EXPECT_EQ(together.written, apart.written);
  expect_means("1", 2);
  expect_means("2", 4);
  expect_means("3", 8);
}

TEST_F(Levels, AreFoldsAsWell) {
  const matrix first = ts::coarsen(ts::op::mean{}, open("x"), {2, 2});
  const matrix second = ts::coarsen(ts::op::mean{}, first, {2, 2});
  const counted apart = run({.fuse_levels = false}, to("1", first), to("2", second));
  EXPECT_EQ(apart.read, 2 * all_chunks);
  const counted together = run({}, to("1", first), to("2", second));
  EXPECT_EQ(together.operations, (std::vector<std::string>{"mean(x), mean(mean) | 48 tasks"}));
  EXPECT_EQ(together.read, all_chunks);
  expect_means("1", 2);
  expect_means("2", 4);
}

TEST_F(Levels, OfAProductAreMadeOfItsBlocks) {
  const matrix product = ts::matmul(open("x"), ts::permute_dims(open("x"), ts::axis<1, 0>));
  const matrix root = ts::sqrt(ts::abs(product));
  const counted apart = run({.fuse_levels = false}, to("p", product), to("r", root));
  const counted together = run({}, to("p", product), to("r", root));
  // Of 36 chunks of the product none is read again.
  EXPECT_EQ(apart.read - together.read, 36);
  EXPECT_EQ(together.operations.size() + 1, apart.operations.size());
  const ts::ndarray<double, 2> root_values = open("r").compute();
  double sum = 0;
  for (index_t k = 0; k < columns; ++k) sum += element(5, k) * element(41, k);
  EXPECT_EQ(root_values(5, 41), std::sqrt(std::abs(sum)));
}

// At the end of 41 = 5 x 8 + 1 rows tasks make a row of the first, and none of its levels.
TEST_F(Levels, EndWhereLessThanAnElementIsLeft) {
  put("odd", {41, 30}, {8, 8});
  const matrix whole = 1.0 * open("odd");
  const matrix first = halved(whole);
  const matrix second = halved(first);
  const counted together = run(apart_, to("0", whole), to("1", first), to("2", second));
  EXPECT_EQ(together.operations.size(), 1U);
  EXPECT_EQ(together.read, 24);
  EXPECT_EQ(open("1").shape(), (std::array<index_t, 2>{20, 15}));
  EXPECT_EQ(open("2").shape(), (std::array<index_t, 2>{10, 7}));
  expect_means("0", 1);
  expect_means("1", 2);
  expect_means("2", 4);
}

// Of 3 rows, each second row: 2 rows. Their maximum is a box of 4 rows, one of them beyond the end.
TEST_F(Levels, OfBoxesBeyondTheEndAreLeft) {
  put("three", {3, 8}, {3, 8});
  const matrix y = 2.0 * open("three");
  const matrix second = y(ts::slice(0, 3, 2), ts::whole) * 1.0;
  const matrix greatest = ts::coarsen(ts::op::max{}, second, {2, 1});
  run(apart_, to("y", y), to("second", second), to("greatest", greatest));
  const ts::ndarray<double, 2> values = open("greatest").compute();
  ASSERT_EQ(values.shape(), (std::array<index_t, 2>{1, 8}));
  for (index_t j = 0; j < 8; ++j) {
    EXPECT_EQ(values(0, j), 2 * std::max(element(0, j), element(2, j)));
  }
}

// Chunks of 5 become 3 and 2: blocks of 30 x 30 hold whole ones of all.
TEST_F(Levels, GrowBlocksUntilNoChunkIsCut) {
  put("five", {120, 60}, {10, 10});
  const matrix first = halved(open("five"));
  const matrix second = halved(first);
  const counted together = run({}, to("1", first), to("2", second));
  EXPECT_EQ(together.operations.size(), 1U);
  EXPECT_EQ(together.read, 72);
  const ts::plan plan(ts::pass_switches{}, settings_, to("1", first), to("2", second));
  EXPECT_EQ(plan.bounded().inside().operations[0].op.schedule.block, (ts::index_vector{30, 30}));
  expect_means("1", 2);
  expect_means("2", 4);
}

// As viewers of images want them: chunks of 8 x 8 at each level, which would be 4 x 4, 2 x 2, 1
// x 1.
TEST_F(Levels, InEqualChunksAreMadeOfOneAnother) {
  put("square", {128, 128}, {8, 8});
  const auto in_equal_chunks = [&](const std::string& name, const matrix& y) {
    return ts::stored(y, store_, name, {.chunks = {8, 8}, .compressor = ts::codec::zlib{}});
  };
  const auto expect_one_walk = [&](const auto& half) {
    const matrix first = half(open("square"));
    const matrix second = half(first);
    const matrix third = half(second);
    const counted counts = run({}, in_equal_chunks("1", first), in_equal_chunks("2", second),
                               in_equal_chunks("3", third));
    EXPECT_EQ(counts.operations.size(), 1U);
    EXPECT_EQ(counts.read, 16 * 16);
    EXPECT_EQ(counts.written, 8 * 8 + 4 * 4 + 2 * 2);
    expect_means("1", 2);
    expect_means("2", 4);
    expect_means("3", 8);
    const auto [m, n] = open("2").chunks();
    EXPECT_EQ(m, 8);
    EXPECT_EQ(n, 8);
    for (const char* level : {"1", "2", "3"}) store_->erase_all(level);
  };
  expect_one_walk(halved);
  expect_one_walk([](const matrix& y) -> matrix { return ts::coarsen(ts::op::mean{}, y, {2, 2}); });
}

// A task on a chunk of 48 x 64 elements, 24.6 kB, would hold three of them and make a fourth.
TEST_F(Levels, AreCopiedWhereATaskHasNoRoomForTheirChunks) {
  const ts::store_options raw{.compressor = ts::codec::none{}};
  for (const char* name : {"a", "b", "c"}) ts::store(open("x"), store_, name, raw);
  spec_.allowed_memory = 80_kB;
  const matrix sum = open("a") * open("b") + open("c");
  const ts::store_options whole{.chunks = {rows, columns}, .compressor = ts::codec::none{}};
  const ts::plan plan(ts::pass_switches{}, settings_, ts::stored(sum, store_, "sum", whole),
                      ts::stored(sum * 2.0, store_, "twice", raw));
  EXPECT_LE(plan.projected_memory(), 80_kB);
  plan.execute();
  const ts::ndarray<double, 2> sums = open("sum").compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(sums(i, j), element(i, j) * element(i, j) + element(i, j));
    }
  }
}

// Of 100 elements in chunks of 30 a task makes all, for which the function is called with whole
// blocks of 30.
TEST_F(Levels, MakeWholeBlocksOfAFunctionAtTheEnd) {
  const ts::testing::temporary_directory folder;
  std::vector<double> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i);
  const auto x = ts::from_memory<double, 1>(values.data(), {100}, {.chunks = {30}});
  const auto sums = ts::map_overlap<double>(
      [](ts::block_view<const double, 1> from, ts::block_view<double, 1> out) {
        for (index_t i = 0; i < out.shape()[0]; ++i) out(i) = from(i) + from(i + 2);
      },
      x, {.depth = {{1, 1}}, .beyond = ts::boundary::edge});
  const ts::plan plan(ts::stored(sums, folder / "sums", {.chunks = {100}}));
  plan.save(folder / "plan");
  ts::plan<>::load(folder / "plan").execute();
  const auto stored = ts::open<double, 1>(folder / "sums").compute();
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    ASSERT_EQ(stored(static_cast<index_t>(i)), values[i - 1] + values[i + 1]) << i;
  }
}

// A copy gathers the output of several workers.
TEST_F(Levels, AreCopiedWhereWorkersWouldHaveNothingToDo) {
  spec_.costs.workers = 48;
  const auto num_tasks = [&](const matrix& y) {
    const ts::plan plan(ts::pass_switches{}, settings_,
                        ts::stored(y, store_, "whole", {.chunks = {rows, columns}}));
    return plan.bounded().inside().operations[0].num_tasks;
  };
  EXPECT_EQ(num_tasks(ts::map(heavy{}, open("x"))), all_chunks);
}

TEST_F(Levels, MayBeginWithTheFirstPartOfWhatIsMade) {
  const matrix whole = open("x") + 1.0;
  const matrix part = whole(ts::slice(0, 16), ts::slice(0, 32));
  // Nothing but assigning outputs is done.
  const ts::pass_switches off{.crop = false,
                              .fuse_producers = false,
                              .fuse_siblings = false,
                              .duplicate = false,
                              .fuse_levels = false};
  (void)run(off, ts::stored(part, store_, "part", {.chunks = {16, 16}}));
  const ts::ndarray<double, 2> stored = open("part").compute();
  ASSERT_EQ(stored.shape()[0], 16);
  ASSERT_EQ(stored.shape()[1], 32);
  for (index_t i = 0; i < 16; ++i) {
    for (index_t j = 0; j < 32; ++j) ASSERT_EQ(stored(i, j), element(i, j) + 1);
  }
}

TEST_F(Levels, AreLeftWhereTheyWouldReadWhatOthersMake) {
  const matrix first = 2.0 * open("x");
  const ts::slice behind(1, ts::none);
  const ts::slice before(ts::none, -1);
  const std::string reason = "depend on several blocks of '2 * x'";
  EXPECT_THAT(why_left(to("1", first), to("2", matrix(first(behind) - first(before)))),
              HasSubstr(reason));
  EXPECT_THAT(why_left(to("1", first), to("2", ts::mean(first, ts::axis<1>))), HasSubstr(reason));
  EXPECT_THAT(why_left(to("1", first), to("2", ts::flip(first) + 1.0)), HasSubstr(reason));
  EXPECT_EQ(why_left(to("1", first), to("2", halved(first))), "it is not left");
}

TEST_F(Levels, AreLeftWhereATaskWouldNeedTooMuchMemory) {
  ts::store(open("x"), store_, "raw", {.compressor = ts::codec::none{}});
  const auto plan_with = [&](bool are_fused) {
    ts::pass_switches passes = apart_;
    passes.fuse_levels = are_fused;
    const ts::store_options raw{.compressor = ts::codec::none{}};
    const matrix first = 2.0 * open("raw");
    const matrix second = ts::sqrt(first);
    const matrix third = second + 1.0;
    return ts::plan(passes, settings_, ts::stored(first, store_, "1", raw),
                    ts::stored(second, store_, "2", raw), ts::stored(third, store_, "3", raw),
                    ts::stored(ts::square(third), store_, "4", raw));
  };
  const ts::bytes together = plan_with(true).projected_memory();
  spec_.allowed_memory = plan_with(false).projected_memory();
  ASSERT_GT(together, spec_.allowed_memory);
  const auto plan = plan_with(true);
  EXPECT_EQ(plan.num_operations(), 2U);
  EXPECT_THAT(plan.explain().to_string(), HasSubstr("fuse_levels: a task of both '"));
}

TEST_F(Levels, AreSixtyFourAtMost) {
  std::vector<ts::stored_expression<double, 2>> stored;
  matrix y = ts::matmul(open("x"), ts::permute_dims(open("x"), ts::axis<1, 0>));
  for (int i = 0; i < 100; ++i) {
    stored.push_back(to(std::to_string(i), y));
    y = ts::sqrt(ts::abs(y));
  }
  const ts::plan plan(stored, settings_);
  EXPECT_LT(plan.num_operations(), 10U);
  plan.execute();
  double root = 0;
  for (index_t k = 0; k < columns; ++k) root += element(5, k) * element(41, k);
  for (int i = 0; i < 99; ++i) root = std::sqrt(std::abs(root));
  EXPECT_NEAR(open("99").compute()(5, 41), root, 1e-15);
}

TEST_F(Levels, AreExplained) {
  const matrix first = halved(open("x"));
  const auto said = ts::plan(ts::pass_switches{}, settings_, to("1", first), to("2", halved(first)))
                        .explain()
                        .operations;
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(std::any_of(said[0].notes.begin(), said[0].notes.end(), [](const auto& note) {
    return note.pass == "fuse_levels" && note.is_done &&
           note.text == "computes 'divide' from its blocks";
  }));
}

}  // namespace
