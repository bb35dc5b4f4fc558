// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies of arrays of elements that are no numbers are plans like any other.

#include "tessera/tessera.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include "unit/store/temporary_directory.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;

using testing::fault_effect;
using testing::fault_injecting_store;
using testing::store_operation;
using testing::temporary_directory;

constexpr auto records = R"([["a", ">i2"], ["b", "|V3"]])";
constexpr auto strings = R"("<U2")";

constexpr index_t extent = 8;
constexpr index_t chunk = 2;

zarr_metadata metadata_of(const std::string& type) {
  zarr_metadata metadata;
  metadata.shape = {extent};
  metadata.chunks = {chunk};
  metadata.dtype = data_type::parse(type);
  metadata.compressor = codec::zlib{.level = 1};
  return metadata;
}

/// Fills an array with bytes that are all different, and returns them.
std::vector<std::byte> fill(const zarr_array& array) {
  std::vector<std::byte> elements(extent * array.itemsize());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::byte>(3 * i + 1);
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.write_region(region::whole(array.shape()), elements, decoded, encoded);
  return elements;
}

std::vector<std::byte> read_all(const zarr_array& array) {
  std::vector<std::byte> elements(extent * array.itemsize());
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.read_region(region::whole(array.shape()), elements, decoded, encoded);
  return elements;
}

class Copies : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    expected_ = fill(zarr_array::create(directory_ / "from", metadata_of(GetParam())));
  }

  /// Copies the array on one worker, so that chunks are written in order.
  [[nodiscard]] any_array copy(const store_options& options = {}) const {
    spec limits;
    limits.work_dir = directory_ / "work";
    return store(open_any(directory_ / "from", limits), directory_ / "to", options,
                 {.executor = executors::serial()});
  }

  /// Gives a chunk of the array other bytes, of which nothing but these tells.
  void swap_bytes_of_chunk(index_t number) const {
    const fs::path file = directory_ / "from/" + std::to_string(number);
    const auto time = fs::last_write_time(file);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    std::array<char, 2> first{};
    stream.read(first.data(), 2);
    std::swap(first[0], first[1]);
    stream.seekp(0);
    stream.write(first.data(), 2);
    stream.close();
    fs::last_write_time(file, time);
  }

  [[nodiscard]] fs::file_time_type time_of_chunk(index_t number) const {
    return fs::last_write_time(directory_ / "to/" + std::to_string(number));
  }

  temporary_directory directory_;
  std::vector<std::byte> expected_;
};

TEST_P(Copies, AreContinuedWhereTheyWereInterrupted) {
  swap_bytes_of_chunk(2);
  EXPECT_THROW(static_cast<void>(copy()), task_error);
  ASSERT_FALSE(fs::exists(directory_ / "to/2"));
  const std::array before{time_of_chunk(0), time_of_chunk(1)};
  swap_bytes_of_chunk(2);
  const any_array copied = copy();
  EXPECT_EQ(before, (std::array{time_of_chunk(0), time_of_chunk(1)})) << "written again";
  EXPECT_EQ(read_all(*zarr_array_of(copied.stored())), expected_);
}

// A block of a task is two chunks of the copy, of which an earlier run may have left one.
TEST_P(Copies, IntoSmallerChunksAreContinuedWithinABlock) {
  swap_bytes_of_chunk(2);
  EXPECT_THROW(static_cast<void>(copy({.chunks = {1}})), task_error);
  ASSERT_TRUE(fs::remove(directory_ / "to/1"));
  const auto before = time_of_chunk(0);
  swap_bytes_of_chunk(2);
  const any_array copied = copy({.chunks = {1}});
  EXPECT_EQ(time_of_chunk(0), before) << "written again";
  EXPECT_EQ(read_all(*zarr_array_of(copied.stored())), expected_);
}

TEST_P(Copies, TryAgainWhatFailsForAPassingReason) {
  const auto faulty = std::make_shared<fault_injecting_store>(std::make_shared<memory_store>());
  faulty->inject({.on = store_operation::write,
                  .effect = fault_effect::fail,
                  .key_part = "to/3",
                  .cause = std::errc::resource_unavailable_try_again});
  const any_array copied = store(open_any(directory_ / "from"), faulty, "to");
  EXPECT_EQ(faulty->num_struck(), 1U);
  EXPECT_EQ(read_all(*zarr_array_of(copied.stored())), expected_);
}

TEST_P(Copies, KeepToTheAllowedMemory) {
  const std::size_t itemsize = data_type::parse(GetParam()).itemsize();
  spec narrow;
  narrow.allowed_memory = bytes{chunk * itemsize};
  const any_array from = open_any(directory_ / "from", narrow);
  EXPECT_THROW(store(from, directory_ / "to"), memory_error) << "nothing is left to decode in";
  EXPECT_FALSE(fs::exists(directory_ / "to/0"));
}

INSTANTIATE_TEST_SUITE_P(OfRecordsAndStrings, Copies, ::testing::Values(records, strings),
                         [](const auto& test) {
                           return std::string(test.index == 0 ? "Records" : "Strings");
                         });

}  // namespace
}  // namespace tessera
