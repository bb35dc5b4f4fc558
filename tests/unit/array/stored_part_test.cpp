// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
namespace fs = std::filesystem;

std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};
std::atomic<int> num_calls{0};

/// The identity, which counts, and fails from an element on.
struct failing {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the disk is full");
    ++num_calls;
    return x;
  }
};

std::function<void()> second_run;

/// The identity, within which another run begins.
struct starting_another {
  double operator()(double x) const {
    second_run();
    return x;
  }
};

/// An array "a.zarr" of 10 x 6 zeros in chunks of 4 x 3, and numbers to write into it.
class StoredPart : public testing::Test {
 protected:
  void SetUp() override {
    fails_from = std::numeric_limits<double>::infinity();
    num_calls = 0;
    store(zeros<double>({10, 6}, {.chunks = {4, 3}, .spec = limits()}), path(),
          {.compressor = codec::zlib{.level = 3},
           .attributes = {{"units", std::string("K")}},
           .fill_value = -1.0});
  }

  [[nodiscard]] spec limits() const {
    spec own;
    own.work_dir = folder / "work";
    return own;
  }
  [[nodiscard]] std::string path() const { return folder / "a.zarr"; }
  [[nodiscard]] run_with serial() const { return {.executor = executors::serial()}; }

  /// The numbers first, first + 1, ... in the given shape.
  [[nodiscard]] auto numbers(double first, index_t rows, index_t columns) const {
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), first);
    return from_memory(std::move(values), {rows, columns}, {.chunks = {4, 3}, .spec = limits()});
  }

  /// Expects what is stored: where `box` has a place, numbers from `first` on, elsewhere `other`.
  void expect_stored(const region& box, double first, double other = 0) const {
    const auto found = open<double, 2>(path()).compute();
    index_t next = 0;
    for (index_t i = 0; i < found.shape()[0]; ++i) {
      for (index_t j = 0; j < found.shape()[1]; ++j) {
        const bool is_inside = box.contains({{i, j}, {i + 1, j + 1}});
        const double expected = is_inside ? first + static_cast<double>(next++) : other;
        ASSERT_EQ(found(i, j), expected) << i << ", " << j;
      }
    }
  }
  [[nodiscard]] std::string mark_of_run() const {
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().filename().string().starts_with(".tessera")) return entry.path();
    }
    return {};
  }
  [[nodiscard]] bool has_marks() const { return !mark_of_run().empty(); }

  test::scratch_directory folder;
};

TEST_F(StoredPart, WritesARegionAndNothingElse) {
  const auto all = store(numbers(1, 4, 6), path(), {.region = {slice(4, 8), whole}});
  EXPECT_EQ(all.shape(), (std::array<index_t, 2>{10, 6}));
  expect_stored({{4, 0}, {8, 6}}, 1);
  const zarr_array array = zarr_array::open(path());
  EXPECT_EQ(array.metadata().compressor, codec::configuration(codec::zlib{.level = 3}));
  EXPECT_EQ(array.attributes().get<std::string>("units"), "K");
  EXPECT_FALSE(has_marks());
}

TEST_F(StoredPart, ARegionMayEndWhereTheArrayDoes) {
  store(numbers(1, 2, 3), path(), {.region = {slice(-2, none), slice(3, none)}});
  expect_stored({{8, 3}, {10, 6}}, 1);
}

TEST_F(StoredPart, BoundsThatCutAChunkAreRefusedWithThoseThatDoNot) {
  expect_error<shape_error>(
      [&] {
        store(numbers(1, 3, 6), path(), {.region = {slice(5, 8), whole}});
      },
      {"[5, 8)", "axis 0", "begins at 5", "chunk of 4", "begin at 4 or 8"});
  expect_error<shape_error>(
      [&] {
        store(numbers(1, 5, 6), path(), {.region = {slice(4, 9), whole}});
      },
      {"[4, 9)", "ends at 9", "end at 8 or 10"});
  expect_stored({{0, 0}, {0, 0}}, 0);
}

