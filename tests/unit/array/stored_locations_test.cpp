// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
namespace fs = std::filesystem;

/// The results "mean" and "sum" of one computation, which `store` is asked to put at two places.
class StoredLocations : public testing::Test {
 protected:
  test::scratch_directory folder;
  array<double, 1> x_ = random::uniform<double>({6}, {.chunks = {2}, .seed = 1});
  array<double, 0> mean_ = mean(x_);
  array<double, 0> sum_ = sum(x_);
};

TEST_F(StoredLocations, TwoResultsOfOnePathAreRefused) {
  expect_error<value_error>(
      [&] { store(stored(mean_, folder / "a.zarr"), stored(sum_, folder / "a.zarr")); },
      {"'mean'", "'sum'", "a.zarr"});
  EXPECT_TRUE(fs::is_empty(folder / ""));
}

TEST_F(StoredLocations, OnePathIsKnownHoweverItIsSpelled) {
  for (const char* spelling : {"./a.zarr", "a.zarr/", "b/../a.zarr", ".//a.zarr/."}) {
    expect_error<value_error>(
        [&] { store(stored(mean_, folder / "a.zarr"), stored(sum_, folder / spelling)); },
        {"'mean'", "'sum'", "a.zarr"});
  }
  EXPECT_TRUE(fs::is_empty(folder / ""));
}

TEST_F(StoredLocations, OnePathIsKnownThroughALink) {
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  expect_error<value_error>(
      [&] { store(stored(mean_, folder / "real/a"), stored(sum_, folder / "link/a")); },
      {"'mean'", "'sum'", "real/a", "link/a"});
}

TEST_F(StoredLocations, AnArrayThatIsOpenedTwiceIsReadOnce) {
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  store(x_, folder / "real/x");
  const auto x = open<double, 1>(folder / "real/x");
  const plan once(sum(x), max(open<double, 1>(folder / "link/../link/x")));
  EXPECT_EQ(once.num_operations(), 1U);
  EXPECT_EQ(once.bytes_read(), plan(sum(x)).bytes_read());
}

TEST_F(StoredLocations, AnArrayThatIsOpenedInTwoWaysIsTwo) {
  store(x_, folder / "x");
  const auto x = open<double, 1>(folder / "x");
  const auto filled = open<double, 1>(folder / "x", {.missing = missing_chunks::fill});
  EXPECT_EQ(plan(sum(x), sum(filled)).num_operations(), 2U);
  const auto from = std::make_shared<filesystem_store>(folder / "");
  const auto kept = open<double, 1>(from, "x");
  const auto strict = open<double, 1>(from, "x", {.missing = missing_chunks::error});
  EXPECT_EQ(plan(sum(kept), sum(strict)).num_operations(), 2U);
}

TEST_F(StoredLocations, AStoreAndADirectoryMayBeOnePlace) {
  const auto group = std::make_shared<filesystem_store>(folder / "g.zarr");
  expect_error<value_error>(
      [&] {
        static_cast<void>(plan(stored(mean_, group, "a"), stored(sum_, folder / "g.zarr/a")));
      },
      {"'mean'", "'sum'", "g.zarr/a"});
  const auto memory = std::make_shared<memory_store>();
  expect_error<value_error>(
      [&] { static_cast<void>(plan(stored(mean_, memory, "a"), stored(sum_, memory, "/a/"))); },
      {"'mean'", "'sum'"});
  const auto second_store = std::make_shared<memory_store>();
  static_cast<void>(plan(stored(mean_, memory, "a"), stored(sum_, second_store, "a")).compute());
  EXPECT_EQ((open<double, 0>(second_store, "a").compute()()), sum_.compute()());
}

TEST_F(StoredLocations, AResultInsideOfAnotherIsRefused) {
  for (const auto& [outer, inner] :
       {std::pair("a", "a/b"), std::pair("g.zarr/a", "g.zarr/a/b/c")}) {
    expect_error<value_error>(
        [&] { store(stored(mean_, folder / outer), stored(sum_, folder / inner)); },
        {"'mean'", "'sum'", outer, inner});
    expect_error<value_error>(
        [&] { store(stored(mean_, folder / inner), stored(sum_, folder / outer)); },
        {"'mean'", "'sum'", outer, inner});
  }
  EXPECT_TRUE(fs::is_empty(folder / ""));
  store(stored(mean_, folder / "ab"), stored(sum_, folder / "a"));
}

TEST_F(StoredLocations, AResultInsideOfAnArrayIsRefusedBeforeAnythingIsComputed) {
  static_cast<void>(store(x_, folder / "a"));
  static_cast<void>(store(x_, folder / "g.zarr/a"));
  const auto memory = std::make_shared<memory_store>();
  static_cast<void>(store(x_, memory, "a"));
  for (const char* inner : {"a/b", "a/b/c", "g.zarr/a/b"}) {
    expect_error<zarr_error>(
        [&] { store(stored(mean_, folder / "m"), stored(sum_, folder / inner)); },
        {"a/b", "is an array"});
    EXPECT_FALSE(fs::exists(folder / "m"));
    EXPECT_FALSE(fs::exists(folder / inner));
  }
  expect_error<zarr_error>([&] { static_cast<void>(store(sum_, memory, "a/b")); }, {"a/b"});
}

