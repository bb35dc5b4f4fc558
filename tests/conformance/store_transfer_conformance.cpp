// SPDX-License-Identifier: Apache-2.0
/// \file
/// The conformance tests of reads of parts, conditional writes, queues and writers.

#include "tessera/core/error.hpp"
#include "tessera/testing/detail/register_case.hpp"

#include "conformance/store_conformance.hpp"
#include "conformance/store_values.hpp"

#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {

namespace {

using ::testing::ElementsAre;

/// Expects the part of a value of 1000 bytes that a range and a buffer have in common.
void expect_part(key_value_store& store, const value_t& value, const byte_range& range,
                 std::size_t capacity, std::uint64_t first, std::size_t size) {
  SCOPED_TRACE(::testing::Message() << range.first << "+" << range.count << " of the "
                                    << (range.from_end ? "end" : "front") << " in " << capacity);
  value_t buffer(capacity, std::byte{0xEE});
  const auto part = store.read_part("a/0.0", range, buffer);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->first, first);
  ASSERT_EQ(part->size, size);
  EXPECT_EQ(part->value_size, value.size());
  const auto begin = value.begin() + static_cast<std::ptrdiff_t>(first);
  EXPECT_TRUE(std::equal(begin, begin + static_cast<std::ptrdiff_t>(size), buffer.begin()));
  EXPECT_EQ(
      std::count(buffer.begin() + static_cast<std::ptrdiff_t>(size), buffer.end(), std::byte{0xEE}),
      static_cast<std::ptrdiff_t>(capacity - size))
      << "the buffer behind the part was written to";
}

void reads_a_part_of_a_value(key_value_store& store) {
  // No byte of the value is 0xEE next to the end of a part.
  const value_t value = value_of(1000, 5);
  store.write("a/0.0", value);
  constexpr std::uint64_t most = byte_range::everything;
  expect_part(store, value, {}, 1000, 0, 1000);
  expect_part(store, value, {}, 1200, 0, 1000);
  expect_part(store, value, {}, 300, 0, 300);
  expect_part(store, value, {700, 300}, 300, 700, 300);
  expect_part(store, value, {700, 200}, 300, 700, 200);
  expect_part(store, value, {900, 300}, 300, 900, 100);
  expect_part(store, value, {999}, 300, 999, 1);
  expect_part(store, value, {1, most}, 300, 1, 300);
  expect_part(store, value, {3, 10}, 0, 3, 0);
  expect_part(store, value, {1000, 8}, 8, 1000, 0);
  expect_part(store, value, {most, most}, 8, 1000, 0);
  expect_part(store, value, {.count = 0}, 8, 0, 0);
}

void reads_the_end_of_a_value(key_value_store& store) {
  const value_t value = value_of(1000, 5);
  store.write("a/0.0", value);
  constexpr std::uint64_t most = byte_range::everything;
  expect_part(store, value, {.count = 1, .from_end = true}, 300, 999, 1);
  expect_part(store, value, {.count = 300, .from_end = true}, 300, 700, 300);
  expect_part(store, value, {.count = 300, .from_end = true}, 100, 700, 100);
  expect_part(store, value, {.count = 1000, .from_end = true}, 1000, 0, 1000);
  expect_part(store, value, {.count = most, .from_end = true}, 1200, 0, 1000);
  expect_part(store, value, {.count = 0, .from_end = true}, 8, 1000, 0);
  expect_part(store, value, {.first = 77, .count = 5, .from_end = true}, 8, 995, 5);
}

void a_part_of_a_missing_key_is_missing(key_value_store& store) {
  store.write("a/empty", {});
  value_t buffer(8, std::byte{0xEE});
  EXPECT_EQ(store.read_part("a/0.1", {}, buffer), std::nullopt);
  EXPECT_EQ(store.read_part("a/0.1", {.count = 3, .from_end = true}, buffer), std::nullopt);
  const auto empty = store.read_part("a/empty", {.count = 3, .from_end = true}, buffer);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->size, 0U);
  EXPECT_EQ(empty->value_size, 0U);
  EXPECT_EQ(buffer, value_t(8, std::byte{0xEE}));
  EXPECT_THROW((void)store.read_part("a//b", {}, buffer), store_error);
}

/// Returns the kind of failure of `f` and the size of the value in it.
template <class F>
std::pair<store_failure, std::optional<std::uint64_t>> failure_of(F f) {
  try {
    f();
  } catch (const store_error& failure) {
    return {failure.kind(), failure.value_size()};
  }
  ADD_FAILURE() << "no store_error was thrown";
  return {};
}

