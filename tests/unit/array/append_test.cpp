// SPDX-License-Identifier: Apache-2.0
#include "unit/array/stored_part.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::failing;
using test::fails_from;
using test::num_calls;
using test::StoredPart;
namespace fs = std::filesystem;

class Append : public StoredPart {
 protected:
  void SetUp() override {
    StoredPart::SetUp();
    store(numbers(0, 8, 6), path(), {.fill_value = -1.0});
  }
  /// Appends 6 x 6 numbers from 48 on.
  void run() const { append(map(failing{}, numbers(48, 6, 6)), path(), axis<0>, serial()); }

  void fail_from(double element) const {
    fails_from = element;
    EXPECT_THROW(run(), task_error);
    fails_from = std::numeric_limits<double>::infinity();
    num_calls = 0;
  }
  void expect_numbers(index_t rows) const {
    ASSERT_EQ(zarr_array::open(path()).shape(), (index_vector{rows, 6}));
    expect_stored({{0, 0}, {rows, 6}}, 0);
  }
};

TEST_F(Append, MakesTheArrayLonger) {
  const auto longer = append(numbers(48, 4, 6), path(), axis<0>);
  EXPECT_EQ(longer.shape(), (std::array<index_t, 2>{12, 6}));
  expect_numbers(12);
  append(numbers(72, 3, 6), path(), axis<-2>);
  expect_numbers(15);
  EXPECT_FALSE(has_marks());
}

TEST_F(Append, GoesAlongAnyAxis) {
  append(numbers(100, 8, 3), path(), axis<-1>);
  const auto array = open<double, 2>(path()).compute();
  EXPECT_EQ(array(7, 5), 47);
  EXPECT_EQ(array(0, 6), 100);
  EXPECT_EQ(array(7, 8), 123);
}

TEST_F(Append, IsSeenByReadersAsAWholeOrNotAtAll) {
  fail_from(80);
  expect_numbers(8);
  run();
  expect_numbers(14);
}

TEST_F(Append, GoesOnWhereItWasStopped) {
  fail_from(72);  // in the last row of chunks
  run();
  EXPECT_EQ(num_calls, 12);
  expect_numbers(14);
  EXPECT_FALSE(has_marks());
}

// A run that is killed after the array has its new extents, before it has noted that it is done.
TEST_F(Append, DoesNotAppendTwiceWhereItWasStoppedAfterItsLastStep) {
  fail_from(80);
  const std::string mark = mark_of_run();
  fs::copy_file(mark, folder / "mark");
  fs::copy(folder / "work", folder / "work-then", fs::copy_options::recursive);
  run();
  fs::copy_file(folder / "mark", mark);
  fs::remove_all(folder / "work");
  fs::rename(folder / "work-then", folder / "work");
  num_calls = 0;
  run();
  EXPECT_EQ(num_calls, 0);
  expect_numbers(14);
  EXPECT_FALSE(has_marks());
}

// The rows of the first append are whole, so that its mark goes and the other append finds its
// place.
TEST_F(Append, AnotherAppendOfAsManyIsNotTakenForOneThatWasStopped) {
  fail_from(80);
  const std::string mark = mark_of_run();
  fs::copy_file(mark, folder / "mark");
  run();
  fs::copy_file(folder / "mark", mark);
  expect_error<zarr_error>([&] { append(numbers(84, 6, 6), path(), axis<0>); },
                           {"(8, 6)", "(14, 6)", "append again"});
  expect_numbers(14);
  EXPECT_FALSE(has_marks());
}

TEST_F(Append, AnAppendThatWasPlannedBeforeAnotherOneSaysSo) {
  const plan late(appended(numbers(72, 4, 6), path(), axis<0>));
  append(numbers(48, 4, 6), path(), axis<0>);
  expect_error<zarr_error>([&] { late.execute(); }, {"(8, 6)", "(12, 6)", "append again"});
  expect_numbers(12);
  append(numbers(72, 4, 6), path(), axis<0>);
  expect_numbers(16);
}

TEST_F(Append, ASecondRunAppendsAgain) {
  const auto x = numbers(48, 4, 6);
  append(x, path(), axis<0>);
  append(x, path(), axis<0>);
  EXPECT_EQ(zarr_array::open(path()).shape(), (index_vector{16, 6}));
  EXPECT_EQ((open<double, 2>(path()).compute()(15, 5)), 71);
}

