// SPDX-License-Identifier: Apache-2.0

/// \file
/// Stored arrays that are read twice, kept on the host by their first reader.
///
/// x is 400 x 300 float64 (960 kB) in 4 x 3 uncompressed chunks of 80 kB, of which the store counts
/// reads. A task may take 600 kB, so that none holds x.

#include "tessera/lower/lower.hpp"
#include "tessera/tessera.hpp"

#include "plan/build.hpp"
#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

std::atomic<bool> fails{false};

/// Ends a run in the last of three columns of chunks.
struct failing {
  double operator()(double value) const {
    if (fails && value > 100) throw ts::store_error("the disk is full");
    return value;
  }
};

class Keep : public ::testing::Test {
 protected:
  Keep() {
    ts::ndarray<double, 2> values({400, 300});
    for (ts::index_t i = 0; i < 400; ++i) {
      for (ts::index_t j = 0; j < 300; ++j) values(i, j) = static_cast<double>(i % 16 + j);
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {100, 100}}), store_, "x", raw_);
  }

  [[nodiscard]] ts::array<double, 2> x(const ts::spec& spec) const {
    return ts::open<double, 2>(store_, "x", spec);
  }

  /// Returns the number of operations of a plan, its planned reads in kB, and the number of chunks
  /// that it reads.
  template <class... Es>
  [[nodiscard]] std::array<long, 3> run(const Es&... es) const {
    const ts::plan plan(ts::pass_switches{}, settings_, es...);
    const long before = store_->num_reads();
    plan.execute();
    return {static_cast<long>(plan.num_operations()),
            static_cast<long>(plan.bytes_read().count() / 1000), store_->num_reads() - before};
  }

  /// Returns the entry of the pass in the planning of `e` for two threads.
  template <class E>
  [[nodiscard]] static ts::pass_entry entry_of(const ts::spec& spec, const E& e) {
    const auto graph = ts::collect({{ts::computed(ts::lower(e, e.layout().chunks))}});
    ts::pass_trace trace;
    const ts::plan_workers workers{.count = 2};
    ts::run_passes(*graph, spec, {}, &trace, &workers);
    return *std::find_if(trace.begin(), trace.end(),
                         [](const ts::pass_entry& entry) { return entry.pass == "keep"; });
  }

  ts::spec spec_{.allowed_memory = 600_kB, .host_memory = 2_GB};
  ts::run_with settings_{.executor = ts::executors::threads(2)};
  ts::store_options raw_{.compressor = ts::codec::none{}};
  ts::spec off_{.allowed_memory = 600_kB};
  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

// i % 16 has the mean 7.5 over 400 rows, j that of 149.5 over 300 columns.
TEST_F(Keep, AnAnomalyReadsItsInputOnce) {
  const auto anomaly = [&](const ts::spec& spec, const char* name) {
    return run(ts::stored(x(spec) - ts::mean(x(spec)), store_, name, raw_));
  };
  EXPECT_EQ(anomaly(off_, "twice"), (std::array{3L, 1920L, 24L}));
  EXPECT_EQ(anomaly(spec_, "y"), (std::array{3L, 960L, 12L}));
  const ts::ndarray<double, 2> stored = ts::open<double, 2>(store_, "y").compute();
  for (ts::index_t i = 0; i < 400; ++i) {
    for (ts::index_t j = 0; j < 300; ++j) {
      ASSERT_EQ(stored(i, j), static_cast<double>(i % 16 + j) - 157.0);
    }
  }
}

// The mean is in memory all the same.
TEST_F(Keep, HasASwitchOfItsOwn) {
  const auto anomaly = ts::stored(x(spec_) - ts::mean(x(spec_)), store_, "y", raw_);
  const ts::plan plan(ts::pass_switches{.keep = false}, settings_, anomaly);
  EXPECT_EQ(plan.bytes_read(), 1920_kB);
  EXPECT_EQ(plan.bytes_written(), 960_kB);
  const long before = store_->num_reads();
  plan.execute();
  EXPECT_EQ(store_->num_reads() - before, 24);
  const auto passes = plan.explain().passes.value();
  EXPECT_TRUE(std::any_of(passes.begin(), passes.end(),
                          [](const auto& pass) { return pass.name == "keep" && !pass.is_on; }));
}

TEST_F(Keep, IsInMemoryFromItsFirstReaderOn) {
  const auto anomaly = ts::stored(x(spec_) - ts::mean(x(spec_)), store_, "y", raw_);
  const ts::plan plan(ts::pass_switches{}, settings_, anomaly);
  EXPECT_LE(plan.projected_host_memory(), 2_GB);
  EXPECT_GE(plan.bounded().resident_memory(), 960_kB);
  EXPECT_LE(plan.bounded().resident_memory(), 961_kB);
}

