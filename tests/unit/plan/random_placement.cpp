// SPDX-License-Identifier: Apache-2.0
#include "unit/plan/random_placement.hpp"

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <variant>

namespace tessera::testing {

namespace {

std::vector<double> values_of(const ndarray<double, 1>& array) {
  return {array.data(), array.data() + array.size()};
}

/// Keeps the most that arrays take in memory that processes share.
class shared_peak final : public observer {
 public:
  void on_tasks_end(const tasks_event&) override {
    most = std::max(most, bytes{arrays_in_shared_memory()});
  }
  bytes most;
};

/// Returns the most shared memory that the arrays of a plan may take; they have whole pages.
bytes most_shared(const bounded_plan& plan) {
  constexpr bytes page{4096};
  return plan.bound().intermediates + plan.bound().results + page * plan.inside().arrays.size();
}

}  // namespace

array<double, 1> random_program::under(const spec& limits) const {
  std::vector<array<double, 1>> arrays;
  arrays.emplace_back(arange<double>(0, 6000, 1, {.chunks = {700}, .spec = limits}));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [kind, a, b] = steps[i];
    const array<double, 1> x = arrays[a % arrays.size()];
    const array<double, 1> y = arrays[b % arrays.size()];
    switch (kind) {
      case 0:
        arrays.emplace_back(x - mean(y));
        break;
      case 1:
        arrays.emplace_back(rechunk(x * 0.5 + y * 0.25, {chunks[i]}));
        break;
      case 2:
        arrays.emplace_back(flip(x) - y);
        break;
      default:
        arrays.emplace_back(cumulative_sum(x) * 1e-3 + max(y));
    }
  }
  return arrays.back();
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

bytes most_memory(const bounded_plan::implementation& plan) {
  std::vector<std::size_t> num_left(plan.arrays.size(), 0);
  for (const std::size_t output : plan.outputs) ++num_left[output];
  for (const auto& planned : plan.operations) {
    for (const auto& read : planned.inputs) ++num_left[read.array];
  }
  bytes in_use;
  bytes most;
  const auto is_in_memory = [&](std::size_t array) {
    return std::holds_alternative<memory_placement>(plan.arrays[array].placement);
  };
  for (const auto& planned : plan.operations) {
    for (const auto& output : planned.outputs) {
      if (is_in_memory(output.array)) in_use += plan.arrays[output.array].size();
    }
    most = std::max(most, in_use + bytes{planned.buffers.peak_bytes()});
    for (const auto& read : planned.inputs) {
      if (--num_left[read.array] == 0 && is_in_memory(read.array)) {
        in_use = in_use - plan.arrays[read.array].size();
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
    const plan program_plan(program.under(limits),
                            run_with{.executor = engine, .observers = {peak}});
    for (const planned_array& array : program_plan.bounded().inside().arrays) {
      const auto* stored = std::get_if<stored_placement>(&array.placement);
      placed.holds_arrays |= std::holds_alternative<memory_placement>(array.placement);
      placed.stores_arrays |= stored != nullptr && stored->is_intermediate;
    }
    if (most_memory(program_plan.bounded().inside()) > *limits.host_memory) {
      return {.fault = "more is held than the host has"};
    }
    const std::vector<double> computed = values_of(program_plan.compute());
    if (peak->most > most_shared(program_plan.bounded())) {
      return {.fault = "more is in shared memory than the plan says"};
    }
    const auto is_near = [](double a, double b) {
      return std::abs(a - b) <= 1e-9 * std::abs(a) + 1e-9;
    };
    if (!std::ranges::equal(expected, computed, is_near)) return {.fault = "values are wrong"};
  } catch (const memory_error&) {
    return {.is_refused = true, .fault = {}};
  }
  return placed;
}

}  // namespace tessera::testing
