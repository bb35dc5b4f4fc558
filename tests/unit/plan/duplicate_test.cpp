// SPDX-License-Identifier: Apache-2.0

/// \file
/// A common operand of several operations that walk apart, recomputed by each of them.
///
/// x is 400 x 300 float64 (960 kB) in 4 x 3 uncompressed chunks of 80 kB, of which the store counts
/// reads. A task may take 600 kB, so without a memory tier a function of x is written and read
/// again, elsewhere.

#include "tessera/lower/lower.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/build.hpp"
#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

class Duplicates : public ::testing::Test {
 protected:
  Duplicates() {
    ts::ndarray<double, 2> values({400, 300});
    for (ts::index_t i = 0; i < 400; ++i) {
      for (ts::index_t j = 0; j < 300; ++j) values(i, j) = 1.0 / static_cast<double>(1 + i + 7 * j);
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {100, 100}}), store_, "x",
              {.compressor = ts::codec::none{}});
  }

  [[nodiscard]] ts::array<double, 2> x() const { return ts::open<double, 2>(store_, "x", spec_); }

  /// Rows from `first` on of a function of x.
  static auto rows(const ts::array<double, 2>& array, ts::index_t first) {
    return array(ts::slice(first, first + 300), ts::whole);
  }

  /// Returns the first entry of the pass in the planning of `e`.
  template <class... Es>
  [[nodiscard]] ts::pass_entry entry_of(const ts::plan_workers* workers, const Es&... es) const {
    const auto graph = ts::collect({{ts::computed(ts::lower(es, es.layout().chunks))}...});
    ts::pass_trace trace;
    ts::run_passes(*graph, spec_, {}, &trace, workers);
    return *std::find_if(trace.begin(), trace.end(),
                         [](const ts::pass_entry& entry) { return entry.pass == "duplicate"; });
  }

  ts::spec spec_{.allowed_memory = 600_kB};
  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
  ts::pass_switches off_{.duplicate = false, .split_folds = false, .memory_tier = false};
  ts::pass_switches on_{.split_folds = false, .memory_tier = false};
};

TEST_F(Duplicates, FoldsOfSlicesAtUnlikePlacesEachComputeWhatTheyFold) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const auto greatest = ts::max(rows(root, 0), ts::axis<1>);
  const auto sums = ts::sum(rows(root, 100), ts::axis<0>);
  const ts::plan apart(off_, greatest, sums);
  const ts::plan recomputed(on_, greatest, sums);
  EXPECT_EQ(apart.num_operations(), 3U);
  EXPECT_EQ(recomputed.num_operations(), 2U);
  EXPECT_EQ(apart.bytes_read(), 2400_kB);
  EXPECT_EQ(recomputed.bytes_read(), 1440_kB);
  EXPECT_GE(apart.bytes_written(), 960_kB);
  EXPECT_LT(recomputed.bytes_written(), 10_kB);  // at most the results
  EXPECT_NE(recomputed.bounded().to_string().find("max(sqrt(x"), std::string::npos);
  EXPECT_NE(recomputed.bounded().to_string().find("sum(sqrt(x"), std::string::npos);

  const auto [greatest_apart, sums_apart] = apart.compute();
  const long before = store_->num_reads();
  const auto [greatest_recomputed, sums_recomputed] = recomputed.compute();
  EXPECT_EQ(store_->num_reads() - before, 18);  // 3 x 3 chunks, twice
  for (ts::index_t i = 0; i < 300; ++i) {
    EXPECT_EQ(greatest_recomputed(i), std::sqrt(1.0 / static_cast<double>(1 + i)));
    EXPECT_EQ(greatest_recomputed(i), greatest_apart(i));
    EXPECT_EQ(sums_recomputed(i), sums_apart(i));
  }
}

// As u: 3 reads of its size and a write, then 2, then 1 if both folds take the same steps.
TEST_F(Duplicates, MeansOfARootReadWhatTheRootIsOf) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const auto run = [&](ts::pass_switches passes) {
    const ts::plan plan(passes, ts::mean(root, ts::axis<0>), ts::mean(root, ts::axis<1>));
    const long before = store_->num_reads();
    plan.execute();
    return std::array{static_cast<long>(plan.num_operations()),
                      static_cast<long>(plan.bytes_read().count() / 1000),
                      static_cast<long>(plan.bytes_written().count() / 100'000),
                      store_->num_reads() - before};
  };
  ts::pass_switches passes = off_;
  passes.fuse_siblings = false;
  EXPECT_EQ(run(passes), (std::array{3L, 2880L, 9L, 12L}));
  passes.duplicate = true;
  EXPECT_EQ(run(passes), (std::array{2L, 1920L, 0L, 24L}));
  EXPECT_EQ(run(on_), (std::array{1L, 960L, 0L, 12L}));
}

