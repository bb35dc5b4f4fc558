// SPDX-License-Identifier: Apache-2.0
/// \file
/// No pass adds work, nor a task that takes too much: the cost of random programs before and after
/// each pass.

#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/build.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;
using matrix = ts::array<double, 2>;

index_t pick(index_t low, index_t high) { return *rc::gen::inRange<index_t>(low, high + 1); }

/// Random programs on square arrays, of which the store has nothing but the metadata.
class programs {
 public:
  /// Of extents that are multiples of `unit`, on a machine that takes so many times longer.
  explicit programs(index_t unit, unsigned slower = 1) : extent_(pick(2, 11) * unit) {
    spec_.allowed_memory = ts::bytes{pick(1, 40) * 400 * unit * unit + 1'000'000};
    if (pick(0, 1) == 1) spec_.costs = ts::costs::object_store();
    if (pick(0, 1) == 1)
      spec_.host_memory = spec_.allowed_memory * static_cast<std::uint64_t>(pick(1, 10));
    spec_.costs.workers = static_cast<std::size_t>(pick(1, 100));
    spec_.costs.read_bandwidth = ts::bytes{spec_.costs.read_bandwidth.count() / slower};
    spec_.costs.write_bandwidth = ts::bytes{spec_.costs.write_bandwidth.count() / slower};
    spec_.costs.memory_bandwidth = ts::bytes{spec_.costs.memory_bandwidth.count() / slower};
    spec_.costs.latency *= slower;
    spec_.costs.element_step *= slower;
    spec_.costs.task *= slower;
    const auto zeros = ts::zeros<double>({extent_, extent_}, {.chunks = {extent_, extent_}});
    const index_t num_stored = pick(1, 3);
    for (index_t i = 0; i < num_stored; ++i) {
      const std::array<index_t, 2> chunks{pick(1, 10) * extent_ / 10, pick(1, 10) * extent_ / 10};
      const std::string name = "x" + std::to_string(i);
      ts::store(zeros, store_, name,
                {.chunks = chunks, .fill_value = 0.0, .empty = ts::empty_chunks::omit});
      arrays_.push_back(ts::open<double, 2>(store_, name, spec_));
    }
  }

  /// Returns the arrays that a random program is asked for.
  std::vector<ts::plan_output> make() {
    const index_t num_steps = pick(1, 6);
    for (index_t i = 0; i < num_steps; ++i) arrays_.push_back(step(some(), some()));
    std::vector<ts::plan_output> outputs;
    const index_t num_outputs = pick(1, 3);
    for (index_t i = 0; i < num_outputs; ++i) add_output(outputs, some());
    return outputs;
  }

  [[nodiscard]] const ts::spec& spec() const { return spec_; }

 private:
  /// The last ones are taken more often, so that programs get deep.
  matrix some() {
    const auto count = static_cast<index_t>(arrays_.size());
    return arrays_[static_cast<std::size_t>(std::max(pick(0, count - 1), pick(0, count - 1)))];
  }

  matrix step(const matrix& x, const matrix& y) const {
    switch (pick(0, 9)) {
      case 0:
        return x + y;
      case 1:
        return ts::sqrt(x) * 2.0;
      case 2:
        return x - ts::mean(x, ts::axis<0>, ts::keepdims);
      case 3:
        return (x - ts::mean(y, ts::axis<1>, ts::keepdims)) / 3.0;
      case 4:
        return ts::cumulative_sum(x, ts::axis<0>);
      case 5:
        return ts::rechunk(x, {pick(1, 10) * extent_ / 10, pick(1, 10) * extent_ / 10});
      case 6:
        return ts::flip(x, ts::axis<1>);
      case 7:
        return ts::matmul(x, y);
      case 8:
        return ts::matrix_transpose(x) + y;
      default:
        return ts::concat(x(ts::slice(pick(1, extent_ - 1), extent_)), y,
                          ts::axis<0>)(ts::slice(0, extent_));
    }
  }

  void add_output(std::vector<ts::plan_output>& outputs, const matrix& x) const {
    const auto add = [&](const auto& e) {
      outputs.push_back({ts::computed(ts::lower(e, e.layout().chunks))});
    };
    const index_t first = pick(0, extent_ - 1);
    const ts::slice some(first, pick(first + 1, extent_));
    switch (pick(0, 5)) {
      case 0:
        return add(x + 1.0);
      case 1:
        return add(ts::mean(x, ts::axis<0>));
      case 2:
        return add(ts::var(x));
      case 3:
        return add(x(some, ts::whole) * 2.0);
      case 4:
        return add(ts::sum(x, ts::axis<1>)(some) + 1.0);
      default:
        return add(ts::max(x(ts::whole, some), ts::axis<0>));
    }
  }

  index_t extent_;
  ts::spec spec_;
  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
  std::vector<matrix> arrays_;
};

/// The share of the merit that the many tasks of a fold are worth: they tell how far a run is.
double worth_of(std::string_view pass) { return pass == "split_folds" ? 0.03 : 1e-9; }

