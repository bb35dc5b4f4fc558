// SPDX-License-Identifier: Apache-2.0
/// \file
/// The trace of the driver of the passes.

#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/build.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ::testing::MatchesRegex;

class Trace : public ::testing::Test {
 protected:
  Trace() { ts::store(ts::zeros<double>({40, 10}, {.chunks = {10, 10}}), store_, "u", raw_); }

  [[nodiscard]] ts::array<double, 2> u() const { return ts::open<double, 2>(store_, "u"); }

  template <class E>
  static ts::pass_trace trace_of(const E& e, const ts::pass_switches& passes = {}) {
    return trace_of({{ts::computed(ts::lower(e, e.layout().chunks))}}, ts::spec{}, passes);
  }

  static ts::pass_trace trace_of(const std::vector<ts::plan_output>& outputs,
                                 const ts::spec& limits, const ts::pass_switches& passes = {}) {
    const auto graph = ts::collect(outputs);
    ts::pass_trace trace;
    ts::run_passes(*graph, limits, passes, &trace);
    return trace;
  }

  /// Returns the first entry of a pass.
  static const ts::pass_entry& entry_of(const ts::pass_trace& trace, std::string_view pass) {
    return *std::find_if(trace.begin(), trace.end(),
                         [&](const ts::pass_entry& entry) { return entry.pass == pass; });
  }

  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
  ts::store_options raw_{.compressor = ts::codec::none{}};
};

// u is 3.2 kB; u + u is read by sqrt alone, from memory.
TEST_F(Trace, TellsWhatAPassHasSaved) {
  const ts::array<double, 2> twice = u() + u();
  const ts::pass_trace trace = trace_of(ts::sqrt(twice));
  const ts::pass_entry& fused = entry_of(trace, "fuse_producers");
  EXPECT_TRUE(fused.is_on);
  EXPECT_EQ(fused.before.num_operations, 2U);
  EXPECT_EQ(fused.before.num_tasks, 8);
  EXPECT_EQ(fused.after.num_operations, 1U);
  EXPECT_EQ(fused.after.num_tasks, 4);
  EXPECT_EQ(fused.before.bytes_read, 3200_B);
  EXPECT_EQ(fused.after.bytes_read, 3200_B);
  EXPECT_TRUE(fused.refusals.empty());
}

TEST_F(Trace, TellsThatAPassWasOff) {
  const ts::array<double, 2> twice = u() + u();
  const ts::pass_trace trace = trace_of(ts::sqrt(twice), {.fuse_producers = false});
  const ts::pass_entry& fused = entry_of(trace, "fuse_producers");
  EXPECT_FALSE(fused.is_on);
  EXPECT_EQ(fused.after.num_operations, 2U);
}

// A row of u that every row of the result needs.
TEST_F(Trace, TellsWhyAnOperationWasLeft) {
  const ts::array<double, 1> row = ts::sqrt(u()(0));
  const ts::pass_trace trace = trace_of(u() * row);
  const ts::pass_entry& fused = entry_of(trace, "fuse_producers");
  EXPECT_EQ(fused.after.num_operations, 2U);
  ASSERT_EQ(fused.refusals.size(), 1U);
  EXPECT_THAT(
      fused.refusals.front().text,
      MatchesRegex("'.*u.*' reads elements of 'sqrt.*' several times, and would compute each "
                   "as often"));
}

// Each trial takes as long as the views of the reader are many.
TEST_F(Trace, TriesToInlineAProducerOfSeveralViewsOnce) {
  const ts::array<double, 2> sums = ts::cumulative_sum(u(), ts::axis<0>);
  const ts::pass_trace trace =
      trace_of(sums + ts::roll(sums, 1, ts::axis<0>) + ts::roll(sums, 2, ts::axis<0>));
  std::set<std::pair<std::size_t, std::optional<std::size_t>>> pairs;
  for (const ts::pass_refusal& refusal : entry_of(trace, "fuse_producers").refusals) {
    EXPECT_TRUE(pairs.insert({refusal.serial, refusal.partner}).second) << refusal.text;
  }
  EXPECT_FALSE(pairs.empty());
}

