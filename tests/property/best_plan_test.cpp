// SPDX-License-Identifier: Apache-2.0

/// \file
/// The chosen plan against all plans in reach: random programs are planned with each set of passes,
/// and with each set of arrays that are kept between operations.

#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/build.hpp"
#include "plan/passes/passes.hpp"
#include "property/random_steps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using random_steps::index_t;
using random_steps::matrix;

/// Returns a number in [low, high], each with the same probability.
index_t pick(index_t low, index_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<index_t>(low, high + 1));
}

constexpr ts::plan_workers workers{.count = 2};

/// A random program of stored arrays. The store has nothing but their metadata.
class program {
 public:
  explicit program(index_t most_steps) {
    set_limits();
    const index_t num_sources = pick(1, 2);
    for (index_t i = 0; i < num_sources; ++i) add_source();
    const index_t num_steps = pick(1, most_steps);
    for (index_t i = 0; i < num_steps; ++i) add_step();
  }

  /// Returns the last array as a request, with the arrays of the bits in `kept`.
  [[nodiscard]] std::vector<ts::plan_output> requests(std::size_t kept) const {
    std::vector<ts::plan_output> outputs{request(arrays_.back())};
    for (std::size_t i = num_sources_; i + 1 < arrays_.size(); ++i) {
      if ((kept >> (i - num_sources_) & 1) != 0) outputs.push_back(request(arrays_[i]));
    }
    return outputs;
  }

  /// The number of arrays between the sources and the result.
  [[nodiscard]] std::size_t num_between() const { return arrays_.size() - num_sources_ - 1; }
  [[nodiscard]] const ts::spec& limits() const { return limits_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// A machine that is slow against the arrays: runs take seconds. It has room for a task of each
  /// worker and more: otherwise arrays between operations go to storage, so that all workers have
  /// tasks; a plan for fewer workers might move less.
  void set_limits() {
    limits_.reserved_memory = ts::bytes{0};
    limits_.allowed_memory = ts::bytes{static_cast<std::uint64_t>(pick(1, 20)) * 2'000'000};
    limits_.costs.workers = static_cast<std::size_t>(pick(1, 16));
    limits_.host_memory =
        limits_.allowed_memory * (*limits_.costs.workers + static_cast<std::uint64_t>(pick(2, 8)));
    limits_.costs.read_bandwidth = limits_.costs.write_bandwidth = ts::bytes{10'000};
  }

  void add_source() {
    const std::array<index_t, 2> chunks{pick(1, 5) * rows_ / 5, pick(1, 5) * columns_ / 5};
    const std::string name = fmt::format("a{}", num_sources_++);
    (void)ts::zarr_array::create(store_, name,
                                 {.shape = {rows_, columns_},
                                  .chunks = {chunks[0], chunks[1]},
                                  .dtype = ts::dtype::float64});
    arrays_.push_back(ts::open<double, 2>(store_, name, limits_));
    text_ += fmt::format("{} = {} x {} in {} x {}\n", name, rows_, columns_, chunks[0], chunks[1]);
  }

  void add_step() {
    const std::size_t x = recent();
    const std::size_t y = of_shape(x);
    const auto [rows, columns] = arrays_[x].shape();
    const random_steps::step step = draw_step({rows, columns});
    const matrix next = step.apply(arrays_[x], arrays_[y]);
    text_ += fmt::format("a{} = {} of a{}, a{}: {} x {}\n", arrays_.size(), step.text, x, y,
                         next.shape()[0], next.shape()[1]);
    arrays_.push_back(next);
  }

  static random_steps::step draw_step(random_steps::extents of) {
    switch (pick(0, 4)) {
      case 0:
      case 1:
        return random_steps::draw_map(pick, of);
      case 2:
        return random_steps::draw_fold(pick, of);
      case 3:
        return random_steps::draw_line(pick, true);
      default:
        return random_steps::draw_block(pick, of, true);
    }
  }

  [[nodiscard]] std::size_t recent() const {
    const auto count = static_cast<index_t>(arrays_.size());
    return static_cast<std::size_t>(std::max(pick(0, count - 1), pick(0, count - 1)));
  }

  /// Returns an array of the shape of array `x`, maybe `x`.
  [[nodiscard]] std::size_t of_shape(std::size_t x) const {
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].shape() == arrays_[x].shape()) alike.push_back(i);
    }
    return alike[static_cast<std::size_t>(pick(0, static_cast<index_t>(alike.size()) - 1))];
  }

  static ts::plan_output request(const matrix& x) {
    return {ts::computed(ts::lower(x, x.layout().chunks))};
  }

  index_t rows_ = pick(1, 10) * 50;
  index_t columns_ = pick(1, 10) * 20;
  std::size_t num_sources_ = 0;
  ts::spec limits_;
  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
  std::vector<matrix> arrays_;
  std::string text_;
};

/// A plan as it is compared.
struct weighed {
  double merit = std::numeric_limits<double>::infinity();
  ts::bytes moved;
  std::string text;
};

/// Returns the figures of `plan`, or nullopt if it does not keep to the memory.
std::optional<weighed> weigh(const ts::bounded_plan::implementation& plan, std::string text) {
  const ts::memory_bound bound = ts::bound_of(plan);
  if (ts::task_memory(plan) > plan.spec.allowed_memory || bound.least() > bound.limit) {
    return std::nullopt;
  }
  const ts::plan_cost cost = ts::cost_when_planned(plan);
  return weighed{cost.merit(), cost.bytes_read + cost.bytes_written,
                 fmt::format("{}: {} operations, {} read, {} written, {} s of work", text,
                             plan.operations.size(), cost.bytes_read.count(),
                             cost.bytes_written.count(), cost.work.count())};
}