TEST_F(StoredLocations, AResultAroundArraysIsRefused) {
  static_cast<void>(store(x_, folder / "results/a"));
  expect_error<zarr_error>([&] { static_cast<void>(store(sum_, folder / "results")); },
                           {"results", "results/a"});
  EXPECT_EQ((open<double, 1>(folder / "results/a").compute()), x_.compute());
  static_cast<void>(store(x_, folder / "g.zarr/a"));
  expect_error<zarr_error>(
      [&] { store(stored(mean_, folder / "m"), stored(sum_, folder / "g.zarr")); },
      {"a group is there"});
  EXPECT_FALSE(fs::exists(folder / "m"));
}

TEST_F(StoredLocations, AnArrayThatIsKeptIsRefusedBeforeAnythingIsComputed) {
  static_cast<void>(store(x_, folder / "a"));
  const array<double, 1> y = x_ - mean_;
  expect_error<zarr_error>(
      [&] {
        store(stored(mean_, folder / "m"), stored(y, folder / "a", {.existing = existing::keep}));
      },
      {"one is there", "a"});
  EXPECT_FALSE(fs::exists(folder / "m"));
  EXPECT_EQ((open<double, 1>(folder / "a").compute()), x_.compute());
}

TEST_F(StoredLocations, AnInputIsReadBeforeItIsWrittenOverHoweverItIsNamed) {
  static_cast<void>(store(x_, folder / "g.zarr/a"));
  fs::create_directory_symlink(folder / "g.zarr", folder / "link.zarr");
  const auto a = open<double, 1>(folder / "g.zarr/a");
  const auto through = std::make_shared<filesystem_store>(folder / "g.zarr");
  EXPECT_EQ(plan(stored(a + 1, folder / "g.zarr/b")).num_operations(), 1U);
  EXPECT_EQ(plan(stored(a + 1, folder / "g.zarr/a")).num_operations(), 2U);
  EXPECT_EQ(plan(stored(a + 1, folder / "link.zarr/a")).num_operations(), 2U);
  EXPECT_EQ(plan(stored(a + 1, through, "a")).num_operations(), 2U);
  store(a + 1, folder / "link.zarr/a");
  const auto changed = open<double, 1>(folder / "g.zarr/a");
  EXPECT_EQ(changed.compute(), (x_ + 1).compute());
  const array<double, 0> total = sum(changed);
  store(stored(total, folder / "t"), stored(changed, folder / "g.zarr/a"));
  EXPECT_EQ((open<double, 1>(folder / "g.zarr/a").compute()), (x_ + 1).compute());
}

TEST_F(StoredLocations, AResultIsNotPutAroundTheWorkDirectory) {
  const spec limits{.work_dir = folder / "work/dir"};
  const auto y = random::uniform<double>({6}, {.chunks = {2}, .spec = limits, .seed = 1});
  expect_error<value_error>([&] { store(y + 1, folder / "work/dir"); }, {"work directory"});
  expect_error<value_error>([&] { store(y + 1, folder / "work"); }, {"work directory"});
  static_cast<void>(store(y + 1, folder / "work/dir/y"));
}

constexpr index_t large = index_t{1} << 40;

TEST(Extents, ArraysOfMoreElementsThanCanBeCountedAreRefused) {
  const auto a = zeros<double>({large, 1});
  const auto b = zeros<double>({1, large});
  const auto refused = [](const auto& f, const char* function, const char* shape) {
    expect_error<shape_error>(f, {function, shape, "2^63 - 1"});
  };
  const char* both_shape = "(1099511627776, 1099511627776)";
  refused([] { static_cast<void>(zeros<double>({large, large})); }, "zeros", both_shape);
  refused([] { static_cast<void>(full<float>({large, large}, 1)); }, "full", both_shape);
  refused([] { static_cast<void>(random::normal<double>({large, large})); }, "normal", both_shape);
  refused(
      [] {
        static_cast<void>(from_memory<double>(nullptr, {large, large}));
      },
      "from_memory", both_shape);
  refused([&] { static_cast<void>(a + b); }, "add", both_shape);
  refused([&] { static_cast<void>(a * b); }, "multiply", both_shape);
  refused([&] { static_cast<void>(broadcast_to(a, {large, large})); }, "broadcast_to", both_shape);
  refused([&] { static_cast<void>(matmul(a, b)); }, "matmul", both_shape);
  const auto long_one = zeros<float>({index_t{1} << 62});
  refused([&] { static_cast<void>(stack(long_one, long_one)); }, "stack",
          "(2, 4611686018427387904)");
  refused([&] { static_cast<void>(concat(long_one, long_one)); }, "concat", "axis 0");
  refused([&] { static_cast<void>(concat(std::vector{long_one, long_one})); }, "concat", "axis 0");
  refused(
      [&] {
        static_cast<void>(sum(zeros<double>({large, 0, large}), axis<1>));
      },
      "sum", both_shape);
  refused([] { static_cast<void>(arange<double>(1e19)); }, "arange", "1e+19");
}

TEST(Extents, AResultThatNoMemoryHoldsIsRefused) {
  const auto x = zeros<double>({index_t{1} << 61});  // 2^64 B
  expect_error<memory_error>([&] { static_cast<void>((x + 1).compute()); }, {"host memory"});
  const auto y = zeros<float>({index_t{1} << 62, 1});
  expect_error<memory_error>([&] { static_cast<void>(plan(x + 1, y + 1, x * 2, y * 2)); },
                             {"host memory"});
}

TEST(Extents, TheLargestArrayIsNotRefused) {
  const auto x = zeros<std::int8_t>({std::numeric_limits<index_t>::max()});
  EXPECT_EQ(x.size(), std::numeric_limits<index_t>::max());
  EXPECT_EQ((zeros<double>({large, 0, large}).size()), 0);
}

}  // namespace
}  // namespace tessera
