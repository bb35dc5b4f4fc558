// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "unit/store/temporary_directory.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace tessera {
namespace {

using testing::temporary_directory;

/// Records of a big-endian number and three bytes, in chunks that do not divide the array.
zarr_metadata records_of(index_vector chunks) {
  zarr_metadata metadata;
  metadata.shape = {7, 5};
  metadata.chunks = std::move(chunks);
  metadata.dtype = data_type::parse(R"([["a", ">i2"], ["b", "|V3"]])");
  return metadata;
}

std::vector<std::byte> read_all(const zarr_array& array) {
  std::vector<std::byte> elements(35 * 5);
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.read_region(region::whole(array.shape()), elements, decoded, encoded);
  return elements;
}

any_array make_records(const temporary_directory& directory) {
  std::vector<std::byte> elements;
  for (std::size_t i = 0; i < 35 * 5; ++i) elements.push_back(static_cast<std::byte>(i * 7));
  const auto array = zarr_array::create(directory / "from", records_of({2, 3}));
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.write_region(region::whole(array.shape()), elements, decoded, encoded);
  spec limits;
  limits.work_dir = directory / "work";
  return open_any(directory / "from", limits);
}

TEST(CopiesInProcesses, MoveElementsThatAreNoNumbers) {
  const temporary_directory directory;
  const any_array from = make_records(directory);
  const run_with settings{.executor = executors::processes(2)};
  const any_array copy = store(from, directory / "to", {.chunks = {3, 2}}, settings);
  EXPECT_EQ(copy.chunks(), (index_vector{3, 2}));
  const std::vector<std::byte> expected = read_all(*zarr_array_of(from.stored()));
  EXPECT_EQ(expected[1], std::byte{7});
  EXPECT_EQ(read_all(*zarr_array_of(copy.stored())), expected);
}

TEST(CopiesInProcesses, AreRefusedWhereOtherProcessesCannotOpenTheStore) {
  const temporary_directory directory;
  const run_with settings{.executor = executors::processes(2)};
  EXPECT_THROW(store(make_records(directory), std::make_shared<memory_store>(), "copy", settings),
               value_error);
}

}  // namespace
}  // namespace tessera
