// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rings: chunks of remote arrays in flight, their number, their order, and their memory.

#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/observe/simulation.hpp"

#include "core/api/remote_array.hpp"
#include "plan/api/rings.hpp"
#include "unit/task/remote_store.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {
namespace {

using testing::remote_store;

constexpr std::size_t all_sizes[] = {0, 1, 2, 7, 64};

std::vector<std::byte> bits_of(const ndarray<double, 1>& result) {
  const auto bytes_of_result = std::as_bytes(result.span());
  return {bytes_of_result.begin(), bytes_of_result.end()};
}

/// The array "x" of 40 x 30 elements in chunks of 4 x 5, of which 3.2 is missing, and the array
/// "packed" in compressed chunks of 7 x 4. The array "sharded" has shards of 2 x 3 chunks, one of
/// which is missing.
class Ring : public ::testing::Test {
 protected:
  Ring() {
    store(sin(reshape(arange(0.0, 1200.0, 1.0), {40, 30})), store_, "x",
          {.chunks = {4, 5}, .compressor = codec::none{}}, on_one_);
    store(reshape(arange(0.0, 1200.0, 1.0), {40, 30}), store_, "packed", {.chunks = {7, 4}},
          on_one_);
    store(sqrt(reshape(arange(0.0, 1200.0, 1.0), {40, 30})), store_of_shards_, "sharded",
          {.chunks = {4, 5}, .shards = {8, 15}, .format = 3}, on_one_);
    store_->erase("x/3.2");
    store_of_shards_->erase("sharded/c/2/1");
  }

  [[nodiscard]] array<double, 2> x(const spec& limits = {}) const {
    return open<double, 2>(store_, "x", {.spec = limits, .missing = missing_chunks::fill});
  }
  [[nodiscard]] array<double, 2> packed() const { return open<double, 2>(store_, "packed"); }
  [[nodiscard]] array<double, 2> sharded() const {
    return open<double, 2>(store_of_shards_, "sharded", {.missing = missing_chunks::fill});
  }

  /// Lets tasks have `size` reads in flight; 0: none.
  void set_ring(std::size_t size) {
    for (const auto& store : {store_, store_of_shards_}) {
      store->given_traits.num_requests = size;
      store->given_traits.latency = std::chrono::milliseconds(size == 0 ? 0 : 30);
      store->reset_log();
    }
  }

  std::shared_ptr<remote_store> store_ = std::make_shared<remote_store>();
  /// Of another format than the arrays in `store_`.
  std::shared_ptr<remote_store> store_of_shards_ = std::make_shared<remote_store>();
  run_with on_one_{.executor = executors::serial()};
};

TEST_F(Ring, KeepsTheReadsOfAFoldInFlightInTheirOrder) {
  const auto log_of_sum = [&](std::size_t size) {
    set_ring(size);
    const auto planned = plan(sum(x()), on_one_);
    store_->reset_log();
    static_cast<void>(planned.compute(on_one_));
    return store_->log();
  };
  const remote_store::record by_calls = log_of_sum(0);
  EXPECT_EQ(by_calls.most_in_flight, 0U);
  EXPECT_EQ(by_calls.num_calls, 60U);
  ASSERT_EQ(by_calls.keys.size(), 60U);
  for (const std::size_t size : {1U, 2U, 7U}) {
    const remote_store::record log = log_of_sum(size);
    EXPECT_EQ(log.most_in_flight, size);
    EXPECT_EQ(log.num_calls, 0U);
    EXPECT_EQ(log.num_given_up, 0U);
    EXPECT_EQ(log.keys, by_calls.keys);
  }
}

TEST_F(Ring, ReadsBoxesOfSeveralChunksAhead) {
  set_ring(7);
  EXPECT_EQ(plan(x()(slice(3, 39), slice(1, 18)), on_one_).compute(on_one_)(0, 0),
            std::sin(3 * 30 + 1.0));
  EXPECT_EQ(store_->log().most_in_flight, 7U);
  EXPECT_EQ(store_->log().num_calls, 0U);
  EXPECT_EQ(store_->log().num_given_up, 0U);
}

// An index is read by a call. 54 chunks are there.
TEST_F(Ring, KeepsTheReadsOfChunksInShardsInFlight) {
  double expected = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool is_missing = i / 30 / 8 == 2 && i % 30 / 15 == 1;
    if (!is_missing) expected += std::sqrt(i);
  }
  for (const std::size_t size : {1U, 2U, 7U}) {
    set_ring(size);
    EXPECT_NEAR(plan(sum(sharded()), on_one_).compute(on_one_)(), expected, 1e-9);
    EXPECT_EQ(store_of_shards_->log().most_in_flight, size);
    EXPECT_EQ(store_of_shards_->log().num_given_up, 0U);
    EXPECT_EQ(store_of_shards_->log().in_flight, 0U);
  }
}

