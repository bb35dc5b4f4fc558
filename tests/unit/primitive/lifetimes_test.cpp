// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lifetimes of the values of stages: random lists of stages are executed in the memory that their
/// lifetimes give, and no value is lost.

#include "primitive/composition/lifetimes.hpp"

#include "plan/api/buffer_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tessera::detail {
namespace {

constexpr std::size_t unit = 64;
constexpr std::size_t num_sweeps = 3;
constexpr std::size_t num_steps = 3;

/// The output of a stage, in `size` units of memory.
struct value {
  std::size_t maker = 0;
  std::vector<std::size_t> readers;
  task_scope kept = task_scope::step;
  std::size_t size = 1;
  std::size_t offset = 0;
  /// The token that must be in its memory; nullopt if none need be.
  std::optional<int> token = std::nullopt;
};

/// Executes a list of stages, and counts the values that are read and are not there.
class executed_list {
 public:
  executed_list(std::vector<task_scope> scopes, std::vector<value> values, std::size_t memory)
      : scopes_(std::move(scopes)), values_(std::move(values)), memory_(memory, 0) {}

  std::size_t count_lost_values() {
    for (std::size_t s = 0; s < scopes_.size();) {
      if (scopes_[s] == task_scope::task) {
        run(s++);
        continue;
      }
      const std::size_t end = end_of_run(s, task_scope::sweep);
      for (std::size_t sweep = 0; sweep < num_sweeps; ++sweep) run_sweep(s, end);
      s = end;
    }
    return lost_;
  }

 private:
  [[nodiscard]] std::size_t end_of_run(std::size_t s, task_scope scope) const {
    while (s < scopes_.size() && scopes_[s] <= scope) ++s;
    return s;
  }

  void run_sweep(std::size_t s, std::size_t end) {
    begin_iteration(s, end, task_scope::task);
    while (s < end) {
      if (scopes_[s] == task_scope::sweep) {
        run(s++);
        continue;
      }
      const std::size_t last = std::min(end, end_of_run(s, task_scope::step));
      for (std::size_t step = 0; step < num_steps; ++step) {
        begin_iteration(s, last, task_scope::sweep);
        for (std::size_t k = s; k < last; ++k) run(k);
      }
      s = last;
    }
  }

  /// Begins an iteration of a loop over [first, last): values that are kept for less than `least`
  /// need not be there from the iteration before.
  void begin_iteration(std::size_t first, std::size_t last, task_scope least) {
    for (value& tested : values_) {
      if (first <= tested.maker && tested.maker < last && tested.kept < least) tested.token.reset();
    }
  }

  void expect(const value& tested) {
    if (!tested.token) return;
    for (std::size_t k = 0; k < tested.size; ++k) {
      if (memory_[tested.offset + k] != *tested.token) {
        ++lost_;
        return;
      }
    }
  }

  void run(std::size_t s) {
    for (const value& tested : values_) {
      if (std::ranges::count(tested.readers, s) > 0) expect(tested);
    }
    for (value& tested : values_) {
      if (tested.maker != s) continue;
      expect(tested);
      tested.token = ++next_token_;
      std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(tested.offset), tested.size,
                  *tested.token);
    }
  }

  std::vector<task_scope> scopes_;
  std::vector<value> values_;
  std::vector<int> memory_;
  int next_token_ = 0;
  std::size_t lost_ = 0;
};

class random_lists {
 public:
  explicit random_lists(unsigned seed) : engine_(seed) {}

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
  }

  std::vector<task_scope> scopes() {
    std::vector<task_scope> result(2 + below(7));
    for (task_scope& scope : result) scope = static_cast<task_scope>(below(3));
    return result;
  }

  /// Returns a value of each stage, with readers behind it.
  std::vector<value> values(const std::vector<task_scope>& scopes) {
    std::vector<value> result;
    for (std::size_t maker = 0; maker < scopes.size(); ++maker) {
      value tested{.maker = maker, .readers = {}, .size = 1 + below(4)};
      for (std::size_t reader = maker + 1; reader < scopes.size(); ++reader) {
        if (below(3) == 0) tested.readers.push_back(reader);
      }
      // States are kept for more than their readers need.
      tested.kept = below(3) == 0 ? static_cast<task_scope>(below(3)) : task_scope::step;
      result.push_back(std::move(tested));
    }
    return result;
  }

 private:
  std::mt19937 engine_;
};

