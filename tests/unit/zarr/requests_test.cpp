// SPDX-License-Identifier: Apache-2.0
/// \file
/// Requests and round trips to a store that is far away, as its callers make them.
///
/// An operation takes a second of a virtual clock, and operations in flight overlap: the clock
/// tells the round trips.

#include "tessera/testing/fault_injecting_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "core/api/remote_array.hpp"
#include "unit/task/remote_store.hpp"
#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/array_ports.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing::zarr {
namespace {

constexpr std::array all_operations{store_operation::read, store_operation::size,
                                    store_operation::write, store_operation::erase,
                                    store_operation::list};

/// The number of the format of the nodes.
class Requests : public ::testing::TestWithParam<int> {
 protected:
  Requests() {
    for (const store_operation on : all_operations) {
      store_->inject(
          {.on = on, .effect = fault_effect::delay, .every = 1, .delay = std::chrono::seconds(1)});
    }
  }

  /// Returns the number of requests until now, each key of `erase_many` counted.
  [[nodiscard]] std::uint64_t num_requests() const {
    std::uint64_t sum = 0;
    for (const store_operation on : all_operations) sum += store_->count(on);
    return sum;
  }
  [[nodiscard]] double num_round_trips() const { return store_->virtual_time().count(); }

  static zarr_metadata metadata(index_vector shape) {
    return detail::in_format(plain_int32(shape, index_vector(shape.size(), 1)), GetParam());
  }

  /// Creates a group of `count` arrays without a chunk, and no requests to `store_`.
  void create_arrays(int count) {
    static_cast<void>(zarr_group::create(near_, "", {}, GetParam()));
    for (int i = 0; i < count; ++i) {
      const std::string path = "a" + std::to_string(i);
      static_cast<void>(zarr_array::create(near_, path, metadata({4})));
    }
  }