// A step takes four rows, of four chunks.
TEST_F(Ring, KeepsTheReadsOfAGatherInFlight) {
  std::vector<index_t> rows(40);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<index_t>(7 * i % 40);
  for (const std::size_t size : {1U, 2U, 7U}) {
    set_ring(size);
    const auto sums = plan(sum(take(x(), rows, axis<0>), axis<1>), on_one_).compute(on_one_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double expected = 0;
      for (index_t j = 0; j < 30; ++j) {
        const bool is_missing = rows[i] / 4 == 3 && j / 5 == 2;
        if (!is_missing) expected += std::sin(static_cast<double>(30 * rows[i] + j));
      }
      EXPECT_NEAR(sums(static_cast<index_t>(i)), expected, 1e-12) << i;
    }
    EXPECT_EQ(store_->log().most_in_flight, std::min<std::size_t>(size, 4));
    EXPECT_EQ(store_->log().num_calls, 0U);
    EXPECT_EQ(store_->log().num_given_up, 0U);
  }
}

/// Returns the bits of programs with views that `random` draws.
std::vector<std::vector<std::byte>> bits_of_programs(const array<double, 2>& x,
                                                     const array<double, 2>& packed,
                                                     const array<double, 2>& sharded,
                                                     std::mt19937& random, const run_with& run) {
  const auto below = [&](index_t limit) {
    return static_cast<index_t>(random() % static_cast<unsigned>(limit));
  };
  const index_t top = below(20);
  const index_t side = below(15);
  const index_t height = 1 + below(40 - top);
  const index_t width = 1 + below(30 - side);
  const index_t step = 1 + below(3);
  const std::vector<index_t> rows{below(40), below(40), below(40), below(40), below(40)};
  const auto part = x(slice(top, top + height, step), slice(side, side + width));
  const auto both = part + packed(slice(top, top + height, step), slice(side, side + width));
  const auto shifted = x(slice(0, 39), whole) + x(slice(1, 40), whole);
  const auto flat = [&](const auto& e) { return bits_of(plan(e, run).compute(run)); };
  return {flat(mean(part, axis<0>)),
          flat(sum(both, axis<1>)),
          flat(sum(shifted, axis<0>)),
          flat(reshape(sqrt(packed), {1200})),
          flat(mean(x(whole, slice(none, none, -1)), axis<1>)),
          flat(reshape(sum(x), {1})),
          flat(sum(sharded, axis<0>)),
          flat(reshape(sqrt(sharded), {1200})),
          flat(mean(sharded(slice(top, top + height), slice(side, side + width)), axis<1>)),
          flat(sum(cumulative_sum(x, axis<0>), axis<1>)),
          flat(sum(take(x, rows, axis<0>) + take(sharded, rows, axis<0>), axis<1>))};
}

TEST_F(Ring, ChangesNoBitOfRandomPrograms) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::optional<std::vector<std::vector<std::byte>>> expected;
    for (const std::size_t size : all_sizes) {
      set_ring(size);
      std::mt19937 random(seed);
      const auto bits = bits_of_programs(x(), packed(), sharded(), random, on_one_);
      if (!expected) expected = bits;
      EXPECT_EQ(bits, *expected) << "seed " << seed << ", ring of " << size;
      EXPECT_EQ(store_->log().num_given_up, 0U) << "seed " << seed << ", ring of " << size;
      EXPECT_EQ(store_->log().in_flight, 0U);
      EXPECT_EQ(store_of_shards_->log().num_given_up, 0U)
          << "seed " << seed << ", ring of " << size;
      EXPECT_EQ(store_of_shards_->log().in_flight, 0U);
    }
  }
}