// The contents of the memory are gone: the mean is folded again, and x is kept on the way.
TEST_F(Keep, IsMadeAgainForWhatIsLeftOfAResult) {
  settings_ = {.executor = ts::executors::serial(), .resume = ts::resume_mode::automatic};
  const auto anomaly =
      ts::stored(ts::map(failing{}, x(spec_) - ts::mean(x(spec_))), store_, "y", raw_);
  const ts::plan plan(ts::pass_switches{}, settings_, anomaly);
  fails = true;
  EXPECT_THROW(plan.execute(), ts::task_error);
  fails = false;
  const auto num_made = [&] {
    const std::vector<std::string> keys = store_->list("y");
    return std::count_if(keys.begin(), keys.end(), [](const std::string& key) {
      return key.find_first_of("0123456789", key.rfind('/') + 1) == key.rfind('/') + 1;
    });
  };
  EXPECT_LT(num_made(), 12);
  const long read = store_->num_reads();
  plan.execute();
  EXPECT_EQ(store_->num_reads() - read, 12);
  EXPECT_EQ(num_made(), 12);
  const ts::ndarray<double, 2> stored = ts::open<double, 2>(store_, "y").compute();
  for (ts::index_t i = 0; i < 400; ++i) {
    for (ts::index_t j = 0; j < 300; ++j) {
      ASSERT_EQ(stored(i, j), static_cast<double>(i % 16 + j) - 157.0);
    }
  }
}

// The deviation needs the mean, and the result both: three reads, or one.
TEST_F(Keep, IsReadByAllThatComeLater) {
  const auto scaled = [&](const ts::spec& spec, const char* name) {
    const auto centred = x(spec) - ts::mean(x(spec));
    return run(ts::stored(centred / ts::mean(ts::abs(centred)), store_, name, raw_))[2];
  };
  EXPECT_EQ(scaled(off_, "thrice"), 36);
  EXPECT_EQ(scaled(spec_, "y"), 12);
}

TEST_F(Keep, TellsWhoKeepsIt) {
  const ts::pass_entry entry = entry_of(spec_, x(spec_) - ts::mean(x(spec_)));
  ASSERT_EQ(entry.rewrites.size(), 1U);
  EXPECT_EQ(entry.rewrites.front().text, "copies 'x' into memory, 960 kB, for 1 later reader");
  EXPECT_LT(entry.after.work, entry.before.work);
  EXPECT_EQ(entry.before.bytes_read, 1920_kB);
  EXPECT_EQ(entry.after.bytes_read, 960_kB);
}

// By 1 GB/s and 0.1 ms for each of 12 requests, 960 kB take 2.16 ms.
TEST_F(Keep, IsExplained) {
  const auto anomaly = ts::stored(x(spec_) - ts::mean(x(spec_)), store_, "y", raw_);
  const ts::plan plan(ts::pass_switches{}, settings_, anomaly);
  const std::string told = plan.explain().to_string();
  EXPECT_NE(told.find("960 kB, from operation 0 to 2: cached there by 'mean"), std::string::npos)
      << told;
  EXPECT_NE(told.find("readers: saves 0.00216 s of work"), std::string::npos) << told;
}

TEST_F(Keep, LeavesTheMemoryOfAHostAloneOfWhichNothingIsSaid) {
  const ts::pass_entry entry = entry_of(off_, x(off_) - ts::mean(x(off_)));
  EXPECT_TRUE(entry.rewrites.empty());
  EXPECT_TRUE(entry.refusals.empty());
}

// 960 kB of x, and as much of a result, beside two tasks.
TEST_F(Keep, LeavesWhatTheHostHasNoRoomFor) {
  ts::spec spec = spec_;
  spec.host_memory = 1900_kB;
  const ts::pass_entry entry = entry_of(spec, x(spec) - ts::mean(x(spec)));
  EXPECT_TRUE(entry.rewrites.empty());
  ASSERT_EQ(entry.refusals.size(), 1U);
  const std::string& text = entry.refusals.front().text;
  EXPECT_EQ(text.find("the host has no room to cache the input of 'mean"), 0U) << text;
  EXPECT_NE(text.find("that 'x - mean"), std::string::npos) << text;
  EXPECT_NE(text.find("and 1.9 MB may be (spec.host_memory)"), std::string::npos) << text;
}

TEST_F(Keep, WhatIsReadOnceStaysWhereItIs) {
  const ts::pass_entry entry = entry_of(spec_, ts::mean(ts::sqrt(x(spec_))));
  EXPECT_TRUE(entry.rewrites.empty());
  EXPECT_TRUE(entry.refusals.empty());
}

// The first reads a part, and copying the rest would read it.
TEST_F(Keep, WhatIsReadInPartsAtFirstStaysWhereItIs) {
  const auto part = x(spec_)(ts::slice(0, 200), ts::whole);
  const ts::pass_entry entry = entry_of(spec_, x(spec_) - ts::mean(part));
  EXPECT_TRUE(entry.rewrites.empty());
  ASSERT_EQ(entry.refusals.size(), 1U);
  const std::string& text = entry.refusals.front().text;
  EXPECT_EQ(text.find("'mean"), 0U) << text;
  EXPECT_NE(text.find("does not read the whole of the input that 'x - mean"), std::string::npos)
      << text;
}

}  // namespace