// A scan goes along its axis in order; a sum takes blocks.
TEST_F(Trace, TellsWhySiblingsWereLeft) {
  const auto before = ts::cumulative_sum(u(), ts::axis<0>);
  const ts::pass_trace trace = trace_of(before - ts::sum(u()), {.crop = false});
  const ts::pass_entry& siblings = entry_of(trace, "fuse_siblings");
  ASSERT_EQ(siblings.refusals.size(), 1U);
  EXPECT_THAT(siblings.refusals.front().text,
              MatchesRegex("no primitive does the work of both '.*sum.*' and '.*sum.*'"));
}

// The steps of the variance, of 40 rows, cut chunks of 30 rows of v.
TEST_F(Trace, TellsWhichFoldsWouldBeMoreWork) {
  const auto zeros = ts::zeros<double>({100, 100}, {.chunks = {100, 100}});
  ts::store(zeros, store_, "v", {.chunks = {30, 10}, .compressor = ts::codec::none{}});
  ts::store(zeros, store_, "w", {.chunks = {40, 20}, .compressor = ts::codec::none{}});
  ts::spec limits{.allowed_memory = 2_MB};
  limits.costs.workers = 2;
  const auto w = ts::open<double, 2>(store_, "w", limits);
  const auto mean = ts::mean(ts::open<double, 2>(store_, "v", limits) + w, ts::axis<0>);
  const auto var = ts::var(w);
  const ts::pass_trace trace = trace_of({{ts::computed(ts::lower(var, var.layout().chunks))},
                                         {ts::computed(ts::lower(mean, mean.layout().chunks))}},
                                        limits);
  const ts::pass_entry& siblings = entry_of(trace, "fuse_siblings");
  EXPECT_EQ(siblings.after.work, siblings.before.work);
  ASSERT_EQ(siblings.refusals.size(), 1U);
  EXPECT_THAT(siblings.refusals.front().text,
              MatchesRegex("'.*var.*' and '.*mean.*' in one operation would take longer: .* s of "
                           "work in place of .* s"));
}

// A mean of columns and a sum of rows, of 400 elements: one walk.
TEST_F(Trace, TellsWhyFoldsWereLeft) {
  const auto rows = ts::mean(u(), ts::axis<0>);
  const ts::pass_trace trace =
      trace_of(rows(ts::newaxis) - ts::sum(u(), ts::axis<1>)(0), {.crop = false});
  const ts::pass_entry& folds = entry_of(trace, "split_folds");
  ASSERT_EQ(folds.refusals.size(), 1U);
  EXPECT_THAT(folds.refusals.front().text,
              MatchesRegex("parts of 'mean.*, sum.*' would be small, or their states large: [0-9]+ "
                           "tasks, 65,536 elements a part"));
}

TEST_F(Trace, HasAnEntryForEachPassInOrder) {
  std::vector<std::string> names;
  for (const ts::pass_entry& entry : trace_of(u() + 1.0)) names.emplace_back(entry.pass);
  EXPECT_EQ(names, (std::vector<std::string>{"share",
                                             "assign_outputs",
                                             "cull",
                                             "adopt_consumer_chunks",
                                             "crop",
                                             "fuse_producers",
                                             "fuse_siblings",
                                             "duplicate",
                                             "fuse_producers",
                                             "fuse_siblings",
                                             "crop",
                                             "split_products",
                                             "fuse_map_after_fold",
                                             "join_lines",
                                             "keep",
                                             "split_folds",
                                             "cut_scans",
                                             "fuse_epilogues",
                                             "merge_maps",
                                             "merge_producers",
                                             "cut_blocks",
                                             "size_blocks",
                                             "fuse_levels",
                                             "stage_rechunks",
                                             "share",
                                             "cut_windows",
                                             "gather_distributed",
                                             "lengthen_tasks"}));
}

}  // namespace
