// SPDX-License-Identifier: Apache-2.0
/// \file
/// A copy into other chunks needs one chunk of each side, and no more.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

class TightCopies : public ::testing::Test {
 protected:
  [[nodiscard]] index_t draw(index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random_);
  }
  [[nodiscard]] store_options draw_layout(index_t rows, index_t columns) {
    const codec::configuration compressors[] = {codec::none{}, codec::zlib{}, codec::blosc{}};
    return {.chunks = {draw(1, rows + 9), draw(1, columns + 9)},
            .compressor = compressors[draw(0, 2)]};
  }
  /// Stores 0, 1, ... in `layout`.
  void store_numbers(const std::string& path, index_t rows, index_t columns,
                     const store_options& layout) const {
    store(reshape(arange(static_cast<double>(rows * columns)), {rows, columns}), path, layout);
  }
  void expect_numbers(const std::string& path) const {
    const auto elements = open<double, 2>(path).compute();
    double expected = 0;
    for (const double element : elements.span()) ASSERT_EQ(element, expected++);
  }
  /// Returns the memory of a copy between two arrays that are there: the chunk that is made, and
  /// one of the source, or the encoded one. What codecs take comes on top.
  [[nodiscard]] static std::size_t memory_of_copy(const std::string& from, const std::string& to) {
    const auto source = zarr_array::open(from);
    const auto copy = zarr_array::open(to);
    return copy.decoded_bytes() +
           std::max(source.decoded_bytes() + source.encoded_bound(), copy.encoded_bound()) +
           std::max(source.codec_workspace(), copy.codec_workspace());
  }

  /// Expects plans of a copy of `split`, and of lines and folds along each axis.
  template <class E>
  void expect_plans(const E& split) const {
    const store_options raw{.compressor = codec::none{}};
    EXPECT_NO_THROW(plan(stored(split, directory_ / "copy", raw)));
    EXPECT_NO_THROW(plan(stored(cumulative_sum(split, axis<0>), directory_ / "sums", raw)));
    EXPECT_NO_THROW(plan(stored(cumulative_sum(split, axis<1>), directory_ / "sums", raw)));
    EXPECT_NO_THROW(plan(stored(cumulative_sum(split, axis<2>), directory_ / "sums", raw)));
    EXPECT_NO_THROW(plan(stored(sum(split, axis<0>), directory_ / "sum", raw)));
    EXPECT_NO_THROW(plan(stored(sum(split, axis<0, 1>), directory_ / "sum", raw)));
    EXPECT_NO_THROW(plan(stored(sum(split, axis<2>), directory_ / "sum", raw)));
  }

  testing::temporary_directory directory_;
  unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

TEST_F(TightCopies, NeedOneChunkOfEachSide) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  // Of a few kB for each task, and of 3 % for its stack.
  const auto allowed = [](std::size_t memory) { return bytes(memory + memory / 25 + 20000); };
  for (int round = 0; round < 40; ++round) {
    const index_t rows = draw(1, 300);
    const index_t columns = draw(1, 300);
    store_numbers(directory_ / "x", rows, columns, draw_layout(rows, columns));
    const store_options layout = draw_layout(rows, columns);
    store_numbers(directory_ / "y", rows, columns, layout);
    const spec limits{
        .work_dir = directory_ / "work",
        .allowed_memory = allowed(memory_of_copy(directory_ / "x", directory_ / "y"))};
    SCOPED_TRACE(zarr_array::open(directory_ / "x").metadata().to_json() +
                 zarr_array::open(directory_ / "y").metadata().to_json());
    const plan copy(stored(open<double, 2>(directory_ / "x", limits), directory_ / "z", layout));
    copy.execute();
    expect_numbers(directory_ / "z");
  }
}

TEST_F(TightCopies, FollowLinesAlongASplitAxis) {
  const spec limits{.work_dir = directory_ / "work", .allowed_memory = bytes(2000000)};
  const auto x = zeros<float>({30000000}, {.chunks = {100000}, .spec = limits});
  const auto years = reshape(x, {15, -1});
  EXPECT_NO_THROW(plan(stored(cumulative_sum(years, axis<0>), directory_ / "sums")));
}