/// Tells whether the work falls, or the product of work and time. Else, if operations that a pass
/// touches take less time for more work, the plan takes no longer than before or than that many
/// workers need for all of it. An epilogue costs nothing more, but its steps are counted for all
/// folded elements.
bool costs_no_more(const ts::pass_entry& entry) {
  const double rounding = 1 + worth_of(entry.pass);
  if (entry.pass == "fuse_epilogues" || entry.pass == "cut_blocks") return true;
  const ts::plan_cost& before = entry.before;
  const ts::plan_cost& after = entry.after;
  const auto all_busy = after.work / static_cast<double>(after.num_workers);
  return after.work <= before.work * rounding || after.merit() <= before.merit() * rounding ||
         after.wall <= std::max(before.wall, all_busy) * rounding;
}

/// Tells whether a task keeps to the memory.
bool fits(const ts::plan_cost& cost, const ts::spec& spec) {
  return cost.task + spec.reserved_memory <= spec.allowed_memory;
}

/// Plans `outputs` for `workers`, and counts for each pass how often it makes less work.
void check_passes(const std::vector<ts::plan_output>& outputs, const ts::spec& spec,
                  const ts::plan_workers* workers, std::map<std::string, int>& lowered) {
  const auto graph = ts::collect(outputs);
  ts::pass_trace trace;
  ts::run_passes(*graph, spec, {}, &trace, workers);
  for (const ts::pass_entry& entry : trace) {
    if (entry.after.work < entry.before.work) ++lowered[std::string(entry.pass)];
    // If a task exceeds the memory, a plan within the memory may cost more.
    if (!fits(entry.before, spec)) continue;
    RC_LOG() << "the pass " << entry.pass << "\nbefore: " << entry.before
             << "\nafter:  " << entry.after << "\n";
    RC_ASSERT(costs_no_more(entry));
    RC_ASSERT(fits(entry.after, spec));
  }
}

/// Plans `outputs`, and that plan without each of its passes: none of these is of less merit, and
/// keeps to the memory. Counts how often a pass was left out.
void check_merits(const std::vector<ts::plan_output>& outputs, const ts::spec& spec,
                  const ts::plan_workers& workers, std::size_t& num_left_out) {
  const ts::bounded_plan::implementation plan = ts::make_plan(outputs, spec, {}, workers);
  const ts::plan_origin& origin = *plan.graph->origin;
  const ts::plan_cost cost = ts::cost_when_planned(plan);
  num_left_out += origin.left_out.size();
  if (cost.wall < std::chrono::seconds{1}) return;
  for (const ts::named_pass& pass : ts::all_passes) {
    if (pass.is_on == nullptr || !(origin.choices.passes.*pass.is_on)) continue;
    // Sharing is not chosen by cost: the program is the output of this pass (its identity).
    if (pass.is_on == &ts::pass_switches::share) continue;
    ts::plan_choices fewer = origin.choices;
    fewer.passes.*pass.is_on = false;
    ts::plan_search search;
    const ts::bounded_plan::implementation plan_without =
        ts::plan_with(outputs, spec, fewer, workers, search);
    const ts::plan_cost without = ts::cost_when_planned(plan_without);
    if (!fits(without, spec) ||
        ts::bound_of(plan_without).least() > ts::bound_of(plan_without).limit)
      continue;
    RC_LOG() << "the pass " << pass.name << "\nwith:    " << cost << "\nwithout: " << without
             << "\n";
    RC_ASSERT(cost.merit() <= without.merit() * (1 + worth_of(pass.name)) * (1 + 1e-9));
  }
}

// Both of small arrays, of which tasks take milliseconds, and of large ones.
class PassCosts : public testing::TestWithParam<index_t> {};

TEST_P(PassCosts, NoPassRaisesTheWorkButToTakeLessTime) {
  std::map<std::string, int> lowered;
  const bool holds = rc::check([&lowered] {
    programs random(GetParam());
    const std::vector<ts::plan_output> outputs = random.make();
    // On one host, arrays may be in its memory, as far as it has room.
    const ts::plan_workers workers{.count = 2};
    check_passes(outputs, random.spec(), &workers, lowered);
    check_passes(outputs, random.spec(), nullptr, lowered);
  });
  EXPECT_TRUE(holds);
  // So that programs are seen to be such as passes change.
  for (const char* pass : {"share", "crop", "fuse_producers", "fuse_siblings"}) {
    EXPECT_GT(lowered[pass], 0) << pass;
  }
}

INSTANTIATE_TEST_SUITE_P(Extents, PassCosts, testing::Values(50, 1000));

// Plans of which a run takes seconds, as plans for large arrays do, are weighed.
TEST(PassMerits, NoPassRaisesTheMerit) {
  std::size_t num_left_out = 0;
  const bool holds = rc::check([&num_left_out] {
    programs random(100, 1000);
    const std::vector<ts::plan_output> outputs = random.make();
    check_merits(outputs, random.spec(), {.count = random.spec().costs.num_workers()},
                 num_left_out);
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(num_left_out, 0U);
}

}  // namespace