  std::shared_ptr<memory_store> near_ = in_memory();
  std::shared_ptr<watched_store> watched_ = std::make_shared<watched_store>(near_);
  std::shared_ptr<fault_injecting_store> store_ =
      std::make_shared<fault_injecting_store>(watched_, delay_clock::virtual_clock);
};

TEST_P(Requests, OfAnArrayThatIsOpenedTakeARoundTrip) {
  create_arrays(1);
  EXPECT_EQ(zarr_array::open(store_, "a0").shape(), index_vector{4});
  EXPECT_EQ(num_round_trips(), 1);
  EXPECT_EQ(num_requests(), 3U);
}

TEST_P(Requests, OfAGroupWithConsolidatedMetadataAreTwoHoweverManyArraysItHas) {
  create_arrays(40);
  consolidate(zarr_group::open(near_, ""));
  const zarr_group group = zarr_group::open(store_, "");
  const auto names = group.arrays();
  EXPECT_EQ(names.size(), 40U);
  for (const std::string& name : names) EXPECT_EQ(group.array(name).shape(), index_vector{4});
  EXPECT_EQ(num_round_trips(), 1);
  EXPECT_EQ(num_requests(), 2U);
}

TEST_P(Requests, OfTheNodesOfAGroupTakeFewRoundTrips) {
  create_arrays(100);
  const zarr_group group = zarr_group::open(store_, "");
  const double before = num_round_trips();
  EXPECT_EQ(group.members().size(), 100U);
  EXPECT_EQ(num_round_trips() - before, 3);
  EXPECT_EQ(group.arrays().size(), 100U);
  EXPECT_EQ(num_round_trips() - before, 6);
}

// The documents of the nodes on the path are read at once before the claim, under it, and around
// the change of consolidated metadata.
TEST_P(Requests, OfAnArrayThatIsCreatedTakeFewRoundTrips) {
  watched_->has_locks = false;
  watched_->has_conditions = true;
  static_cast<void>(zarr_group::create(near_, "a/b", {}, GetParam()));
  static_cast<void>(zarr_array::create(store_, "a/b/x", metadata({4})));
  EXPECT_LE(num_round_trips(), 11);
  EXPECT_LE(num_requests(), 60U);
}

TEST_P(Requests, OfAnArrayInNewGroupsAreOneMoreForEachGroup) {
  static_cast<void>(zarr_group::create(near_, "old/b", {}, GetParam()));
  static_cast<void>(zarr_array::create(store_, "old/b/x", metadata({4})));
  const double in_old_groups = num_round_trips();
  static_cast<void>(zarr_array::create(store_, "new/b/x", metadata({4})));
  EXPECT_EQ(num_round_trips() - 2 * in_old_groups, 2);
}

TEST_P(Requests, OfTheStateOfAnArrayAreOneList) {
  create_arrays(1);
  const auto array = as_source(zarr_array::open(store_, "a0"));
  const double before = num_round_trips();
  static_cast<void>(array->state());
  EXPECT_EQ(store_->count(store_operation::list), 1U);
  // A note of a run that overwrites the array is asked for.
  EXPECT_LE(num_round_trips() - before, 3);
}

TEST_P(Requests, OfChunksOfAnEarlierRunAreAListOnceTheyAreMany) {
  constexpr index_t num_chunks = 5000;
  const auto near_array = zarr_array::create(near_, "x", metadata({num_chunks}));
  for (index_t i = 0; i < num_chunks; i += 2) write_iota(near_array, {i}, 7);
  const auto array = detail::as_sink(zarr_array::open(store_, "x"));
  for (index_t i = 0; i < num_chunks; ++i) {
    ASSERT_EQ(array->has_chunk(index_vector{i}), i % 2 == 0);
  }
  EXPECT_EQ(store_->count(store_operation::list), 1U);
  // As many single questions as a list has pages of 1000 keys come first.
  EXPECT_EQ(store_->count(store_operation::size), 5U);
}

TEST_P(Requests, OfErasuresHaveAThousandKeysEach) {
  constexpr index_t num_chunks = 2500;
  const auto array = zarr_array::create(near_, "x", metadata({num_chunks}));
  for (index_t i = 0; i < num_chunks; ++i) write_iota(array, {i}, 7);
  const auto far_array = zarr_array::open(store_, "x");
  static_cast<void>(far_array.resize(index_vector{100}));
  EXPECT_EQ(store_->count(store_operation::erase), 2400U);
  EXPECT_EQ(watched_->num_erase_many, 3);
  EXPECT_FALSE(near_->exists(far_array.chunk_key(index_vector{100})));
  EXPECT_TRUE(near_->exists(far_array.chunk_key(index_vector{99})));
}

INSTANTIATE_TEST_SUITE_P(OfFormats, Requests, ::testing::Values(2, 3));

/// Returns the chunks of a grid of 3 x 3, one in each call.
expected_reads chunks_in_order() {
  return [number = index_t{0}]() mutable -> std::optional<expected_read> {
    if (number == 9) return std::nullopt;
    const index_vector chunk{number / 3, number % 3};
    ++number;
    return expected_read{{chunk, chunk}, true};
  };
}

TEST_P(Requests, OfChunksAreInFlightForReadersAndWriters) {
  const auto store = std::make_shared<remote_store>();
  const auto to =
      as_destination({.store = store,
                      .path = "x",
                      .metadata = detail::in_format(plain_int32({6, 6}, {2, 2}), GetParam()),
                      .attributes = {}});
  const std::optional<request_cost> cost = dynamic_cast<const remote_array&>(*to).requests();
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->largest, 16U);
  EXPECT_TRUE(cost->has_writes);
  const auto sink = to->create("");
  const auto& port = dynamic_cast<const remote_port&>(*sink);
  std::vector<std::byte> places(3 * cost->largest);
  const std::unique_ptr<chunk_writer> writer = port.writer({places, 3});
  std::array<std::int32_t, 4> values{};
  for (std::int32_t number = 0; number < 9; ++number) {
    // The caller goes on to use its buffer.
    values.fill(number + 1);
    writer->write_chunk(index_vector{number / 3, number % 3},
                        std::as_bytes(std::span(values)).data(), {}, {});
  }
  EXPECT_EQ(store->log().writes_in_flight, 3U);
  writer->finish();
  EXPECT_EQ(store->log().writes_in_flight, 0U);
  EXPECT_EQ(store->log().most_writes_in_flight, 3U);
  store->reset_log();
  const std::unique_ptr<chunk_reader> reader = port.reader({places, 3});
  reader->begin(chunks_in_order(), {});
  for (std::int32_t number = 0; number < 9; ++number) {
    EXPECT_TRUE(reader->read_chunk(index_vector{number / 3, number % 3},
                                   std::as_writable_bytes(std::span(values)), {}));
    EXPECT_EQ(values.front(), number + 1);
    EXPECT_EQ(values.back(), number + 1);
  }
  EXPECT_EQ(store->log().most_in_flight, 3U);
  EXPECT_EQ(store->log().num_given_up, 0U);
}

}  // namespace
}  // namespace tessera::testing::zarr