TEST_F(Ring, GivesUpReadsBehindAFailure) {
  std::optional<std::string> message;
  for (const std::size_t size : all_sizes) {
    set_ring(size);
    store_->broken_key = "x/2.1";
    try {
      static_cast<void>(plan(sum(x()), on_one_).compute(on_one_));
      ADD_FAILURE() << "the chunk is broken";
    } catch (const task_error& failure) {
      if (!message) message = failure.what();
      EXPECT_EQ(failure.what(), *message);
    }
    EXPECT_EQ(store_->log().in_flight, 0U);
    EXPECT_EQ(store_->log().num_given_up > 0, size > 1);
  }
}

/// Returns the places in the ring of the first window of a plan.
std::size_t ring_of(const bounded_plan& plan) {
  return ring_sizes(plan.inside().operations[0]).at(0);
}

TEST_F(Ring, TakesTheMemoryThatIsLeft) {
  constexpr std::size_t chunk = 4 * 5 * sizeof(double);
  store_->given_traits.kept_per_request = bytes{0};
  set_ring(0);
  const bytes without = plan(sum(x()), on_one_).projected_memory();
  set_ring(7);
  for (const auto& [free, expected] :
       {std::pair{8 * chunk, 7U}, {4 * chunk, 3U}, {2 * chunk, 1U}, {chunk / 2, 0U}}) {
    const spec limits{.allowed_memory = without + bytes{free}};
    const auto planned = plan(sum(x(limits)), on_one_);
    EXPECT_EQ(ring_of(planned.bounded()), expected);
    EXPECT_LE(planned.projected_memory(), limits.allowed_memory);
    EXPECT_GE(planned.projected_memory(), without + bytes{expected * chunk});
  }
  store_->given_traits.kept_per_request = bytes{1000};
  EXPECT_GE(plan(sum(x()), on_one_).projected_memory(), without + bytes{7 * (chunk + 1000)});
}

TEST_F(Ring, KeepsTheWritesOfAMapInFlight) {
  for (const std::size_t size : {2U, 4U}) {
    set_ring(size);
    const run_with on_one{.executor = executors::serial()};
    store(sqrt(packed()) + 1.0, store_, "result", {.chunks = {7, 4}}, on_one);
    const remote_store::record log = store_->log();
    EXPECT_EQ(log.most_in_flight, size);
    EXPECT_EQ(log.most_writes_in_flight, size);
    EXPECT_EQ(log.writes_in_flight, 0U);
    EXPECT_EQ(log.num_given_up, 0U);
    set_ring(0);
    const auto result = open<double, 2>(store_, "result").compute(on_one);
    for (index_t i = 0; i < 40; ++i) {
      for (index_t j = 0; j < 30; ++j)
        EXPECT_EQ(result(i, j), std::sqrt(static_cast<double>(30 * i + j)) + 1) << i << " " << j;
    }
  }
}

TEST_F(Ring, ThrowsFailuresOfLaterWrites) {
  set_ring(7);
  store_->broken_key = "result/1.2";
  EXPECT_THROW(store(sqrt(packed()), store_, "result", {.chunks = {7, 4}}, on_one_), task_error);
  EXPECT_EQ(store_->log().writes_in_flight, 0U);
}

TEST_F(Ring, LengthensTasksOfMapsOverRemoteArraysAlone) {
  const auto num_tasks = [&](std::size_t size) {
    set_ring(size);
    return plan(stored(sqrt(x()), store_, "result", {.chunks = {4, 5}}), on_one_).num_tasks();
  };
  EXPECT_EQ(num_tasks(0), 60);
  // Ten chunks along the longer axis.
  EXPECT_LE(num_tasks(7), 12);
  EXPECT_GE(num_tasks(7), 2);
}

TEST_F(Ring, IsNeverTheReasonForARefusal) {
  for (std::size_t kilobytes = 1; kilobytes <= 24; ++kilobytes) {
    const auto outcome = [&](std::size_t size) -> std::optional<bool> {
      set_ring(size);
      store_->given_traits.kept_per_request = bytes{size == 0 ? 0 : 300};
      spec limits{.allowed_memory = bytes{kilobytes * 1000}};
      limits.host_memory = bytes{2 * kilobytes * 1000};
      try {
        const auto planned =
            plan(sum(sqrt(x(limits)), axis<1>), {.executor = executors::threads(2)});
        EXPECT_LE(planned.projected_memory(), limits.allowed_memory);
        EXPECT_LE(planned.projected_host_memory(), limits.host_memory);
        return true;
      } catch (const error&) {
        return std::nullopt;
      }
    };
    const auto without = outcome(0);
    EXPECT_EQ(outcome(7).has_value(), without.has_value()) << kilobytes;
  }
}