void tells_that_a_value_is_too_large(key_value_store& store) {
  store.write("a/big", value_of(1001, 1));
  value_t buffer(1000);
  const std::pair expected(store_failure::too_large, std::optional<std::uint64_t>(1001));
  EXPECT_EQ(failure_of([&] { (void)store.read("a/big", buffer); }), expected);
  EXPECT_EQ(failure_of([&] { (void)store.read_all("a/big", 1000); }), expected);
}

value_version version_of(const key_value_store& store, const std::string& key) {
  const auto part = store.read_part(key, {}, {});
  return part ? part->version : value_version();
}

void creates_a_key_that_is_missing(key_value_store& store) {
  if (!store.traits().has_creation) {
    EXPECT_EQ(failure_of([&] { store.write_if("a/k", value_of(3, 1), {}); }).first,
              store_failure::unsupported);
    EXPECT_FALSE(store.exists("a/k"));
    return;
  }
  EXPECT_TRUE(store.write_if("a/k", value_of(3, 1), {}));
  EXPECT_FALSE(store.write_if("a/k", value_of(5, 2), {}));
  EXPECT_EQ(store.read_all("a/k", no_limit), value_of(3, 1));
  store.write("a/l", value_of(7, 1));
  EXPECT_FALSE(store.write_if("a/l", value_of(5, 2), {}));
  store.erase("a/k");
  EXPECT_TRUE(store.write_if("a/k", {}, {}));
  EXPECT_EQ(store.size("a/k"), 0U);
  EXPECT_THAT(store.list(""), ElementsAre("a/k", "a/l"));
  EXPECT_THROW((void)store.write_if("a//b", {}, {}), store_error);
}

void one_of_several_creators_wins(key_value_store& store) {
  if (!store.traits().has_creation) return;
  for (int round = 0; round < 20; ++round) {
    const std::string key = "a/" + std::to_string(round);
    std::atomic<int> winner{-1};
    std::atomic<int> num_winners{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        if (!store.write_if(key, value_of(100, t), {})) return;
        winner = t;
        ++num_winners;
      });
    }
    threads.clear();
    EXPECT_EQ(num_winners, 1);
    EXPECT_EQ(store.read_all(key, no_limit), value_of(100, winner));
  }
}

void replaces_a_version(key_value_store& store) {
  store.write("a/k", value_of(3, 1));
  const value_version first = version_of(store, "a/k");
  EXPECT_TRUE(first.is_known() || !store.traits().has_conditions);
  if (!store.traits().has_conditions) {
    const value_version other("other");
    EXPECT_EQ(failure_of([&] { store.write_if("a/k", value_of(4, 2), other); }).first,
              store_failure::unsupported);
    EXPECT_EQ(store.read_all("a/k", no_limit), value_of(3, 1));
    return;
  }
  EXPECT_EQ(version_of(store, "a/k"), first);
  EXPECT_TRUE(store.write_if("a/k", value_of(4, 2), first));
  EXPECT_EQ(store.read_all("a/k", no_limit), value_of(4, 2));
  EXPECT_NE(version_of(store, "a/k"), first);
  EXPECT_FALSE(store.write_if("a/k", value_of(5, 3), first));
  EXPECT_EQ(store.read_all("a/k", no_limit), value_of(4, 2));
  store.erase("a/k");
  EXPECT_FALSE(store.write_if("a/k", value_of(5, 3), first)) << "the key is missing";
  EXPECT_FALSE(store.exists("a/k"));
}

// Each of the threads adds 1 to a number as often as the others: no addition is lost.
void conditional_writes_lose_no_change(key_value_store& store) {
  if (!store.traits().has_conditions) return;
  store.write("n", value_t(1, std::byte{0}));
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        value_t number(1);
        do {
          const auto part = store.read_part("n", {}, number);
          number[0] = static_cast<std::byte>(std::to_integer<int>(number[0]) + 1);
          if (store.write_if("n", number, part->version)) break;
        } while (true);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store.read_all("n", no_limit), value_t(1, std::byte{200}));
}

