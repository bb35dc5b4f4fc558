// SPDX-License-Identifier: Apache-2.0
/// \file
/// The savings of fusion: the same programs with it off and on, by the printed plan and by the
/// counted reads.
///
/// x is 60 x 40 float64 (19.2 kB) in 6 x 4 uncompressed chunks of 800 B, of which the store counts
/// reads. Without a memory tier, intermediates are written and read again elsewhere.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

class Rewrites : public ::testing::Test {
 protected:
  Rewrites() { ts::store(ts::full({60, 40}, 4.0, {.chunks = {10, 10}}), store_, "x", raw_); }

  [[nodiscard]] ts::array<double, 2> x() const { return ts::open<double, 2>(store_, "x"); }

  using list = std::vector<std::string>;

  /// The operations of a plan, and how many chunks of x it reads.
  struct counts {
    list operations;
    long reads = 0;
  };

  template <class... Es>
  counts run(const ts::pass_switches& passes, const Es&... es) const {
    const ts::plan plan(passes, es...);
    counts counted;
    for (const auto& planned : plan.bounded().inside().operations) {
      EXPECT_NE(plan.bounded().to_string().find(planned.label), std::string::npos);
      counted.operations.push_back(planned.label);
    }
    const long before = store_->num_reads();
    plan.execute();
    counted.reads = store_->num_reads() - before;
    ts::index_t planned_reads = 0;
    for (const auto& source : plan.explain().sources) {
      planned_reads += static_cast<ts::index_t>(source.bytes_read.count()) / 800;
    }
    EXPECT_EQ(planned_reads, counted.reads);
    return counted;
  }

  ts::pass_switches off_{.fuse_producers = false,
                         .fuse_siblings = false,
                         .fuse_epilogues = false,
                         .memory_tier = false};
  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
  ts::store_options raw_{.compressor = ts::codec::none{}};
};

TEST_F(Rewrites, ProducersAreComputedWhereTheyAreRead) {
  const ts::array<double, 2> shifted = x() + 1.0;
  const auto root = ts::stored(ts::sqrt(shifted), store_, "y", raw_);
  EXPECT_EQ(run(off_, root).operations, (list{"x + 1", "sqrt(x + 1)"}));
  const counts fused = run({}, root);
  EXPECT_EQ(fused.operations, (list{"sqrt(x + 1)"}));
  EXPECT_EQ(fused.reads, 24);
  EXPECT_EQ(ts::plan(off_, root).bytes_read(), 38400_B);
  EXPECT_EQ(ts::plan(root).bytes_read(), 19200_B);
}

TEST_F(Rewrites, ProducersAreComputedWhereTheyAreFolded) {
  const ts::array<double, 2> shifted = x() + 1.0;
  const auto mean = ts::mean(shifted, ts::axis<0>);
  EXPECT_EQ(run(off_, mean).operations, (list{"x + 1", "mean(x + 1)"}));
  const counts fused = run({}, mean);
  EXPECT_EQ(fused.operations, (list{"mean(x + 1)"}));
  EXPECT_EQ(fused.reads, 24);
}

TEST_F(Rewrites, SiblingsReadOnce) {
  const auto twice = ts::stored(x() * 2.0, store_, "y", raw_);
  const auto mean = ts::mean(x());
  const counts apart = run(off_, twice, mean);
  EXPECT_EQ(apart.operations.size(), 2U);
  EXPECT_EQ(apart.reads, 48);
  const counts together = run({}, twice, mean);
  EXPECT_EQ(together.operations.size(), 1U);
  EXPECT_EQ(together.reads, 24);
}

TEST_F(Rewrites, ViewsAtOtherOffsetsReadTheirCommonChunksOnce) {
  ts::store(ts::random::uniform<double>({60, 40}, {.chunks = {10, 10}, .seed = 1}), store_, "z");
  const auto z = ts::open<double, 2>(store_, "z");
  const auto even = ts::mean(z(ts::slice(0, ts::none, 2)), ts::axis<0>);
  const auto odd = ts::mean(z(ts::slice(1, ts::none, 2)), ts::axis<0>);
  const counts apart = run(off_, even, odd);
  EXPECT_EQ(apart.operations.size(), 2U);
  EXPECT_EQ(apart.reads, 48);
  const counts together = run({}, even, odd);
  EXPECT_EQ(together.operations.size(), 1U);
  EXPECT_EQ(together.reads, 24);
  const auto [evens, odds] = ts::plan(even, odd).compute();
  const auto evens_apart = ts::plan(even).compute();
  const auto odds_apart = ts::plan(odd).compute();
  for (ts::index_t i = 0; i < 40; ++i) {
    EXPECT_EQ(evens(i), evens_apart(i)) << i;
    EXPECT_EQ(odds(i), odds_apart(i)) << i;
  }
}