TEST_F(Ring, IsToldByExplanations) {
  set_ring(7);
  std::ostringstream text;
  text << plan(sum(x()), on_one_).explain();
  EXPECT_NE(text.str().find("with 7 chunks in flight in 1.1 kB"), std::string::npos) << text.str();
  set_ring(0);
  text.str("");
  text << plan(sum(x()), on_one_).explain();
  EXPECT_EQ(text.str().find("in flight"), std::string::npos) << text.str();
}

// 60 chunks of 160 B, each in 30 ms and 16 us: without a ring one after the other, with a ring on
// as many connections as it has places.
TEST_F(Ring, IsSimulated) {
  const simulated_options options{.latency = std::chrono::milliseconds(30),
                                  .bandwidth = bytes{10'000'000}};
  for (const std::size_t size : all_sizes) {
    set_ring(size);
    const auto planned = plan(sum(x()), on_one_);
    ASSERT_EQ(planned.num_tasks(), 1);
    const double num_waits = 60.0 / static_cast<double>(std::clamp<std::size_t>(size, 1, 60));
    EXPECT_NEAR(
        std::chrono::duration<double>(simulate(planned, options, as_planned).elapsed).count(),
        num_waits * 0.030016, 1e-6)
        << size;
  }
}

// The indexes of ten shards, each before its chunks, and 60 chunks.
TEST_F(Ring, IsSimulatedWithIndexesOfShards) {
  for (const std::size_t size : {2U, 7U}) {
    set_ring(size);
    const auto planned = plan(sum(sharded()), on_one_);
    ASSERT_EQ(planned.num_tasks(), 1);
    const double num_waits = 10 + 60.0 / static_cast<double>(size);
    const auto simulated =
        simulate(planned, {.latency = std::chrono::milliseconds(30)}, as_planned).elapsed;
    EXPECT_NEAR(std::chrono::duration<double>(simulated).count(), num_waits * 0.03, 1e-3) << size;
  }
}

TEST_F(Ring, CostsLess) {
  const costs figures{.latency = costs::seconds(0.03)};
  const auto work = [&](std::size_t size) {
    set_ring(size);
    return plan(sum(x({.costs = figures})), on_one_).bounded().cost().work.count();
  };
  // 60 waits fewer 60 / 7 waits.
  EXPECT_NEAR(work(0) - work(7), 0.03 * (60 - 60.0 / 7), 1e-9);
  EXPECT_EQ(work(0), work(1));
}

TEST_F(Ring, SharesTheRequestsOfAProcessAmongItsWorkers) {
  set_ring(7);
  const auto places_on = [&](std::size_t num_workers) {
    return ring_of(plan(sum(x()), {.executor = executors::threads(num_workers)}).bounded());
  };
  EXPECT_EQ(places_on(1), 7U);
  EXPECT_EQ(places_on(2), 3U);
}

TEST_F(Ring, SurvivesTasksThatReadAnythingElse) {
  set_ring(3);
  const auto planned = plan(sum(x()), on_one_);
  const planned_array& array = planned.bounded().inside().arrays[0];
  const auto& source = *std::get<stored_source>(array.placement).array;
  const auto& remote = dynamic_cast<const remote_port&>(source);
  constexpr std::size_t chunk = 4 * 5 * sizeof(double);
  EXPECT_EQ(remote.requests()->largest, chunk);
  std::vector<std::byte> places(3 * chunk);
  std::vector<std::byte> decoded(chunk);
  std::vector<std::byte> expected(chunk);
  const auto reader = remote.reader({places, 3});
  reader->begin(
      [n = index_t{0}]() mutable -> std::optional<expected_read> {
        const index_vector next{n++, 0};
        return expected_read{{next, next}, true};
      },
      {});
  for (const index_t row : {0, 1, 5, 2, 9}) {
    const index_vector position{row, 0};
    EXPECT_TRUE(reader->read_chunk(position, decoded, {}));
    EXPECT_TRUE(source.read_chunk(position, expected, {}));
    EXPECT_EQ(decoded, expected) << row;
  }
  EXPECT_EQ(store_->log().num_given_up, 3U);
  EXPECT_EQ(store_->log().in_flight, 0U);
}

}  // namespace
}  // namespace tessera
