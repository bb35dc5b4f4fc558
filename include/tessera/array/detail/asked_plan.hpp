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

/// A plan, and what its arguments asked for.
struct asked_plan {
  std::vector<array_layout> layouts;
  /// How many of them each argument asks for.
  std::vector<std::size_t> counts;
  run_with made_with;
  bounded_plan bounded;
};

/// What the arguments of a plan ask for, in order.
class questions {
 public:
  questions();
  questions(const questions&) = delete;
  questions& operator=(const questions&) = delete;
  ~questions();

  void add(plan_output output, const array_layout& layout);
  /// Tells that what was added since the last call belongs to one argument.
  void end_argument();

  /// Returns the plan, under the spec that the layouts share; null for `how`: `run_with{}`.
  [[nodiscard]] std::shared_ptr<const asked_plan> plan(const pass_switches& passes,
                                                       const run_with* how);

 private:
  std::vector<plan_output> outputs_;
  std::vector<array_layout> layouts_;
  std::vector<std::size_t> counts_;
  std::size_t num_ended_ = 0;
};

/// What the arguments of a plan have become.
class answers {
 public:
  /// Runs the plan, which must live longer.
  answers(const asked_plan& asked, const run_with& how);
  answers(const answers&) = delete;
  answers& operator=(const answers&) = delete;
  ~answers();

  /// Return what there is for one argument.
  [[nodiscard]] const computed_output* outputs(std::size_t argument) const;
  [[nodiscard]] const array_layout* layouts(std::size_t argument) const;
  [[nodiscard]] std::size_t count(std::size_t argument) const { return asked_.counts[argument]; }

 private:
  [[nodiscard]] std::size_t first(std::size_t argument) const;

  const asked_plan& asked_;
  std::vector<computed_output> outputs_;
};

/// Plans and computes one array of `layout`.
[[nodiscard]] computed_output compute_one(const plan_output& output, const array_layout& layout,
                                          const run_with& how);

/// Returns a plan that nobody asks for results.
[[nodiscard]] std::shared_ptr<const asked_plan> unasked(bounded_plan plan);

/// Runs a plan for what it stores.
void execute(const asked_plan& asked, const run_with& how);

/// Returns the plan of `outputs`, under the spec that `layouts` share, for the executor of `how`.
[[nodiscard]] bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                                             const std::vector<array_layout>& layouts,
                                             const pass_switches& passes, const run_with& how);

/// Returns `how`, and what it does not set as `made_with` and the program's options say.
[[nodiscard]] run_with complete(const run_with& how, const run_with& made_with = {});

}  // namespace tessera::detail