void writes_a_value_piece_by_piece(key_value_store& store) {
  store.write("a/k", value_of(3, 1));
  const auto writer = store.writer("a/k");
  EXPECT_THROW((void)store.writer("a//k"), store_error);
  if (writer == nullptr) return;
  const value_t value = value_of(100'000, 9);
  for (std::size_t at = 0; at < value.size(); at += 30'000) {
    writer->append(std::span(value).subspan(at, std::min<std::size_t>(30'000, value.size() - at)));
  }
  EXPECT_EQ(store.read_all("a/k", no_limit), value_of(3, 1)) << "before it is finished";
  EXPECT_THAT(store.list(""), ElementsAre("a/k"));
  writer->finish();
  EXPECT_EQ(store.read_all("a/k", no_limit), value);
  {
    const auto discarded = store.writer("a/b/l");
    discarded->append(value);
  }
  EXPECT_THAT(store.list(""), ElementsAre("a/k"));
  store.writer("a/empty")->finish();
  EXPECT_EQ(store.size("a/empty"), 0U);
}

void reads_by_a_queue(key_value_store& store) {
  for (int i = 0; i < 10; ++i) store.write("a/" + std::to_string(i), value_of(1000, i));
  const auto queue = store.reads();
  if (queue == nullptr) return;
  std::vector<value_t> buffers(10, value_t(100));
  std::vector<std::size_t> tickets;
  for (int i = 0; i < 10; ++i) {
    // The key goes before the read ends.
    tickets.push_back(queue->submit({.key = "a/" + std::to_string(i),
                                     .range = {.count = 100, .from_end = true},
                                     .into = buffers[static_cast<std::size_t>(i)]}));
  }
  EXPECT_EQ(std::set(tickets.begin(), tickets.end()).size(), 10U);
  for (std::size_t i = 10; i-- > 0;) {
    const auto part = queue->wait(tickets[i]);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->first, 900U);
    EXPECT_EQ(part->size, 100U);
    EXPECT_EQ(part->value_size, 1000U);
    const value_t whole = value_of(1000, static_cast<int>(i));
    EXPECT_EQ(buffers[i], value_t(whole.begin() + 900, whole.end()));
  }
  const std::size_t missing = queue->submit({.key = "a/x", .into = buffers[0]});
  EXPECT_LT(missing, 10U) << "tickets are free again";
  EXPECT_EQ(queue->wait(missing), std::nullopt);
}

void a_queue_reads_the_expected_version(key_value_store& store) {
  store.write("k", value_of(10, 1));
  const auto queue = store.reads();
  if (queue == nullptr || !store.traits().has_conditions) return;
  value_t buffer(10);
  const value_version before = version_of(store, "k");
  EXPECT_TRUE(queue->wait(queue->submit({.key = "k", .into = buffer, .expected = before})));
  store.write("k", value_of(10, 2));
  const std::size_t late = queue->submit({.key = "k", .into = buffer, .expected = before});
  EXPECT_EQ(failure_of([&] { (void)queue->wait(late); }).first, store_failure::changed);
}

void a_queue_that_goes_leaves_buffers_alone(key_value_store& store) {
  store.write("k", value_of(100'000, 1));
  value_t buffer(100'000);
  for (int round = 0; round < 20; ++round) {
    auto queue = store.reads();
    if (queue == nullptr) return;
    for (int i = 0; i < 8; ++i) (void)queue->submit({.key = "k", .into = buffer});
    queue.reset();
    std::fill(buffer.begin(), buffer.end(), std::byte{0xEE});
    std::this_thread::yield();
    EXPECT_EQ(buffer, value_t(100'000, std::byte{0xEE}));
  }
}

void writes_by_a_queue(key_value_store& store) {
  auto queue = store.writes();
  if (queue == nullptr) return;
  const value_t value = value_of(5000, 3);
  const std::size_t first = queue->submit("a/0", value);
  queue->wait(first);
  EXPECT_EQ(store.read_all("a/0", no_limit), value);
  const std::size_t malformed = queue->submit("a//0", value);
  EXPECT_THROW(queue->wait(malformed), store_error);
  for (int i = 1; i < 10; ++i) (void)queue->submit("a/" + std::to_string(i), value);
  queue.reset();
  EXPECT_EQ(store.list("a").size(), 10U) << "the destructor waits";
}

}  // namespace

void register_transfer_conformance(const std::string& name,
                                   const std::function<std::shared_ptr<key_value_store>()>& make) {
  const auto add = [&](const char* test, void (*body)(key_value_store&)) {
    register_case("Store/" + name, test, [make, body] { body(*make()); });
  };
  add("ReadsAPartOfAValue", reads_a_part_of_a_value);
  add("ReadsTheEndOfAValue", reads_the_end_of_a_value);
  add("APartOfAMissingKeyIsMissing", a_part_of_a_missing_key_is_missing);
  add("TellsThatAValueIsTooLarge", tells_that_a_value_is_too_large);
  add("CreatesAKeyThatIsMissing", creates_a_key_that_is_missing);
  add("OneOfSeveralCreatorsWins", one_of_several_creators_wins);
  add("ReplacesAVersion", replaces_a_version);
  add("ConditionalWritesLoseNoChange", conditional_writes_lose_no_change);
  add("WritesAValuePieceByPiece", writes_a_value_piece_by_piece);
  add("ReadsByAQueue", reads_by_a_queue);
  add("AQueueReadsTheExpectedVersion", a_queue_reads_the_expected_version);
  add("AQueueThatGoesLeavesBuffersAlone", a_queue_that_goes_leaves_buffers_alone);
  add("WritesByAQueue", writes_by_a_queue);
}

}  // namespace tessera::testing