TEST_F(StoredPart, WhatDoesNotFitIsRefusedWithBothSides) {
  const auto into = [&](const auto& x, auto... bounds) {
    store(x, path(), {.region = {bounds...}});
  };
  expect_error<shape_error>([&] { into(numbers(1, 2, 6), slice(0, 4), whole); },
                            {"(4, 6)", "(2, 6)"});
  expect_error<shape_error>([&] { into(numbers(1, 4, 6), slice(0, 4)); }, {"1 axes", "(10, 6)"});
  expect_error<shape_error>([&] { into(numbers(1, 4, 6), slice(8, 12), whole); },
                            {"[8, 12)", "extent 10", "append"});
  expect_error<value_error>([&] { into(numbers(1, 4, 6), slice(0, 8, 2), whole); }, {"step 2"});
  expect_error<shape_error>([&] { into(sum(numbers(1, 4, 6), axis<0>), slice(0, 6)); },
                            {"rank 2", "rank 1"});
  expect_error<dtype_error>([&] { into(astype<float>(numbers(1, 4, 6)), slice(0, 4), whole); },
                            {"float64", "float32"});
  EXPECT_THROW(store(numbers(1, 4, 6), folder / "none.zarr", {.region = {slice(0, 4), whole}}),
               zarr_error);
}

TEST_F(StoredPart, OptionsThatTheArrayContradictsAreRefused) {
  const auto x = numbers(1, 4, 6);
  const auto refused = [&](store_options options, const char* word) {
    options.region = {slice(0, 4), whole};
    expect_error<value_error>([&] { store(x, path(), options); }, {word, "a.zarr"});
  };
  refused({.chunks = {5, 3}}, "chunks (4, 3)");
  refused({.compressor = codec::zlib{.level = 4}}, "compressor");
  refused({.filters = {codec::delta{}}}, "filters");
  refused({.order = 'F'}, "order");
  refused({.dimension_separator = '/'}, "dimension_separator");
  refused({.fill_value = 7}, "fill_value");
  refused({.dimension_names = {"x", "y"}}, "dimension_names");
  refused({.attributes = {{"units", std::string("m")}}}, "attributes");
  refused({.existing = existing::keep}, "existing");
  store(x, path(),
        {.chunks = {4, 3},
         .compressor = codec::zlib{.level = 3},
         .attributes = {{"units", std::string("K")}},
         .fill_value = -1.0,
         .region = {slice(0, 4), whole}});
  expect_stored({{0, 0}, {4, 6}}, 1);
}

TEST_F(StoredPart, OneRunWritesSeveralRegions) {
  const auto [a, b] = plan(stored(numbers(1, 4, 6), path(), {.region = {slice(0, 4), whole}}),
                           stored(numbers(25, 4, 6), path(), {.region = {slice(4, 8), whole}}))
                          .compute();
  EXPECT_EQ(a.shape(), b.shape());
  expect_stored({{0, 0}, {8, 6}}, 1);
}

TEST_F(StoredPart, TargetsOfOneRunThatOverlapAreRefused) {
  const auto x = numbers(1, 8, 6);
  expect_error<value_error>(
      [&] {
        plan(stored(x, path(), {.region = {slice(0, 8), whole}}),
             stored(numbers(1, 6, 6), path(), {.region = {slice(4, none), whole}}));
      },
      {"[0:8, 0:6]", "[4:10, 0:6]", "overlap"});
  expect_error<value_error>(
      [&] {
        plan(stored(x, path(), {.region = {slice(0, 8), whole}}), stored(x, path()));
      },
      {"same place"});
}

TEST_F(StoredPart, ARegionOfAnArrayThatThePlanReadsIsRefused) {
  const auto there = open<double, 2>(path(), limits());
  expect_error<value_error>(
      [&] {
        store(there(slice(0, 4), whole) + 1.0, path(), {.region = {slice(4, 8), whole}});
      },
      {"reads the array", "a.zarr"});
}

TEST_F(StoredPart, ARunThatGoesOnWritesTheChunksThatAreLeft) {
  const auto run = [&] {
    store(map(failing{}, numbers(0, 8, 6)), path(), {.region = {slice(0, 8), whole}}, serial());
  };
  fails_from = 30;  // in the second row of chunks
  EXPECT_THROW(run(), task_error);
  EXPECT_TRUE(has_marks());
  fails_from = std::numeric_limits<double>::infinity();
  num_calls = 0;
  run();
  EXPECT_EQ(num_calls, 24);
  expect_stored({{0, 0}, {8, 6}}, 0);
  EXPECT_FALSE(has_marks());
}

