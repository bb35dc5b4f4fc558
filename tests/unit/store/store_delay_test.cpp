// SPDX-License-Identifier: Apache-2.0
/// \file
/// The delays of a fault-injecting store, and the overlap of its queues.

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;
using bytes_t = std::vector<std::byte>;

/// A store of the values "0" to "9", of 8 bytes, each read of which takes 30 ms longer.
std::shared_ptr<fault_injecting_store> slow_store(delay_clock clock) {
  auto store = std::make_shared<fault_injecting_store>(std::make_shared<memory_store>(), clock);
  for (int i = 0; i < 10; ++i) {
    store->write(std::to_string(i), bytes_t(8, static_cast<std::byte>(i)));
  }
  store->inject({.effect = fault_effect::delay, .every = 1, .delay = 30ms});
  return store;
}

double milliseconds(std::chrono::duration<double> time) { return time.count() * 1e3; }

TEST(StoreDelay, AddsUpOverCalls) {
  const auto store = slow_store(delay_clock::virtual_clock);
  bytes_t buffer(8);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(store->read(std::to_string(i), buffer), 8U);
  EXPECT_NEAR(milliseconds(store->virtual_time()), 120, 1e-6);
  EXPECT_EQ(store->num_struck(), 4U);
  (void)store->size("0");
  EXPECT_NEAR(milliseconds(store->virtual_time()), 120, 1e-6) << "only reads are slow";
}

TEST(StoreDelay, OverlapsInAQueue) {
  const auto store = slow_store(delay_clock::virtual_clock);
  const auto queue = store->reads();
  std::vector<bytes_t> buffers(10, bytes_t(8));
  std::vector<std::size_t> tickets;
  for (std::size_t i = 0; i < 10; ++i) {
    tickets.push_back(queue->submit({.key = std::to_string(i), .into = buffers[i]}));
  }
  std::this_thread::sleep_for(5ms);
  for (const std::size_t ticket : tickets) EXPECT_FALSE(queue->is_complete(ticket));
  EXPECT_EQ(milliseconds(store->virtual_time()), 0);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(queue->wait(tickets[i])->size, 8U);
    EXPECT_EQ(buffers[i], bytes_t(8, static_cast<std::byte>(i)));
  }
  EXPECT_NEAR(milliseconds(store->virtual_time()), 30, 1e-6);
}

TEST(StoreDelay, CompletesARequestWithoutAWaitForIt) {
  const auto store = slow_store(delay_clock::virtual_clock);
  const auto queue = store->reads();
  bytes_t first(8);
  bytes_t second(8);
  const std::size_t early = queue->submit({.key = "3", .into = first});
  const std::size_t late = queue->submit({.key = "4", .into = second});
  (void)queue->wait(late);
  while (!queue->is_complete(early)) std::this_thread::yield();
  EXPECT_EQ(first, bytes_t(8, std::byte{3}));
  EXPECT_TRUE(queue->wait(early));
}

// The first read would hold up nine for an hour if they went one by one.
TEST(StoreDelay, OverlapsOnTheRealClock) {
  const auto store = slow_store(delay_clock::real);
  store->inject({.effect = fault_effect::delay, .every = 1, .key_part = "0", .delay = 1h});
  std::vector<bytes_t> buffers(10, bytes_t(8));
  const auto queue = store->reads();
  std::vector<std::size_t> tickets;
  for (std::size_t i = 0; i < 10; ++i) {
    tickets.push_back(queue->submit({.key = std::to_string(i), .into = buffers[i]}));
  }
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_TRUE(queue->wait(tickets[i]));
    EXPECT_EQ(buffers[i], bytes_t(8, static_cast<std::byte>(i)));
  }
  EXPECT_FALSE(queue->is_complete(tickets[0]));
  EXPECT_EQ(store->virtual_time().count(), 0);
}

TEST(StoreDelay, EndsWhenAQueueIsGivenUp) {
  const auto store = slow_store(delay_clock::real);
  store->inject({.effect = fault_effect::delay, .every = 1, .delay = 1h});
  bytes_t buffer(8, std::byte{0xEE});
  auto queue = store->reads();
  (void)queue->submit({.key = "1", .into = buffer});
  queue.reset();
  EXPECT_EQ(buffer, bytes_t(8, std::byte{0xEE}));
}

TEST(StoreDelay, ComesBeforeOtherFaults) {
  const auto store = slow_store(delay_clock::virtual_clock);
  store->inject({.effect = fault_effect::fail, .first = 1, .cause = std::errc::timed_out});
  store->inject({.effect = fault_effect::vanish, .first = 2});
  store->inject({.effect = fault_effect::cut_short, .first = 3});
  const auto queue = store->reads();
  bytes_t buffer(8);
  const std::size_t failing = queue->submit({.key = "1", .into = buffer});
  const std::size_t vanishing = queue->submit({.key = "2", .into = buffer});
  const std::size_t half = queue->submit({.key = "3", .into = buffer});
  try {
    (void)queue->wait(failing);
    ADD_FAILURE();
  } catch (const store_error& failure) {
    EXPECT_EQ(failure.kind(), store_failure::passing);
  }
  EXPECT_EQ(queue->wait(vanishing), std::nullopt);
  EXPECT_EQ(queue->wait(half)->size, 4U);
  EXPECT_NEAR(milliseconds(store->virtual_time()), 30, 1e-6);
  EXPECT_EQ(store->count(store_operation::read), 3U);
}

TEST(StoreDelay, IsOfWritesToo) {
  const auto store = slow_store(delay_clock::virtual_clock);
  store->inject(
      {.on = store_operation::write, .effect = fault_effect::delay, .every = 1, .delay = 10ms});
  auto queue = store->writes();
  const bytes_t value(3);
  const std::size_t first = queue->submit("a", value);
  EXPECT_FALSE(store->exists("a"));
  queue->wait(first);
  EXPECT_TRUE(store->exists("a"));
  for (const char* key : {"b", "c", "d"}) (void)queue->submit(key, value);
  queue.reset();
  EXPECT_TRUE(store->exists("d"));
  EXPECT_NEAR(milliseconds(store->virtual_time()), 20, 1e-6);
}

TEST(StoreDelay, IsPositive) {
  fault_injecting_store store(std::make_shared<memory_store>());
  EXPECT_THROW(store.inject({.effect = fault_effect::delay}), value_error);
  EXPECT_THROW(store.inject({.effect = fault_effect::delay, .delay = -1s}), value_error);
  EXPECT_NO_THROW(
      store.inject({.on = store_operation::list, .effect = fault_effect::delay, .delay = 1ms}));
}

TEST(FaultInjectingStoreTraits, AreThoseOfTheInnerStoreOrOfTheTest) {
  fault_injecting_store store(std::make_shared<memory_store>());
  EXPECT_TRUE(store.traits().has_conditions);
  store.set_traits({.has_ranges = true, .latency = 30ms, .num_requests = 16});
  EXPECT_FALSE(store.traits().has_conditions);
  EXPECT_EQ(store.traits().num_requests, 16U);
  EXPECT_NEAR(milliseconds(store.traits().latency), 30, 1e-9);
}

}  // namespace
}  // namespace tessera::testing