// A task may take two or three chunks of the source, 4 % and 30 kB more: two chunks suffice.
TEST_F(TightCopies, FollowLinesAlongRandomSplitAxes) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  const store_options raw{.compressor = codec::none{}};
  for (int round = 0; round < 60; ++round) {
    const index_t rows = draw(1, 20);
    const index_t columns = draw(1, 20);
    const index_t extent = draw(1, 1000) * 500;
    const index_t chunk = draw(1000, 100000);
    const index_t times = draw(2, 3);
    (void)zarr_array::create(directory_ / "x",
                             {.shape = {rows * columns * extent},
                              .chunks = {chunk},
                              .dtype = dtype::float32,
                              .compressor = codec::none{}},
                             {}, existing::replace);
    const spec limits{
        .work_dir = directory_ / "work",
        .allowed_memory = bytes(static_cast<std::size_t>(4 * times * chunk) * 26 / 25 + 30000)};
    const auto x = open<float, 1>(directory_ / "x", limits);
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " x " +
                 std::to_string(extent) + " in chunks of " + std::to_string(chunk) + ", memory " +
                 std::to_string(times));
    const auto split = reshape(x, {rows, columns, extent});
    EXPECT_NO_THROW(plan(stored(cumulative_sum(split, axis<0>), directory_ / "sums", raw)));
    EXPECT_NO_THROW(plan(stored(cumulative_sum(split, axis<1>), directory_ / "sums", raw)));
    EXPECT_NO_THROW(plan(stored(split, directory_ / "copy", raw)));
    EXPECT_NO_THROW(plan(stored(sum(split, axis<0>), directory_ / "sum", raw)));
    EXPECT_NO_THROW(plan(stored(sum(split, axis<0, 1>), directory_ / "sum", raw)));
  }
}

// One axis of two is split, or both are. A task may take two or three chunks of the source, and 4 %
// and 60 kB more: the scratch of a scan takes 33 to 41 kB of these.
TEST_F(TightCopies, FollowLinesAlongRandomSplitAxesOfMatrices) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  for (int round = 0; round < 60; ++round) {
    const index_t a = draw(1, 20);
    const index_t b = draw(1, 20);
    const index_t extent = draw(1, 60) * 20;
    const index_t times = draw(2, 3);
    const bool is_first = draw(0, 1) == 0;
    const index_vector shape = is_first ? index_vector{a * b, extent} : index_vector{extent, a * b};
    const index_vector chunks{draw(1, shape[0]), draw(1, shape[1])};
    const index_t chunk = chunks[0] * chunks[1];
    (void)zarr_array::create(
        directory_ / "x",
        {.shape = shape, .chunks = chunks, .dtype = dtype::float32, .compressor = codec::none{}},
        {}, existing::replace);
    const spec limits{
        .work_dir = directory_ / "work",
        .allowed_memory = bytes(static_cast<std::size_t>(4 * times * chunk) * 26 / 25 + 60000)};
    SCOPED_TRACE(format_shape(shape) + " in chunks of " + format_shape(chunks) + ", " +
                 std::to_string(a) + " x " + std::to_string(b) + ", memory " +
                 std::to_string(times));
    const auto x = open<float, 2>(directory_ / "x", limits);
    if (is_first) {
      expect_plans(reshape(x, {a, b, extent}));
      expect_plans(reshape(x, {a, b, extent / 20, 20}));
    } else {
      expect_plans(reshape(x, {extent, a, b}));
      expect_plans(reshape(x, {extent / 20, 20, a, b}));
    }
  }
}

// The sums are in storage, as the host has no room for them, and chunks of the encoded sums take a
// part of the memory. Half of the block fits.
TEST_F(TightCopies, LeaveRoomForSumsThatAreStoredAfterAll) {
  const store_options raw{.compressor = codec::none{}};
  const auto open_raw = [&](const index_vector& shape, const index_vector& chunks,
                            std::uint64_t allowed) {
    (void)zarr_array::create(
        directory_ / "x",
        {.shape = shape, .chunks = chunks, .dtype = dtype::float32, .compressor = codec::none{}},
        {}, existing::replace);
    const spec limits{.work_dir = directory_ / "work", .allowed_memory = bytes(allowed)};
    return open<float, 2>(directory_ / "x", limits);
  };
  const auto tall = reshape(open_raw({900, 51}, {631, 29}, 187247), {900, 3, 17});
  EXPECT_NO_THROW(plan(stored(cumulative_sum(tall, axis<1>), directory_ / "sums", raw)));
  const auto wide = reshape(open_raw({28, 800}, {25, 299}, 97192), {7, 4, 800});
  EXPECT_NO_THROW(plan(stored(cumulative_sum(wide, axis<1>), directory_ / "sums", raw)));
}

}  // namespace
}  // namespace tessera
