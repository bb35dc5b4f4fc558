// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/plan.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/recorder.hpp"

#include "array/storage_formats.hpp"
#include "observe/api/default_report.hpp"
#include "observe/api/default_status.hpp"
#include "plan/api/outcome_picture.hpp"
#include "task/api/target.hpp"

#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

[[maybe_unused]] const bool has_storage = register_storage_formats();

/// Draws the plan into the folder of each computation that is recorded, and once more if a run was
/// resumed or fails.
class recorded_picture final : public observer {
 public:
  recorded_picture(bounded_plan plan, std::shared_ptr<const recorder> record)
      : plan_(std::move(plan)), record_(std::move(record)) {}

  void on_computation_begin(const computation_event& event) override {
    outcomes_.assign(event.operations.size(), {});
    has_changed_ = true;
    draw();
  }
  void on_tasks_resumed(std::size_t operation, index_t /*count*/) override {
    outcomes_[operation].is_resumed = has_changed_ = true;
  }
  void on_failure(const failure_event& event) override {
    if (!event.is_retried) outcomes_[event.operation].has_failed = has_changed_ = true;
  }
  void on_computation_end(computation_outcome /*outcome*/, session_time /*now*/) override {
    draw();
  }

 private:
  void draw() {
    // A larger picture is not readable, and its layout takes long.
    constexpr std::size_t most_operations = 300;
    if (outcomes_.size() > most_operations || !std::exchange(has_changed_, false)) return;
    // As for other files of the record: the computation goes on without them.
    try {
      draw_outcome(plan_, outcomes_, record_->last_folder() + "/plan.svg");
    } catch (const std::exception& failure) {
      std::cerr << failure.what() << std::endl;
    }
  }

  bounded_plan plan_;
  std::shared_ptr<const recorder> record_;
  std::vector<operation_outcome> outcomes_;
  bool has_changed_ = false;
};

}  // namespace

plan_requests::plan_requests() = default;
plan_requests::~plan_requests() = default;

void plan_requests::add(plan_output output, const array_layout& layout) {
  outputs_.push_back(std::move(output));
  layouts_.push_back(layout);
}

void plan_requests::end_argument() {
  counts_.push_back(layouts_.size() - num_ended_);
  num_ended_ = layouts_.size();
}

std::shared_ptr<const requested_plan> plan_requests::plan(const pass_switches& passes,
                                                          const run_with* settings) {
  const run_with default_settings = settings != nullptr ? *settings : run_with{};
  bounded_plan bounded = make_bounded_plan(std::move(outputs_), layouts_, passes, default_settings);
  return std::make_shared<const requested_plan>(requested_plan{
      std::move(layouts_), std::move(counts_), default_settings, std::move(bounded)});
}

plan_results::plan_results(const requested_plan& requested, const run_with& settings)
    : requested_(requested),
      outputs_(tessera::execute(
          requested.bounded, complete(requested.bounded, settings, requested.default_settings))) {}
plan_results::~plan_results() = default;

const computed_output* plan_results::outputs(std::size_t argument) const {
  return outputs_.data() + first(argument);
}

const array_layout* plan_results::layouts(std::size_t argument) const {
  return requested_.layouts.data() + first(argument);
}

std::size_t plan_results::first(std::size_t argument) const {
  const auto begin = requested_.counts.begin();
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(argument), std::size_t{0});
}

computed_output compute_one(const plan_output& output, const array_layout& layout,
                            const run_with& settings) {
  const bounded_plan plan = make_bounded_plan({output}, {layout}, {}, settings);
  return std::move(tessera::execute(plan, complete(plan, settings)).front());
}

std::shared_ptr<std::byte[]> compute_elements(lowering_function lowered, const void* e,
                                              const array_layout& layout,
                                              const run_with* settings) {
  const plan_output output{computed(lowered(e, layout.chunks))};
  return compute_one(output, layout, settings != nullptr ? *settings : run_with{}).elements;
}

std::shared_ptr<const requested_plan> unrequested(bounded_plan plan) {
  return std::make_shared<const requested_plan>(requested_plan{{}, {}, {}, std::move(plan)});
}

void execute(const requested_plan& requested, const run_with& settings) {
  run(requested.bounded, complete(requested.bounded, settings, requested.default_settings));
}

bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                               const std::vector<array_layout>& layouts,
                               const pass_switches& passes, const run_with& settings) {
  std::vector<const array_layout*> operands;
  for (const array_layout& layout : layouts) operands.push_back(&layout);
  const std::shared_ptr<const spec> common = common_spec("plan", operands);
  const spec limits = common ? *common : default_spec();
  const auto engine = settings.executor ? settings.executor : default_executor();
  return plan_for(std::move(outputs), limits, passes, *engine);
}

run_with complete(const bounded_plan& plan, const run_with& settings,
                  const run_with& default_settings) {
  run_with merged = settings.or_else(default_settings);
  if (merged.observers.empty()) merged.observers = default_observers();
  if (auto status = default_status()) merged.observers.push_back(std::move(status));
  const std::string folder = merged.report ? *merged.report : default_report();
  if (folder.empty()) return merged;
  std::ostringstream explanation;
  explanation << plan.explain();
  const auto record = std::make_shared<recorder>(folder, explanation.str());
  merged.observers.push_back(record);
  merged.observers.push_back(std::make_shared<recorded_picture>(plan, record));
  return merged;
}

}  // namespace tessera::detail