TEST_F(Rewrites, ViewsOfOtherChunksStayApart) {
  const auto first = ts::mean(x()(ts::slice(0, 20)), ts::axis<0>);
  const auto second = ts::mean(x()(ts::slice(20, 40)), ts::axis<0>);
  EXPECT_EQ(run({}, first, second).operations.size(), 2U);
}

TEST_F(Rewrites, EpiloguesAreComputedWithWhatTheyAreOf) {
  const auto scaled = 2.0 * ts::mean(x(), ts::axis<0>) + 1.0;
  EXPECT_EQ(run(off_, scaled).operations, (list{"mean(x)", "(2 * mean) + 1"}));
  const counts fused = run({}, scaled);
  EXPECT_EQ(fused.operations, (list{"(2 * mean(x)) + 1"}));
  EXPECT_EQ(fused.reads, 24);
}

TEST_F(Rewrites, PiecesAreReadWhereTheyAreSeen) {
  const auto joined = ts::concat(x(), x() * 3.0, ts::axis<0>);
  const auto sum = ts::sum(joined(ts::slice(0, 10)), ts::axis<1>);
  ts::pass_switches off = off_;
  off.crop = false;
  // The concatenation is computed first, as a whole: of all of x.
  EXPECT_GE(run(off, sum).reads, 24);
  const counts part = run({}, sum);
  EXPECT_EQ(part.operations.size(), 1U);
  EXPECT_EQ(part.reads, 4);
  // An array of 38.4 kB is written in between, and read again.
  EXPECT_GE(ts::plan(off, ts::mean(joined)).bytes_written(), 38400_B);
  EXPECT_GT(run(off, ts::mean(joined)).operations.size(), 1U);
  const counts whole = run({}, ts::mean(joined));
  EXPECT_EQ(whole.operations.size(), 1U);
  EXPECT_EQ(whole.reads, 48);
  const auto twice = ts::stored(2.0 * joined, store_, "y", raw_);
  EXPECT_EQ(ts::plan(off, twice).bytes_written(), 76800_B);
  const counts mapped = run({}, twice);
  EXPECT_EQ(mapped.operations.size(), 1U);
  // Of 2 x and 6 x in one walk, x is read once.
  EXPECT_LE(mapped.reads, 48);
  EXPECT_EQ(ts::plan(twice).bytes_written(), 38400_B);
}

TEST_F(Rewrites, FunctionsOfProductsAreComputedWithThem) {
  const auto ones = ts::ones<double>({60, 60}, {.chunks = {10, 10}});
  const auto product = ts::matmul(ones, ones) + 1.0;
  EXPECT_EQ(run(off_, product).operations, (list{"matmul(ones, ones)", "matmul + 1"}));
  EXPECT_GE(ts::plan(off_, product).bytes_written(), 28800_B);
  ts::pass_switches on = off_;
  on.fuse_epilogues = true;
  EXPECT_EQ(run(on, product).operations, (list{"matmul(ones, ones) + 1"}));
  EXPECT_EQ(ts::plan(off_, product).bytes_written() - ts::plan(on, product).bytes_written(),
            28800_B);
}

// The result goes to the store that counts.
TEST_F(Rewrites, WhatIsStoredIsFoldedWhereItIsMade) {
  const auto twice = 2.0 * x();
  const auto reads_of = [&](const ts::pass_switches& passes, std::size_t num_operations) {
    const ts::plan plan(passes, ts::stored(twice, store_, "y", raw_), ts::mean(twice));
    EXPECT_EQ(plan.num_operations(), num_operations);
    const long before = store_->num_reads();
    EXPECT_EQ(std::get<1>(plan.compute())(), 8);
    return store_->num_reads() - before;
  };
  EXPECT_EQ(reads_of(off_, 2), 48);
  EXPECT_EQ(reads_of({}, 1), 24);
}

// Recomputing a few differences takes less than moving the intermediates through memory.
TEST_F(Rewrites, ChainsOfDifferencesTakeNoMoreWorkThanApart) {
  ts::array<double, 1> y = ts::ones<double>({40'000}, {.chunks = {4'000}});
  for (int i = 0; i < 200; ++i) y = ts::diff(y, ts::axis<0>);
  const auto work = [&](bool is_fused) {
    const ts::plan plan(ts::pass_switches{.fuse_producers = is_fused}, y);
    return std::pair{plan.cost(1).work, plan.num_operations()};
  };
  EXPECT_LE(work(true).first, work(false).first);
  EXPECT_LT(work(true).second, work(false).second);
}

}  // namespace
