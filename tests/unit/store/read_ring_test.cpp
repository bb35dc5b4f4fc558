// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rings of reads and of writes over a store with delays, on a virtual clock.

#include "store/api/read_ring.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include "store/api/write_ring.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;
using bytes_t = std::vector<std::byte>;

/// The values "0" to "39", of 8 bytes. Each read takes 30 ms longer.
std::shared_ptr<fault_injecting_store> far_store() {
  auto store = std::make_shared<fault_injecting_store>(std::make_shared<memory_store>(),
                                                       delay_clock::virtual_clock);
  for (int i = 0; i < 40; ++i) {
    store->write(std::to_string(i), bytes_t(8, static_cast<std::byte>(i)));
  }
  store->inject({.effect = fault_effect::delay, .every = 1, .delay = 30ms});
  return store;
}

TEST(ReadRing, HandsOnValuesInOrder) {
  const auto store = far_store();
  bytes_t places(5 * 8);
  read_ring ring(*store, places, 5);
  bytes_t value(8);
  int submitted = 0;
  for (int number = 0; number < 40; ++number) {
    while (!ring.is_full() && submitted < 40) ring.submit(std::to_string(submitted++), {});
    EXPECT_TRUE(ring.is_next(std::to_string(number), {}));
    EXPECT_FALSE(ring.is_next(std::to_string(number), {.first = 2, .count = 3}));
    EXPECT_EQ(ring.take(value)->size, 8U);
    EXPECT_EQ(value, bytes_t(8, static_cast<std::byte>(number)));
  }
  EXPECT_FALSE(ring.is_next("40", {}));
}

TEST(ReadRing, OverlapsDelays) {
  for (const int size : {1, 2, 4, 8}) {
    const auto store = far_store();
    bytes_t places(static_cast<std::size_t>(size) * 8);
    read_ring ring(*store, places, static_cast<std::size_t>(size));
    bytes_t value(8);
    for (int first = 0; first < 40; first += size) {
      for (int i = 0; i < size; ++i) ring.submit(std::to_string(first + i), {});
      for (int i = 0; i < size; ++i) (void)ring.take(value);
    }
    EXPECT_NEAR(store->virtual_time().count(), 0.03 * 40 / size, 1e-9);
  }
}

TEST(ReadRing, TakesRangesAndMissingValues) {
  const auto store = far_store();
  bytes_t places(2 * 4);
  read_ring ring(*store, places, 2);
  ring.submit("7", {.first = 6, .count = 4});
  ring.submit("no such key", {});
  bytes_t value(4);
  const auto part = ring.take(value);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->size, 2U);
  EXPECT_EQ(part->first, 6U);
  EXPECT_EQ(part->value_size, 8U);
  EXPECT_FALSE(ring.take(value));
  // A value that is larger than a place is cut.
  ring.submit("7", {});
  EXPECT_EQ(ring.take(value)->size, 4U);
}

TEST(ReadRing, GoesOnBehindAFailure) {
  const auto store = far_store();
  store->inject({.key_part = "3"});
  bytes_t places(3 * 8);
  read_ring ring(*store, places, 3);
  for (const char* const key : {"2", "3", "4"}) ring.submit(key, {});
  bytes_t value(8);
  (void)ring.take(value);
  EXPECT_THROW((void)ring.take(value), store_error);
  ring.submit("5", {});
  for (const int expected : {4, 5}) {
    (void)ring.take(value);
    EXPECT_EQ(value, bytes_t(8, static_cast<std::byte>(expected)));
  }
}

TEST(ReadRing, GivesUpReads) {
  const auto store = far_store();
  for (int i = 0; i < 100; ++i) {
    // A late write would be one to freed memory.
    bytes_t places(3 * 8);
    read_ring ring(*store, places, 3);
    for (const char* const key : {"2", "3", "4"}) ring.submit(key, {});
    EXPECT_TRUE(ring.is_full());
    if (i % 2 == 0) continue;
    ring.clear();
    EXPECT_FALSE(ring.is_next("2", {}));
    ring.submit("9", {});
    bytes_t value(8);
    (void)ring.take(value);
    EXPECT_EQ(value, bytes_t(8, std::byte{9}));
  }
}

TEST(WriteRing, WritesAllValuesFromFewPlaces) {
  for (const int size : {1, 2, 4, 8}) {
    const auto store = far_store();
    store->inject(
        {.on = store_operation::write, .effect = fault_effect::delay, .every = 1, .delay = 30ms});
    bytes_t places(static_cast<std::size_t>(size) * 8);
    write_ring ring(*store, places, static_cast<std::size_t>(size));
    for (int i = 0; i < 40; ++i) {
      const bytes_t value(static_cast<std::size_t>(i % 9), static_cast<std::byte>(i));
      ring.write("new " + std::to_string(i), value);
    }
    ring.finish();
    EXPECT_NEAR(store->virtual_time().count(), 0.03 * 40 / size, 1e-9);
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(store->read_all("new " + std::to_string(i), 100),
                bytes_t(static_cast<std::size_t>(i % 9), static_cast<std::byte>(i)));
    }
  }
}

TEST(WriteRing, ThrowsTheFirstFailureBehindAllWrites) {
  const auto store = far_store();
  store->inject({.on = store_operation::write, .key_part = "2"});
  bytes_t places(3 * 8);
  write_ring ring(*store, places, 3);
  const bytes_t value(8, std::byte{7});
  for (const char* const key : {"1", "2", "3"}) ring.write(key, value);
  EXPECT_THROW(ring.finish(), store_error);
  EXPECT_EQ(store->read_all("1", 8), value);
  EXPECT_EQ(store->read_all("3", 8), value);
  ring.finish();
}

TEST(WriteRing, ThrowsAFailureWhenItsPlaceIsNeeded) {
  const auto store = far_store();
  store->inject({.on = store_operation::write, .key_part = "1"});
  bytes_t places(2 * 8);
  write_ring ring(*store, places, 2);
  const bytes_t value(8, std::byte{7});
  for (const char* const key : {"1", "2"}) ring.write(key, value);
  EXPECT_THROW(ring.write("3", value), store_error);
  ring.write("3", value);
  ring.finish();
  EXPECT_EQ(store->read_all("3", 8), value);
}

TEST(WriteRing, WritesALargeValueAtOnce) {
  const auto store = far_store();
  bytes_t places(2 * 8);
  write_ring ring(*store, places, 2);
  const bytes_t value(9, std::byte{7});
  ring.write("large", value);
  EXPECT_EQ(store->read_all("large", 9), value);
}

}  // namespace
}  // namespace tessera::testing