std::vector<lifetime> accesses_of(const value& tested) {
  std::vector<lifetime> accesses{{tested.maker, tested.maker}};
  for (const std::size_t reader : tested.readers) accesses.push_back({reader, reader});
  return accesses;
}

/// Lays out `values` with lifetimes by `loops`, and returns the units of memory that they need.
std::size_t lay_out(std::vector<value>& values, const std::vector<stage_loop>& loops) {
  buffer_schedule buffers;
  for (const value& tested : values) {
    const lifetime lives = value_lifetime(loops, accesses_of(tested), tested.kept);
    buffers.add("value", tested.size * unit, lives.first, lives.last);
  }
  buffers.lay_out();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].offset = buffers.buffers()[i].offset / unit;
  }
  return buffers.arena_bytes() / unit;
}

std::size_t count_lost_values(const std::vector<task_scope>& scopes, std::vector<value> values,
                              const std::vector<stage_loop>& loops) {
  const std::size_t memory = lay_out(values, loops);
  return executed_list(scopes, std::move(values), memory).count_lost_values();
}

TEST(Lifetimes, KeepEachValueOfRandomListsOfStages) {
  constexpr unsigned seed = 39;
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_lists lists(seed);
  std::size_t lost_without_loops = 0;
  std::size_t shared = 0;
  for (int list = 0; list < 3000; ++list) {
    const std::vector<task_scope> scopes = lists.scopes();
    std::vector<value> values = lists.values(scopes);
    ASSERT_EQ(count_lost_values(scopes, values, loops_of(scopes)), 0U) << "list " << list;
    lost_without_loops += count_lost_values(scopes, values, {}) > 0 ? 1 : 0;
    std::size_t sum = 0;
    for (const value& tested : values) sum += tested.size;
    shared += lay_out(values, loops_of(scopes)) < sum ? 1 : 0;
  }
  // The lists need the rule: hulls of accesses alone lose values; and values do share memory.
  EXPECT_GT(lost_without_loops, 300U);
  EXPECT_GT(shared, 1000U);
}

bool operator==(const lifetime& a, const lifetime& b) {
  return a.first == b.first && a.last == b.last;
}

TEST(Lifetimes, AreHullsOfAccessesInOneIteration) {
  using enum task_scope;
  const std::vector<task_scope> scopes{step, step, step, sweep, task};
  const std::vector<stage_loop> loops = loops_of(scopes);
  const std::vector<lifetime> in_step{{0, 0}, {1, 1}};
  EXPECT_TRUE(value_lifetime(loops, in_step, step) == (lifetime{0, 1}));
  // An accumulator survives the steps, but not the sweep.
  EXPECT_TRUE(value_lifetime(loops, in_step, sweep) == (lifetime{0, 2}));
  EXPECT_TRUE(value_lifetime(loops, in_step, task) == (lifetime{0, 3}));
  const std::vector<lifetime> out_of_steps{{1, 1}, {3, 3}};
  EXPECT_TRUE(value_lifetime(loops, out_of_steps, step) == (lifetime{0, 3}));
  const std::vector<lifetime> behind{{3, 3}, {4, 4}};
  EXPECT_TRUE(value_lifetime(loops, behind, step) == (lifetime{0, 4}));
}

TEST(Lifetimes, LoopsAreMaximalRunsOfStages) {
  using enum task_scope;
  const std::vector<task_scope> scopes{task, step, step, sweep, step, task};
  std::vector<std::string> loops;
  for (const stage_loop& loop : loops_of(scopes)) {
    loops.push_back((loop.over == step ? "step " : "sweep ") + std::to_string(loop.steps.first) +
                    " to " + std::to_string(loop.steps.last));
  }
  EXPECT_EQ(loops, (std::vector<std::string>{"step 1 to 2", "step 4 to 4", "sweep 1 to 4"}));
}

}  // namespace
}  // namespace tessera::detail
