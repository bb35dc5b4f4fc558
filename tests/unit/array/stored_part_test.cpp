// SPDX-License-Identifier: Apache-2.0
#include "unit/array/stored_part.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
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

std::function<void()> second_run;

/// The identity, within which another run begins.
struct starting_another {
  double operator()(double x) const {
    second_run();
    return x;
  }
};

TEST_F(StoredPart, WritesARegionAndNothingElse) {
  const auto stored_part = store(numbers(1, 4, 6), path(), {.region = {slice(4, 8), whole}});
  EXPECT_EQ(stored_part.shape(), (std::array<index_t, 2>{10, 6}));
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

TEST_F(StoredPart, BoundsMayCutChunks) {
  store(numbers(1, 4, 3), path(), {.region = {slice(3, 7), slice(2, 5)}});
  expect_stored({{3, 2}, {7, 5}}, 1);
  EXPECT_FALSE(has_marks());
}

TEST_F(StoredPart, AnArrayWhoseTypeIsKnownLaterGoesToAnyRegion) {
  store(numbers(1, 4, 3), folder / "part.zarr");
  store(open_any(folder / "part.zarr"), path(), {.region = {slice(3, 7), slice(2, 5)}});
  expect_stored({{3, 2}, {7, 5}}, 1);
}

TEST_F(StoredPart, ElementsThatAreNoNumbersGoToAnyRegion) {
  const auto make_days = [&](const std::string& name, index_t count, std::int64_t first) {
    const auto array = zarr_array::create(
        folder / name, {.shape = {count}, .chunks = {3}, .dtype = data_type::parse("\"<M8[D]\"")});
    std::vector<std::int64_t> days(static_cast<std::size_t>(count));
    std::iota(days.begin(), days.end(), first);
    std::vector<std::byte> decoded(array.decoded_bytes());
    std::vector<std::byte> encoded(array.encoded_bound());
    array.write_region(region::whole(array.shape()), std::as_bytes(std::span(days)), decoded,
                       encoded);
  };
  make_days("all.zarr", 8, 0);
  make_days("part.zarr", 3, 100);
  store(open_any(folder / "part.zarr"), folder / "all.zarr", {.region = {slice(2, 5)}});
  const auto array = zarr_array::open(folder / "all.zarr");
  std::vector<std::int64_t> values(8);
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.read_region(region::whole(array.shape()), std::as_writable_bytes(std::span(values)),
                    decoded, encoded);
  EXPECT_EQ(values, (std::vector<std::int64_t>{0, 1, 100, 101, 102, 5, 6, 7}));
}

TEST_F(StoredPart, WhatIsMissingBesideARegionHasTheFillValue) {
  const std::string sparse = folder / "sparse.zarr";
  store(full<double>({10, 6}, -1.0, {.chunks = {4, 3}, .spec = limits()}), sparse,
        {.order = 'F', .fill_value = -1.0, .empty = empty_chunks::omit});
  ASSERT_FALSE(zarr_array::open(sparse).has_chunk(index_vector{0, 0}));
  store(numbers(1, 1, 2), sparse, {.region = {slice(1, 2), slice(1, 3)}});
  const auto result = open<double, 2>(sparse).compute();
  EXPECT_EQ(result(0, 1), -1);
  EXPECT_EQ(result(1, 0), -1);
  EXPECT_EQ(result(1, 1), 1);
  EXPECT_EQ(result(1, 2), 2);
  EXPECT_EQ(result(9, 5), -1);
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

TEST_F(StoredPart, RegionsOfOneRunThatShareAChunkAreRefused) {
  expect_error<value_error>(
      [&] {
        plan(stored(numbers(1, 2, 6), path(), {.region = {slice(0, 2), whole}}),
             stored(numbers(1, 2, 6), path(), {.region = {slice(2, 4), whole}}));
      },
      {"a.zarr", "same chunks", "[0:4, 0:6]", "one after the other"});
}

TEST_F(StoredPart, ARunThatGoesOnKeepsWhatIsBesideItsRegion) {
  store(numbers(0, 10, 6), path());
  const auto run = [&] {
    store(map(failing{}, numbers(200, 6, 5)), path(), {.region = {slice(1, 7), slice(1, none)}},
          serial());
  };
  fails_from = 225;  // in the second row of chunks
  EXPECT_THROW(run(), task_error);
  EXPECT_TRUE(has_marks());
  fails_from = std::numeric_limits<double>::infinity();
  run();
  EXPECT_FALSE(has_marks());
  const auto result = open<double, 2>(path()).compute();
  for (index_t i = 0; i < 10; ++i) {
    for (index_t j = 0; j < 6; ++j) {
      const bool is_inside = i >= 1 && i < 7 && j >= 1;
      const index_t expected = is_inside ? 200 + (i - 1) * 5 + j - 1 : i * 6 + j;
      EXPECT_EQ(result(i, j), static_cast<double>(expected)) << i << ", " << j;
    }
  }
}

TEST_F(StoredPart, ARegionIsComputedFromAnotherRegion) {
  store(numbers(0, 4, 6), path(), {.region = {slice(0, 4), whole}});
  const auto there = open<double, 2>(path(), limits());
  store(there(slice(0, 4), whole) + 1.0, path(), {.region = {slice(4, 8), whole}});
  const auto elements = open<double, 2>(path(), limits()).compute();
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 6; ++j) EXPECT_EQ(elements(i + 4, j), elements(i, j) + 1.0);
  }
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

// Chunks of 2 x 2 in shards of 4 x 6, of which one task writes each.
TEST_F(StoredPart, RunsThatWriteToAShardExcludeEachOther) {
  store(numbers(0, 10, 6), path(), {.chunks = {2, 2}, .shards = {4, 6}, .format = 3});
  second_run = [&] {
    expect_error<zarr_error>(
        [&] {
          store(numbers(1, 2, 2), path(), {.region = {slice(2, 4), slice(4, 6)}}, serial());
        },
        {"a.zarr", "to write [0:4, 0:6] of it", "store again"});
    store(numbers(50, 1, 1), path(), {.region = {slice(4, 5), slice(0, 1)}}, serial());
  };
  store(map(starting_another{}, numbers(70, 1, 1)), path(), {.region = {slice(0, 1), slice(0, 1)}},
        serial());
  const auto result = open<double, 2>(path()).compute();
  EXPECT_EQ(result(0, 0), 70);
  EXPECT_EQ(result(4, 0), 50);
  EXPECT_EQ(result(3, 5), 23);
}

TEST_F(StoredPart, RegionsOfOneRunThatShareAShardAreRefused) {
  store(numbers(0, 10, 6), path(), {.chunks = {2, 2}, .shards = {4, 6}, .format = 3});
  const auto stored_in = [&](index_t begin, index_t end) {
    return stored(numbers(1, 2, end - begin), path(), {.region = {slice(0, 2), slice(begin, end)}});
  };
  expect_error<value_error>([&] { plan(stored_in(0, 2), stored_in(2, 6)); },
                            {"a.zarr", "[0:4, 0:6]", "one after the other"});
}

// Regions drawn at random, into an array that a plain one shadows.
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
        box.start[k] = draw(0, shape[k] - 1);
        box.stop[k] = draw(box.start[k] + 1, shape[k]);
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
      const auto result = open<std::int32_t, 2>(path).compute();
      ASSERT_TRUE(std::ranges::equal(result.span(), plain)) << format_region(box);
    }
  }
}

}  // namespace
}  // namespace tessera
