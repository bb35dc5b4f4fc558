// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plans without the types of their results. Nothing is inline, so that programs need not be
/// compiled with it.

#include "tessera/expr/layout.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/task/run_with.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera::detail {

/// A plan, and the results that its arguments ask for.
struct requested_plan {
  std::vector<array_layout> layouts;
  /// The number of results that each argument asks for.
  std::vector<std::size_t> counts;
  run_with default_settings;
  bounded_plan bounded;
};

/// The outputs that the arguments of a plan ask for, in order.
class plan_requests {
 public:
  plan_requests();
  plan_requests(const plan_requests&) = delete;
  plan_requests& operator=(const plan_requests&) = delete;
  ~plan_requests();

  void add(plan_output output, const array_layout& layout);
  /// Ends an argument: the outputs added since the last call belong to it.
  void end_argument();

  /// Returns the plan, under the spec that the layouts share; null for `settings`: `run_with{}`.
  [[nodiscard]] std::shared_ptr<const requested_plan> plan(const pass_switches& passes,
                                                           const run_with* settings);

 private:
  std::vector<plan_output> outputs_;
  std::vector<array_layout> layouts_;
  std::vector<std::size_t> counts_;
  std::size_t num_ended_ = 0;
};

/// The computed outputs of a plan's arguments.
class plan_results {
 public:
  /// Runs the plan, which must live longer.
  plan_results(const requested_plan& requested, const run_with& settings);
  plan_results(const plan_results&) = delete;
  plan_results& operator=(const plan_results&) = delete;
  ~plan_results();

  /// Return the outputs and layouts of one argument.
  [[nodiscard]] const computed_output* outputs(std::size_t argument) const;
  [[nodiscard]] const array_layout* layouts(std::size_t argument) const;
  [[nodiscard]] std::size_t count(std::size_t argument) const {
    return requested_.counts[argument];
  }

 private:
  [[nodiscard]] std::size_t first(std::size_t argument) const;

  const requested_plan& requested_;
  std::vector<computed_output> outputs_;
};

/// Plans and computes one array of `layout`.
[[nodiscard]] computed_output compute_one(const plan_output& output, const array_layout& layout,
                                          const run_with& settings);

/// Lowers the expression at `e` to an array in `chunks`.
using lowering_function = array_handle (*)(const void* e, const index_vector& chunks);

/// Plans and computes the expression at `e`, of `layout`, in memory; null for `settings`:
/// `run_with{}`. Returns the elements.
[[nodiscard]] std::shared_ptr<std::byte[]> compute_elements(lowering_function lowered,
                                                            const void* e,
                                                            const array_layout& layout,
                                                            const run_with* settings);

/// Returns a plan without results.
[[nodiscard]] std::shared_ptr<const requested_plan> unrequested(bounded_plan plan);

/// Runs a plan and keeps stored results alone.
void execute(const requested_plan& requested, const run_with& settings);

/// Returns the plan of `outputs`, under the spec that `layouts` share, for the executor of
/// `settings`.
[[nodiscard]] bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                                             const std::vector<array_layout>& layouts,
                                             const pass_switches& passes, const run_with& settings);

/// Returns the settings of a run of `plan`: `settings`, completed from `default_settings` and from
/// the program's options, with the observers that these ask for.
[[nodiscard]] run_with complete(const bounded_plan& plan, const run_with& settings,
                                const run_with& default_settings = {});

}  // namespace tessera::detail