TEST_F(StoredPart, AnotherRunOfTheRegionEndsTheOneThatCouldGoOn) {
  const auto run = [&] {
    store(map(failing{}, numbers(0, 8, 6)), path(), {.region = {slice(0, 8), whole}}, serial());
  };
  fails_from = 30;
  EXPECT_THROW(run(), task_error);
  store(numbers(100, 4, 6), path(), {.region = {slice(4, 8), whole}}, serial());
  EXPECT_FALSE(has_marks());
  fails_from = std::numeric_limits<double>::infinity();
  num_calls = 0;
  run();
  EXPECT_EQ(num_calls, 48);
  expect_stored({{0, 0}, {8, 6}}, 0);
}

TEST_F(StoredPart, ARegionEndsTheReplacementThatCouldGoOn) {
  const auto run = [&] { store(map(failing{}, numbers(0, 8, 6)), path(), {}, serial()); };
  fails_from = 30;
  EXPECT_THROW(run(), task_error);
  store(numbers(100, 4, 6), path(), {.region = {slice(4, 8), whole}}, serial());
  EXPECT_FALSE(has_marks());
  fails_from = std::numeric_limits<double>::infinity();
  num_calls = 0;
  run();
  EXPECT_EQ(num_calls, 48);
  expect_stored({{0, 0}, {8, 6}}, 0);
}

TEST_F(StoredPart, TwoRunsOfOneProgramExcludeEachOther) {
  second_run = [&] {
    expect_error<zarr_error>([&] { store(numbers(1, 8, 6), path(), {}, serial()); },
                             {"a.zarr", "to replace it", "store again"});
  };
  store(map(starting_another{}, numbers(7, 1, 1)), path(), {}, serial());
  expect_stored({{0, 0}, {1, 1}}, 7);
}

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
  const auto found = open<double, 2>(path()).compute();
  EXPECT_EQ(found(7, 5), 47);
  EXPECT_EQ(found(0, 6), 100);
  EXPECT_EQ(found(7, 8), 123);
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

// What the first append wrote is whole, so that its mark goes and the other one finds its place.
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
  append(numbers(48, 2, 6), path(), axis<0>);
  expect_error<shape_error>([&] { append(numbers(1, 4, 6), path(), axis<0>); },
                            {"ends at 10", "chunk of 4", "8 and 12", "divides 10"});
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
  expect_numbers(14);
}

// Every region of whole chunks, drawn at random, into an array that a plain one shadows.
TEST(StoredPartProperty, RandomRegionsWriteWhatAPlainArrayHolds) {
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
  for (int round = 0; round < 20; ++round) {
    const index_vector shape{draw(1, 12), draw(1, 12)};
    const index_vector chunks{draw(1, 5), draw(1, 5)};
    std::vector<std::int32_t> plain(static_cast<std::size_t>(shape[0] * shape[1]));
    store(zeros<std::int32_t>({shape[0], shape[1]},
                              {.chunks = {chunks[0], chunks[1]}, .spec = limits}),
          path);
    for (std::int32_t write = 1; write < 6; ++write) {
      region box = region::whole(shape);
      for (std::size_t k = 0; k < 2; ++k) {
        const index_t count = ceil_divide(shape[k], chunks[k]);
        box.start[k] = draw(0, count - 1);
        box.stop[k] = std::min(draw(box.start[k] + 1, count) * chunks[k], shape[k]);
        box.start[k] *= chunks[k];
      }
      const auto x = full<std::int32_t>({box.shape()[0], box.shape()[1]}, write,
                                        {.chunks = {draw(1, 6), draw(1, 6)}, .spec = limits});
      store(x + 0, path,
            {.region = {slice(box.start[0], box.stop[0]), slice(box.start[1], box.stop[1])}});
      for (index_t i = box.start[0]; i < box.stop[0]; ++i) {
        for (index_t j = box.start[1]; j < box.stop[1]; ++j) {
          plain[static_cast<std::size_t>(i * shape[1] + j)] = write;
        }
      }
      const auto found = open<std::int32_t, 2>(path).compute();
      ASSERT_TRUE(std::ranges::equal(found.span(), plain)) << format_region(box);
    }
  }
}

}  // namespace
}  // namespace tessera
