// SPDX-License-Identifier: Apache-2.0
#include "tessera/c/tessera.h"

#include "unit/store/temporary_directory.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace {

using tessera::testing::temporary_directory;

using numbers = std::vector<std::int64_t>;

class C : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "a.zarr") const {
    return folder_ / name;
  }
  /// Creates an array of float64.
  [[nodiscard]] tessera_array create(const numbers& shape, const numbers& chunks) const {
    tessera_array array = 0;
    EXPECT_EQ(tessera_create(path().c_str(), TESSERA_FLOAT64, shape.size(), shape.data(),
                             chunks.data(), nullptr, &array),
              0)
        << tessera_last_error();
    return array;
  }
  /// Writes the numbers from 0 on to an array of shape (4, 6) in chunks of (2, 3).
  [[nodiscard]] tessera_array counted() const {
    const tessera_array array = create({4, 6}, {2, 3});
    std::array<double, 24> elements{};
    for (std::size_t i = 0; i < 24; ++i) elements[i] = static_cast<double>(i);
    const numbers start{0, 0};
    const numbers extents{4, 6};
    EXPECT_EQ(tessera_write(array, start.data(), extents.data(), elements.data(), sizeof elements),
              0);
    return array;
  }
  static void expect_error(int status) {
    EXPECT_EQ(status, -1);
    EXPECT_STRNE(tessera_last_error(), "");
  }

  temporary_directory folder_;
};

