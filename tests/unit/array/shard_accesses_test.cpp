// SPDX-License-Identifier: Apache-2.0
/// \file
/// Requests for chunks of shards and for the indexes of shards: as the plan says, and as the store
/// counts.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>

namespace tessera {
namespace {

using test::counting_store;

/// A stored array of 8 by 8 chunks, in 2 by 4 shards of 4 by 2 chunks; its store counts.
class ShardAccesses : public ::testing::Test {
 protected:
  static constexpr index_t extent = 32;

  ShardAccesses() {
    const auto x = reshape(arange(0.0, double{extent * extent}), {extent, extent});
    store(x, store_, "x",
          {.chunks = {4, 4}, .shards = {16, 8}, .format = 3, .compressor = codec::zstd{}});
  }

  [[nodiscard]] array<double, 2> open_x() const { return open<double, 2>(store_, "x"); }

  struct requests {
    index_t planned = 0;
    index_t counted = 0;

    bool operator==(const requests&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const requests& sums) {
      return out << sums.planned << " planned, " << sums.counted << " counted";
    }
  };

  /// Computes `x`. Returns the number of requests that the plan says, and that the store counts.
  template <class E>
  requests compute(const E& x) {
    const plan program(x);
    requests sums;
    for (const auto& operation : program.explain().operations) {
      for (const auto& access : operation.reads) sums.planned += access.num_requests;
    }
    const long before = store_->num_reads();
    static_cast<void>(program.compute({.executor = executors::serial()}));
    sums.counted = store_->num_reads() - before;
    return sums;
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

TEST_F(ShardAccesses, ReadEachIndexOnce) {
  EXPECT_EQ(compute(sum(open_x())), (requests{64 + 8, 64 + 8}));
}

// 8 tasks of one column of chunks go from one shard to the next below it. Tasks of one thread find
// the indexes of the task before.
TEST_F(ShardAccesses, ReadEachIndexOnceInATask) {
  EXPECT_EQ(compute(cumulative_sum(open_x(), axis<0>)), (requests{64 + 8 * 2, 64 + 8}));
}

// 8 tasks of one row of chunks: each step is in another shard than the step before.
TEST_F(ShardAccesses, ReadEachIndexOnceWhereStepsAlternateBetweenShards) {
  EXPECT_EQ(compute(cumulative_sum(open_x(), axis<1>)), (requests{64 + 8 * 4, 64 + 8}));
}

// Rows 2 to 5, and rows 6 to 9, meet 2 by 3 chunks in columns 6 to 13. These are in 1 by 2 shards.
// A step reads the 2 chunks of a column by one request.
TEST_F(ShardAccesses, ReadNeighboursOfAStepAtOnce) {
  const auto box = open_x()(slice(2, 10), slice(6, 14));
  EXPECT_EQ(compute(sum(box)), (requests{2 * 3 + 2, 2 * 3 + 2}));
  std::ostringstream text;
  text << plan(sum(box)).explain();
  EXPECT_THAT(text.str(), ::testing::HasSubstr("with 2 reads of an index and neighbouring"));
}

TEST_F(ShardAccesses, AreExplained) {
  std::ostringstream text;
  text << plan(sum(open_x())).explain();
  EXPECT_THAT(text.str(),
              ::testing::HasSubstr("in shards (16, 8) with 8 reads of an index, 72 requests"));
}

}  // namespace
}  // namespace tessera
