// SPDX-License-Identifier: Apache-2.0
#include "unit/plan/random_placement.hpp"

#include "tessera/plan/planned.hpp"
#include "tessera/tessera.hpp"

#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <variant>

namespace tessera::testing {

namespace {

std::vector<double> values_of(const ndarray<double, 1>& all) {
  return {all.data(), all.data() + all.size()};
}

/// Keeps the most that arrays take in memory that processes share.
class shared_peak final : public observer {
 public:
  void on_tasks_end(const tasks_event&) override {
    most = std::max(most, bytes{arrays_in_shared_memory()});
  }
  bytes most;
};

/// Returns what may be there of the arrays of a plan, which have whole pages.
bytes most_shared(const bounded_plan& plan) {
  constexpr bytes page{4096};
  return plan.bound().intermediates + plan.bound().results + page * plan.inside().arrays.size();
}

}  // namespace

array<double, 1> random_program::under(const spec& limits) const {
  std::vector<array<double, 1>> made;
  made.emplace_back(arange<double>(0, 6000, 1, {.chunks = {700}, .spec = limits}));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [kind, a, b] = steps[i];
    const array<double, 1> x = made[a % made.size()];
    const array<double, 1> y = made[b % made.size()];
    switch (kind) {
      case 0:
        made.emplace_back(x - mean(y));
        break;
      case 1:
        made.emplace_back(rechunk(x * 0.5 + y * 0.25, {chunks[i]}));
        break;
      case 2:
        made.emplace_back(flip(x) - y);
        break;
      default:
        made.emplace_back(cumulative_sum(x) * 1e-3 + max(y));
    }
  }
  return made.back();
}

random_program any_program() {
  random_program program;
  const auto size = *rc::gen::inRange<std::size_t>(1, 12);
  for (std::size_t i = 0; i < size; ++i) {
    program.steps.push_back({*rc::gen::inRange<std::size_t>(0, 4),
                             *rc::gen::inRange<std::size_t>(0, 20),
                             *rc::gen::inRange<std::size_t>(0, 20)});
    program.chunks.push_back(*rc::gen::inRange<index_t>(300, 6000));
  }
  return program;
}

random_program program_of(std::uint64_t seed) {
  return rc::gen::exec(any_program)(rc::Random(seed), rc::kNominalSize).value();
}

bytes most_held(const bounded_plan::implementation& plan) {
  std::vector<std::size_t> num_left(plan.arrays.size(), 0);
  for (const std::size_t output : plan.outputs) ++num_left[output];
  for (const auto& planned : plan.operations) {
    for (const auto& read : planned.inputs) ++num_left[read.array];
  }
  bytes held;
  bytes most;
  const auto is_in_memory = [&](std::size_t array) {
    return std::holds_alternative<memory_place>(plan.arrays[array].place);
  };
  for (const auto& planned : plan.operations) {
    for (const auto& made : planned.outputs) {
      if (is_in_memory(made.array)) held += plan.arrays[made.array].size();
    }
    most = std::max(most, held + bytes{planned.buffers.peak_bytes()});
    for (const auto& read : planned.inputs) {
      if (--num_left[read.array] == 0 && is_in_memory(read.array)) {
        held = held - plan.arrays[read.array].size();
      }
    }
  }
  return most;
}

placement place(const random_program& program, const spec& limits,
                const std::shared_ptr<executor>& engine) {
  const std::vector<double> expected =
      values_of(program.under({}).compute({.executor = executors::serial()}));
  placement placed;
  try {
    const auto peak = std::make_shared<shared_peak>();
    const plan made(program.under(limits), run_with{.executor = engine, .observers = {peak}});
    for (const planned_array& array : made.bounded().inside().arrays) {
      const auto* stored = std::get_if<stored_place>(&array.place);
      placed.holds_arrays |= std::holds_alternative<memory_place>(array.place);
      placed.stores_arrays |= stored != nullptr && stored->is_intermediate;
    }
    if (most_held(made.bounded().inside()) > *limits.host_memory) {
      return {.fault = "more is held than the host has"};
    }
    const std::vector<double> found = values_of(made.compute());
    if (peak->most > most_shared(made.bounded())) {
      return {.fault = "more is in shared memory than the plan says"};
    }
    const auto is_near = [](double a, double b) {
      return std::abs(a - b) <= 1e-9 * std::abs(a) + 1e-9;
    };
    if (!std::ranges::equal(expected, found, is_near)) return {.fault = "values are wrong"};
  } catch (const memory_error&) {
    return {.is_refused = true, .fault = {}};
  }
  return placed;
}

}  // namespace tessera::testing