TEST_F(C, ReadsABoxOfWhatItWrote) {
  const tessera_array array = counted();
  const numbers start{1, 2};
  const numbers extents{2, 3};
  std::array<double, 6> elements{};
  ASSERT_EQ(tessera_read(array, start.data(), extents.data(), elements.data(), sizeof elements), 0);
  EXPECT_EQ(elements, (std::array<double, 6>{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(tessera_close(array), 0);
}

TEST_F(C, DescribesAnArray) {
  ASSERT_EQ(tessera_close(counted()), 0);
  tessera_array array = 0;
  ASSERT_EQ(tessera_open(path().c_str(), &array), 0);
  int type = -1;
  std::size_t rank = 0;
  numbers shape(2);
  numbers chunks(2);
  EXPECT_EQ(tessera_get_dtype(array, &type), 0);
  EXPECT_EQ(tessera_get_rank(array, &rank), 0);
  EXPECT_EQ(tessera_get_shape(array, 2, shape.data()), 0);
  EXPECT_EQ(tessera_get_chunks(array, 2, chunks.data()), 0);
  EXPECT_EQ(type, TESSERA_FLOAT64);
  EXPECT_EQ(rank, 2U);
  EXPECT_EQ(shape, (numbers{4, 6}));
  EXPECT_EQ(chunks, (numbers{2, 3}));
  EXPECT_EQ(tessera_close(array), 0);
}

TEST_F(C, AppendsAndTruncates) {
  const tessera_array array = create({0, 3}, {1, 3});
  const std::array<double, 6> steps{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(tessera_append(array, steps.data(), sizeof steps), 0);
  EXPECT_EQ(tessera_append(array, steps.data(), sizeof steps / 2), 0);
  numbers shape(2);
  EXPECT_EQ(tessera_get_shape(array, 2, shape.data()), 0);
  EXPECT_EQ(shape, (numbers{3, 3}));
  EXPECT_EQ(tessera_truncate(array, 2), 0);
  EXPECT_EQ(tessera_get_shape(array, 2, shape.data()), 0);
  EXPECT_EQ(shape, (numbers{2, 3}));
  expect_error(tessera_truncate(array, 3));
  expect_error(tessera_truncate(array, -1));
  EXPECT_EQ(tessera_close(array), 0);
}

// The mean of 0 to n - 1 is (n - 1) / 2, the variance (n^2 - 1) / 12.
TEST_F(C, ComputesStatistics) {
  const tessera_array array = counted();
  tessera_statistics figures{};
  ASSERT_EQ(tessera_get_statistics(array, &figures), 0);
  EXPECT_EQ(figures.min, 0);
  EXPECT_EQ(figures.max, 23);
  EXPECT_DOUBLE_EQ(figures.mean, 11.5);
  EXPECT_DOUBLE_EQ(figures.stddev * figures.stddev, 575.0 / 12);
  EXPECT_EQ(figures.count, 24);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const numbers start{0, 0};
  const numbers extents{1, 1};
  ASSERT_EQ(tessera_write(array, start.data(), extents.data(), &nan, sizeof nan), 0);
  ASSERT_EQ(tessera_get_statistics(array, &figures), 0);
  EXPECT_EQ(figures.min, 1);
  EXPECT_EQ(figures.count, 23);
  EXPECT_EQ(tessera_close(array), 0);
}

TEST_F(C, RechunksWithinTheMemoryThatItStates) {
  const tessera_array array = counted();
  const numbers chunks{4, 1};
  std::uint64_t bound = 0;
  ASSERT_EQ(tessera_get_rechunk_memory(array, chunks.data(), path("b.zarr").c_str(), 0, &bound), 0)
      << tessera_last_error();
  EXPECT_GT(bound, 24 * sizeof(double));
  ASSERT_EQ(tessera_rechunk(array, chunks.data(), path("b.zarr").c_str(), 0), 0);
  tessera_array copy = 0;
  ASSERT_EQ(tessera_open(path("b.zarr").c_str(), &copy), 0);
  numbers lengths(2);
  EXPECT_EQ(tessera_get_chunks(copy, 2, lengths.data()), 0);
  EXPECT_EQ(lengths, chunks);
  const numbers start{3, 5};
  const numbers extents{1, 1};
  double last = 0;
  EXPECT_EQ(tessera_read(copy, start.data(), extents.data(), &last, sizeof last), 0);
  EXPECT_EQ(last, 23);
  expect_error(tessera_rechunk(array, chunks.data(), path("c.zarr").c_str(), 1));
  EXPECT_EQ(tessera_close(copy), 0);
  EXPECT_EQ(tessera_close(array), 0);
}

TEST_F(C, SurvivesNull) {
  const tessera_array array = counted();
  const numbers start{0, 0};
  const numbers extents{1, 1};
  double element = 0;
  expect_error(tessera_create(nullptr, TESSERA_FLOAT64, 0, nullptr, nullptr, nullptr, nullptr));
  tessera_array created = 0;
  expect_error(
      tessera_create(path("n").c_str(), TESSERA_FLOAT64, 2, nullptr, nullptr, nullptr, &created));
  expect_error(tessera_open(nullptr, nullptr));
  expect_error(tessera_open(path().c_str(), nullptr));
  expect_error(tessera_get_dtype(array, nullptr));
  expect_error(tessera_get_rank(array, nullptr));
  expect_error(tessera_get_shape(array, 2, nullptr));
  expect_error(tessera_get_chunks(array, 2, nullptr));
  expect_error(tessera_read(array, nullptr, extents.data(), &element, sizeof element));
  expect_error(tessera_read(array, start.data(), nullptr, &element, sizeof element));
  expect_error(tessera_read(array, start.data(), extents.data(), nullptr, sizeof element));
  expect_error(tessera_write(array, nullptr, nullptr, nullptr, 8));
  expect_error(tessera_write(array, start.data(), extents.data(), nullptr, sizeof element));
  expect_error(tessera_append(array, nullptr, 48));
  expect_error(tessera_get_statistics(array, nullptr));
  expect_error(tessera_rechunk(array, nullptr, path("n").c_str(), 0));
  expect_error(tessera_rechunk(array, start.data(), nullptr, 0));
  expect_error(tessera_get_rechunk_memory(array, extents.data(), path("n").c_str(), 0, nullptr));
  EXPECT_EQ(tessera_close(array), 0);
}

TEST_F(C, SurvivesHandlesThatAreNotOpen) {
  const tessera_array closed = counted();
  ASSERT_EQ(tessera_close(closed), 0);
  EXPECT_EQ(tessera_close(0), 0);
  numbers some{1, 1};
  double element = 0;
  int type = 0;
  std::size_t rank = 0;
  std::uint64_t bound = 0;
  tessera_statistics figures{};
  const std::string copy = path("copy.zarr");
  for (const tessera_array array :
       {closed, tessera_array{0}, tessera_array{-1}, std::numeric_limits<tessera_array>::max()}) {
    if (array != 0) expect_error(tessera_close(array));
    expect_error(tessera_get_dtype(array, &type));
    expect_error(tessera_get_rank(array, &rank));
    expect_error(tessera_get_shape(array, 2, some.data()));
    expect_error(tessera_get_chunks(array, 2, some.data()));
    expect_error(tessera_read(array, some.data(), some.data(), &element, sizeof element));
    expect_error(tessera_write(array, some.data(), some.data(), &element, sizeof element));
    expect_error(tessera_append(array, &element, sizeof element));
    expect_error(tessera_truncate(array, 0));
    expect_error(tessera_get_statistics(array, &figures));
    expect_error(tessera_rechunk(array, some.data(), copy.c_str(), 0));
    expect_error(tessera_get_rechunk_memory(array, some.data(), copy.c_str(), 0, &bound));
  }
}

TEST_F(C, SurvivesHostilePaths) {
  std::ofstream(path("file")) << "no array";
  const std::string deep = "/" + std::string(100'000, 'x');
  const std::array<std::string, 9> paths{"",
                                         path("missing.zarr"),
                                         path("file"),
                                         path("file") + "/below",
                                         "/proc/self/mem",
                                         "nowhere://bucket/a",
                                         deep,
                                         "\xff\xfe\n\x01",
                                         "%s%n%s%n"};
  for (const std::string& hostile : paths) {
    tessera_array array = 7;
    expect_error(tessera_open(hostile.c_str(), &array));
    EXPECT_EQ(array, 0) << hostile.substr(0, 80);
  }
  const numbers single{1};
  tessera_array array = 0;
  for (const std::string& hostile : {path("file"), path("file") + "/below", deep, paths[5]}) {
    expect_error(tessera_create(hostile.c_str(), TESSERA_INT8, 1, single.data(), single.data(),
                                nullptr, &array));
  }
}

TEST_F(C, SurvivesHostileNumbers) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  tessera_array array = 0;
  const auto expect_refused = [&](int type, std::size_t rank, const numbers& shape,
                                  const numbers& chunks) {
    expect_error(tessera_create(path("h.zarr").c_str(), type, rank, shape.data(), chunks.data(),
                                nullptr, &array));
  };
  expect_refused(-1, 1, {1}, {1});
  expect_refused(14, 1, {1}, {1});
  expect_refused(TESSERA_INT8, std::numeric_limits<std::size_t>::max(), {1}, {1});
  expect_refused(TESSERA_INT8, 1, {-1}, {1});
  expect_refused(TESSERA_INT8, 1, {1}, {0});
  expect_refused(TESSERA_FLOAT64, 2, {most, most}, {1, 1});
  expect_refused(TESSERA_FLOAT64, 1, {1}, {most});
  const tessera_array open = counted();
  double element = 0;
  for (const numbers& start : {numbers{-1, 0}, {4, 0}, {0, most}, {-most - 1, 0}}) {
    const numbers extents{1, 1};
    expect_error(tessera_read(open, start.data(), extents.data(), &element, sizeof element));
    expect_error(tessera_write(open, start.data(), extents.data(), &element, sizeof element));
  }
  for (const numbers& extents : {numbers{-1, 1}, {5, 1}, {most, most}, {1, 2}}) {
    const numbers start{0, 0};
    expect_error(tessera_read(open, start.data(), extents.data(), &element, sizeof element));
    expect_error(tessera_write(open, start.data(), extents.data(), &element, sizeof element));
  }
  expect_error(tessera_append(open, &element, sizeof element));
  expect_error(tessera_get_shape(open, 3, numbers(3).data()));
  EXPECT_EQ(tessera_close(open), 0);
}

TEST_F(C, HasAVersion) { EXPECT_STREQ(tessera_version(), "0.1.0"); }

}  // namespace