/// Returns the switches that change the plan of a program.
std::vector<bool ts::pass_switches::*> switches_of(const ts::bounded_plan::implementation& plan) {
  std::vector<bool ts::pass_switches::*> switches;
  for (const ts::named_pass& pass : ts::all_passes) {
    const auto& changed = plan.graph->changed_by;
    if (!pass.choice.least_saving || std::ranges::find(changed, pass.is_on) == changed.end() ||
        std::ranges::find(switches, pass.is_on) != switches.end()) {
      continue;
    }
    switches.push_back(pass.is_on);
  }
  return switches;
}

/// Returns the best of `chosen` and at most `most` plans for each kind: each set of `switches` with
/// nothing kept, then each set of kept arrays.
weighed best_of_all(const program& random, const weighed& chosen,
                    const std::vector<bool ts::pass_switches::*>& switches, std::size_t most) {
  weighed best = chosen;
  const auto add = [&](const ts::pass_switches& passes, std::size_t kept, std::size_t off) {
    auto plan = ts::plan_with(random.requests(kept), random.limits(), passes, workers);
    const auto plan_of_set = weigh(plan, fmt::format("kept {:b}, switches off {:b}", kept, off));
    if (plan_of_set && plan_of_set->merit < best.merit) best = *plan_of_set;
  };
  for (std::size_t off = 0; off < std::min(most, std::size_t{1} << switches.size()); ++off) {
    ts::pass_switches passes;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      if ((off >> i & 1) != 0) passes.*switches[i] = false;
    }
    add(passes, 0, off);
  }
  for (std::size_t kept = 1; kept < std::min(most, std::size_t{1} << random.num_between());
       ++kept) {
    add({}, kept, 0);
  }
  return best;
}

/// Reads a limit of the tests from the environment, for longer runs by hand.
index_t limit_from(const char* name, index_t usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

/// A chosen plan against the best plan.
struct comparison {
  double ratio = 0;  ///< the bytes that the chosen plan moves for each byte of the best plan
  std::string text;
};

/// Compares the chosen plan of `random` with the best of `most` plans; nullopt if there is no plan
/// or its run is too short for a search.
std::optional<comparison> compare(const program& random, std::size_t most) {
  const auto plan = ts::make_plan(random.requests(0), random.limits(), {}, workers);
  const auto chosen = weigh(plan, "chosen");
  if (!chosen || ts::cost_when_planned(plan).wall < ts::costs::seconds{1}) return std::nullopt;
  const auto first = ts::plan_with(random.requests(0), random.limits(), {}, workers);
  const weighed best = best_of_all(random, *chosen, switches_of(first), most);
  constexpr double least = 1e5;
  const double ratio = (least + static_cast<double>(chosen->moved.count())) /
                       (least + static_cast<double>(best.moved.count()));
  return comparison{ratio, fmt::format("{}{}\n{}\n", random.text(), chosen->text, best.text)};
}

// Operands are counted each time that an operation with them is priced.
TEST(Prices, GrowWithRandomPrograms) {
  const index_t most_steps = limit_from("TESSERA_MOST_STEPS", 12);
  double greatest = 0;
  EXPECT_TRUE(rc::check([&] {
    try {
      const program random(most_steps);
      const auto plan = ts::plan_with(random.requests(0), random.limits(), {}, workers);
      const auto count = plan.graph->graph[boost::graph_bundle].priced_operands;
      const double per_step =
          static_cast<double>(count) / static_cast<double>(1 + random.num_between());
      RC_LOG() << random.text();
      greatest = std::max(greatest, per_step);
      RC_ASSERT(per_step <= 5000);
    } catch (const ts::memory_error&) {
      return;  // A matrix has to be whole in a task.
    }
  }));
  RecordProperty("greatest count", fmt::format("{}", greatest));
}

TEST(BestPlan, MovesNotMuchLessThanTheChosenPlan) {
  const index_t most_steps = limit_from("TESSERA_MOST_STEPS", 6);
  const auto most = static_cast<std::size_t>(limit_from("TESSERA_MOST_PLANS", 64));
  std::vector<comparison> compared;
  EXPECT_TRUE(rc::check([&] {
    try {
      std::optional<comparison> next = compare(program(most_steps), most);
      if (next) compared.push_back(*std::move(next));
    } catch (const ts::memory_error&) {
      return;  // A matrix has to be whole in a task.
    }
  }));
  ASSERT_FALSE(compared.empty());
  const comparison& worst = *std::ranges::max_element(compared, {}, &comparison::ratio);
  RecordProperty("compared", fmt::format("{}", compared.size()));
  RecordProperty("greatest ratio", fmt::format("{}", worst.ratio));
  // Up to three of a thousand programs move more, 1.9 times as much at most (12 steps; one of seed
  // 1, two of seed 2, one of seed 3 and three of seed 39). Their best plan computes a large array
  // once, or reads a stored one once. The chosen one computes or reads it again.
  std::size_t num_above = 0;
  std::string above;
  for (const comparison& plans : compared) {
    if (plans.ratio <= 1.5) continue;
    ++num_above;
    above += fmt::format("{} times as many bytes:\n{}\n", plans.ratio, plans.text);
  }
  RecordProperty("above 1.5", fmt::format("{}", num_above));
  std::cout << above;
  EXPECT_LE(num_above, std::max<std::size_t>(2, compared.size() / 100)) << above;
}

}  // namespace