// A fold that recomputes the root walks with an operation that reads x alike.
TEST_F(Duplicates, WalkWithWhatReadsTheSame) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const auto greatest = ts::max(rows(root, 0), ts::axis<1>);
  const auto sums = ts::sum(rows(root, 100), ts::axis<0>);
  const auto least = ts::min(rows(x(), 0), ts::axis<1>);
  const ts::plan plan(on_, greatest, sums, least);
  EXPECT_EQ(plan.num_operations(), 2U);
  const long before = store_->num_reads();
  const auto [roots_greatest, roots_sums, xs_least] = plan.compute();
  EXPECT_EQ(store_->num_reads() - before, 18);
  for (ts::index_t i = 0; i < 300; ++i) {
    EXPECT_EQ(xs_least(i), 1.0 / static_cast<double>(1 + i + 7 * 299));
  }
}

TEST_F(Duplicates, TellWhatEachReaderDoes) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const ts::pass_entry entry = entry_of(nullptr, ts::max(rows(root, 0)), ts::sum(rows(root, 100)));
  ASSERT_EQ(entry.rewrites.size(), 2U);
  EXPECT_EQ(entry.rewrites.front().text,
            "computes the elements of 'sqrt(x)' itself, as 2 readers do");
  EXPECT_LT(entry.after.work, entry.before.work);
  EXPECT_TRUE(entry.refusals.empty());
}

// A host with room for it reads x once.
TEST_F(Duplicates, WhatTheHostMayHoldInMemoryIsMadeOnce) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const ts::plan_workers workers{.count = 4};  // 2.4 MB
  const ts::pass_entry entry = entry_of(&workers, ts::max(rows(root, 0)), ts::sum(rows(root, 100)));
  ASSERT_EQ(entry.refusals.size(), 1U);
  EXPECT_THAT(entry.refusals.front().text,
              ::testing::MatchesRegex("the output of 'sqrt.x.' may stay in memory for 'max.*' and "
                                      "other readers: 960 kB of 2.4 MB"));
  const ts::plan_workers lone_worker{.count = 1};
  EXPECT_EQ(
      entry_of(&lone_worker, ts::max(rows(root, 0)), ts::sum(rows(root, 100))).rewrites.size(), 2U);
}

// Read once in chunks that suit, and again by the next copy.
TEST_F(Duplicates, ACopyIsMadeOnce) {
  const ts::array<double, 2> columns = ts::rechunk(x(), {400, 10});
  const ts::pass_entry entry =
      entry_of(nullptr, ts::max(rows(columns, 0)), ts::sum(rows(columns, 100)));
  EXPECT_TRUE(entry.rewrites.empty());
}

// Each of 32 readers would take 90,000 roots: 2.76 million more than there are, for 8.3 ms at most.
// Making them once takes 1.92 ms for their bytes, and 2.4 ms for requests.
TEST_F(Duplicates, WhatIsReadVeryOftenIsMadeOnce) {
  const ts::array<double, 2> root = ts::sqrt(x());
  std::vector<ts::plan_output> outputs;
  for (ts::index_t i = 0; i < 32; ++i) {
    const auto some = ts::max(rows(root, 3 * i));
    outputs.push_back({ts::computed(ts::lower(some, some.layout().chunks))});
  }
  const auto graph = ts::collect(outputs);
  ts::pass_trace trace;
  ts::run_passes(*graph, spec_, {.fuse_siblings = false}, &trace);
  const auto entry = std::find_if(trace.begin(), trace.end(), [](const ts::pass_entry& pass) {
    return pass.pass == "duplicate";
  });
  ASSERT_EQ(entry->refusals.size(), 1U);
  EXPECT_THAT(entry->refusals.front().text,
              ::testing::MatchesRegex("recomputation of 'sqrt.x.' in 'max.*' and all other readers "
                                      "would cost more work than it saves: .* s in place of .* s"));
}

TEST_F(Duplicates, WhatIsAskedForIsMadeOnce) {
  const ts::array<double, 2> root = ts::sqrt(x());
  const ts::pass_entry entry =
      entry_of(nullptr, ts::sqrt(x()), ts::max(rows(root, 0)), ts::sum(rows(root, 100)));
  EXPECT_TRUE(entry.rewrites.empty());
  for (const ts::pass_refusal& refusal : entry.refusals) {
    EXPECT_EQ(refusal.text,
              "the output of 'sqrt(x)' is a requested result, which is computed in any case");
  }
}

// The copies of one array are equal but for their destinations.
TEST(Share, KeepsOutputsOfSeveralDestinations) {
  const auto store = std::make_shared<ts::memory_store>();
  ts::store(ts::asarray(ts::ndarray<double, 1>({3}, {1, 2, 4}), {.chunks = {2}}), store, "x");
  const ts::array<double, 1> y = ts::open<double, 1>(store, "x") + 1.0;
  const ts::plan plan({.fuse_siblings = false, .fuse_levels = false}, ts::stored(y, store, "first"),
                      ts::stored(y, store, "second"), ts::stored(y, store, "third"));
  plan.execute();
  for (const char* const name : {"first", "second", "third"}) {
    const ts::ndarray<double, 1> copy = ts::open<double, 1>(store, name).compute();
    EXPECT_EQ(copy, (ts::ndarray<double, 1>({3}, {2, 3, 5}))) << name;
  }
}

}  // namespace