TEST_F(Append, TakesWhatIsComputedFromTheArrayItself) {
  const auto there = open<double, 2>(path(), limits());
  append(there(slice(4, 8), whole) + 24.0, path(), axis<0>);
  expect_numbers(12);
}

TEST_F(Append, WhatAnEarlierRunHasLeftBehindTheEndIsNotSeen) {
  fail_from(80);
  append(numbers(48, 1, 6), path(), axis<0>);
  expect_numbers(9);
  static_cast<void>(zarr_array::open(path()).resize(index_vector{14, 6}));
  EXPECT_EQ((open<double, 2>(path(), {.missing = missing_chunks::fill}).compute()(13, 5)), -1);
}

TEST_F(Append, ARunStoresARegionAndAppends) {
  plan(stored(numbers(0, 4, 6), path(), {.region = {slice(0, 4), whole}}),
       appended(numbers(48, 5, 6), path(), axis<0>))
      .execute();
  expect_numbers(13);
}

TEST_F(Append, WhatDoesNotFitIsRefusedWithBothSides) {
  expect_error<shape_error>([&] { append(numbers(1, 4, 5), path(), axis<0>); },
                            {"(8, 6)", "(4, 5)"});
  expect_error<value_error>(
      [&] {
        plan(appended(numbers(1, 8, 3), path(), axis<1>),
             appended(numbers(1, 8, 3), path(), axis<1>));
      },
      {"overlap"});
}

TEST_F(Append, GoesOnInAChunkThatIsNotFull) {
  append(numbers(48, 2, 6), path(), axis<0>);
  append(numbers(60, 1, 6), path(), axis<0>);
  append(numbers(66, 6, 6), path(), axis<0>);
  expect_numbers(17);
  EXPECT_FALSE(has_marks());
  const auto there = open<double, 2>(path(), limits());
  append(there(slice(14, none), whole) + 18.0, path(), axis<0>);
  expect_numbers(20);
}

TEST_F(Append, IsNotSeenBeforeItsEndInAChunkThatIsNotFull) {
  append(numbers(48, 2, 6), path(), axis<0>);
  const auto run_on = [&] { append(map(failing{}, numbers(60, 8, 6)), path(), axis<0>, serial()); };
  fails_from = 90;
  EXPECT_THROW(run_on(), task_error);
  expect_numbers(10);
  fails_from = std::numeric_limits<double>::infinity();
  run_on();
  expect_numbers(18);
  EXPECT_FALSE(has_marks());
}

TEST_F(Append, NothingIsAppendedInNoTasks) {
  append(numbers(1, 0, 6), path(), axis<0>);
  expect_numbers(8);
}

TEST_F(Append, WorksInOtherProcesses) {
  append(numbers(48, 6, 6), path(), axis<0>, {.executor = executors::processes(2)});
  expect_numbers(14);
  store(numbers(0, 8, 6), path(), {.region = {slice(0, 8), whole}},
        {.executor = executors::processes(2)});
  store(numbers(18, 3, 6), path(), {.region = {slice(3, 6), whole}},
        {.executor = executors::processes(2)});
  append(numbers(84, 6, 6), path(), axis<0>, {.executor = executors::processes(2)});
  expect_numbers(20);
}

TEST(AppendProperty, RandomAppendsMakeWhatPlainOnesMake) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&random](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  test::scratch_directory folder;
  const std::string path = folder / "a.zarr";
  spec limits;
  limits.work_dir = folder / "work";
  for (int round = 0; round < 10; ++round) {
    const creation_options options{.chunks = {draw(1, 5)}, .spec = limits};
    std::vector<std::int32_t> plain(static_cast<std::size_t>(draw(0, 8)));
    store(zeros<std::int32_t>({static_cast<index_t>(plain.size())}, options), path);
    for (std::int32_t write = 1; write < 6; ++write) {
      const index_t count = draw(1, 9);
      append(full<std::int32_t>({count}, write, {.chunks = {draw(1, 6)}, .spec = limits}) + 0, path,
             axis<0>);
      plain.insert(plain.end(), static_cast<std::size_t>(count), write);
      const auto array = open<std::int32_t, 1>(path).compute();
      ASSERT_TRUE(std::ranges::equal(array.span(), plain)) << plain.size();
    }
  }
}

}  // namespace
}  // namespace tessera
