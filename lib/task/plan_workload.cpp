// SPDX-License-Identifier: Apache-2.0
#include "task/plan_workload.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload_registry.hpp"
#include "tessera/task/resume.hpp"

#include "core/api/kept_memory.hpp"
#include "core/api/location_names.hpp"
#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "plan/api/distribution.hpp"
#include "plan/api/intermediates.hpp"
#include "plan/api/needed_tasks.hpp"
#include "plan/api/overwriting.hpp"
#include "store/api/finished_runs.hpp"
#include "task/as_scheduled.hpp"
#include "task/continued.hpp"
#include "task/plan_of_run.hpp"
#include "task/resumption.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace tessera {

namespace {

constexpr auto plan_kind = "plan";

const bool is_known = register_workload(plan_kind, plan_workload::from_recipe);

/// The most arrays of another process that a worker keeps mapped between its tasks. Mappings of
/// freed arrays among them take no memory.
constexpr std::size_t most_mapped_arrays = 64;

/// Tells whether several processes hold parts of an array.
bool is_distributed(const planned_array& array) {
  const auto* memory = std::get_if<memory_source>(&array.placement);
  return memory != nullptr && memory->parts != nullptr;
}

}  // namespace

plan_workload::plan_workload(bounded_plan plan, std::optional<resume_mode> resume)
    : bounded_(std::move(plan)),
      plan_(bounded_.inside()),
      resume_(resume),
      arrays_(plan_.arrays.size()),
      memory_(plan_),
      readers_(plan_.arrays.size(), 0),
      are_overwriting_(overwriting_operations(plan_)),
      contents_(plan_) {
  refuse_overwriting();
  for (std::size_t i = 0; i < arrays_.size(); ++i) open(i);
  std::vector<bool> are_results(arrays_.size(), false);
  for (const std::size_t output : plan_.outputs) {
    ++readers_[output];
    are_results[output] = true;
  }
  for (const planned_operation& planned : plan_.operations) {
    workload_operation scheduled = as_scheduled(planned);
    for (const planned_result& output : planned.outputs) {
      const planned_array& array = plan_.arrays[output.array];
      if (!array.is_in_memory()) continue;
      scheduled.resident_memory += array.size();
      if (are_results[output.array]) scheduled.kept_memory += array.size();
      scheduled.may_be_duplicated = false;
    }
    for (const planned_operand& input : planned.inputs) {
      ++readers_[input.array];
    }
    operations_.push_back(std::move(scheduled));
  }
  // A second copy of a task may still run when the first has ended. It must not read an array that
  // a successor overwrites by then.
  for (std::size_t i = 0; i < are_overwriting_.size(); ++i) {
    if (!are_overwriting_[i]) continue;
    for (const std::size_t source : plan_.operations[i].after) {
      operations_[source].may_be_duplicated = false;
    }
  }
}

std::unique_ptr<workload> plan_workload::from_recipe(const std::string& content) {
  const nlohmann::json recipe = fields::parse(content);
  auto result =
      std::make_unique<plan_workload>(load_plan_of_run(fields::byte_text(recipe.at("directory"))));
  result->serve(recipe);
  return result;
}

workload_recipe plan_workload::recipe() {
  lead();
  if (!run_directory_) hold_directory({});
  save_plan_of_run(bounded_, directory_);
  return invitation();
}

workload_recipe plan_workload::invitation() {
  lead();
  if (identity_.empty()) identity_ = identity();
  const nlohmann::json content{{"directory", fields::of_byte_text(directory_)},
                               {"identity", identity_},
                               {"tasks", hash_of_tasks(plan_)},
                               {"resumed", is_resumed_},
                               {"intermediates", names_},
                               {"memory", memory_.share()}};
  return {plan_kind, content.dump()};
}

void plan_workload::join(const workload_recipe& leader) {
  const nlohmann::json recipe = fields::parse(leader.content);
  if (identity_.empty()) identity_ = bounded_.identity();
  if (leader.kind != plan_kind || fields::text(recipe.at("identity")) != identity_) {
    throw value_error(
        "run: this process makes another plan than the one that schedules; every process of a run "
        "must compute the same expressions, with the same parameters, of the same inputs");
  }
  if (fields::text(recipe.at("tasks")) != hash_of_tasks(plan_)) {
    throw value_error(
        "run: this process cuts the program into other tasks than the process that schedules; "
        "their hosts may have different memory: set spec.host_memory, to the same on all hosts");
  }
  serve(recipe);
}

/// Makes this workload run tasks of the run that `recipe` describes.
void plan_workload::serve(const nlohmann::json& recipe) {
  is_serving_ = true;
  is_resumed_ = fields::flag(recipe.at("resumed"));
  directory_ = fields::byte_text(recipe.at("directory"));
  names_.clear();
  for (const nlohmann::json& name : fields::list(recipe.at("intermediates"))) {
    names_.push_back(fields::text(name));
  }
  if (!names_.empty() && names_.size() != arrays_.size()) {
    throw value_error(
        fmt::format("run: the process that schedules names {} arrays, and this plan has {}: the "
                    "processes have different plans",
                    names_.size(), arrays_.size()));
  }
  memory_.reach(fields::text(recipe.at("memory")));
}

void plan_workload::open(std::size_t i) {
  const planned_array& planned = plan_.arrays[i];
  live_array& array = arrays_[i];
  array.planned = &planned;
  if (const auto* stored = std::get_if<stored_source>(&planned.placement)) {
    array.source = stored->array;
  } else if (const auto* memory = std::get_if<memory_source>(&planned.placement)) {
    array.data = memory->data;
    array.strides = memory->strides;
    if (memory->parts != nullptr) array.here = &memory->parts->here;
  } else if (std::holds_alternative<stored_placement>(planned.placement)) {
    is_stored_ = true;
  }
}

/// Claims results and takes the run's directory, and adopts the work of an earlier run.
void plan_workload::lead() {
  if (!is_stored_) return refuse_unfinished_sources();
  if (run_directory_) return;
  const spec& limits = plan_.spec;
  const resume_mode mode = resume_.value_or(default_resume());
  examine_results();
  name_intermediates();
  claim_results();
  hold_directory(identity_);
  const auto finished = recall_finished(limits.work_dir, identity_);
  const bool has_results = finished && finished == state_of_results(plan_, arrays_);
  if (mode == resume_mode::never) {
    // The intermediates of a run that was stopped may be the only new values of a source.
    if (!has_unfinished_source()) run_directory_->clear();
  } else if (has_results || run_directory_->is_resumed()) {
    adopt_earlier_run(has_results);
  }
  is_resumed_ = tasks_left_.has_value();
  refuse_results_and_sources();
  if (is_resumed_) {
    note_continued();
    tell_continuation();
  }
  if (mode != resume_mode::require || is_resumed_) return;
  run_directory_->remove();
  throw value_error(fmt::format(
      "resume: '{}' holds no earlier run of this computation that could be continued: its inputs, "
      "its parameters or the program have changed, it has ended well, or it is going on; run "
      "without --tessera-resume=require to compute it",
      limits.work_dir));
}

/// Takes a directory for stored intermediates and for the recipe of workers.
void plan_workload::hold_directory(const std::string& identity) {
  run_directory_.emplace(plan_.spec.work_dir, identity, bounded_.to_string());
  directory_ = run_directory_->name();
}

/// Names intermediates by content, so that another plan of the program finds equal ones. Without an
/// identity no other plan looks for them, and numbers suffice.
void plan_workload::name_intermediates() {
  if (!identity_.empty()) {
    names_ = names_of_intermediates(plan_, contents_);
    return;
  }
  for (std::size_t i = 0; i < arrays_.size(); ++i) names_.push_back(std::to_string(i));
}

std::string plan_workload::run_name() {
  if (!is_stored_) return {};
  if (identity_.empty()) identity_ = identity();
  return identity_;
}

/// Returns the identity of the plan, or "" if it has none and cannot be resumed: it calls a
/// function object whose state has no bytes.
std::string plan_workload::identity() {
  try {
    return identity_of(bounded_, contents_);
  } catch (const value_error&) {
    return {};
  }
}

/// Adopts the stored arrays of an earlier run: all results if it has ended well, marked results
/// otherwise, and existing intermediates.
void plan_workload::adopt_earlier_run(bool has_results) {
  for (live_array& array : arrays_) {
    const auto* location = std::get_if<stored_placement>(&array.planned->placement);
    if (location == nullptr) continue;
    const auto destination = destination_of(array, *location);
    const bool is_adopted = location->is_intermediate
                                ? destination->exists()
                                : has_results || destination->is_marked(identity_);
    if (is_adopted) set_sink(array, destination->take_over());
  }
  tasks_left_ = find_remaining_tasks(plan_, arrays_);
}

void plan_workload::begin(std::size_t operation) {
  lead();
  if (tasks_left_ && (*tasks_left_)[operation].empty()) return;
  for (const planned_result& output : plan_.operations[operation].outputs) {
    live_array& array = arrays_[output.array];
    if (const auto* location = std::get_if<stored_placement>(&array.planned->placement)) {
      if (array.sink == nullptr) create(array, *location, are_overwriting_[operation]);
      continue;
    }
    set_elements(array, memory_.allocate(output.array));
  }
}

std::vector<task_range> plan_workload::remaining(std::size_t operation) {
  lead();
  return tasks_left_ ? (*tasks_left_)[operation] : workload::remaining(operation);
}

std::vector<task_range> plan_workload::needs(std::size_t operation, task_range tasks,
                                             std::size_t source) const {
  if (are_overwriting_[operation]) return {{0, plan_.operations[source].num_tasks}};
  return needed_tasks(plan_.operations[operation], tasks, plan_.operations[source]);
}

void plan_workload::set_sink(live_array& array, std::shared_ptr<const array_sink> sink) {
  array.source = sink;
  array.sink = std::move(sink);
}

void plan_workload::set_elements(live_array& array, std::shared_ptr<std::byte[]> elements) {
  array.elements = std::move(elements);
  array.data = array.elements.get();
  array.strides = row_major_strides(array.planned->shape);
}

/// Opens an array that another process or an earlier run has created.
void plan_workload::attach(live_array& array) {
  if (const auto* location = std::get_if<stored_placement>(&array.planned->placement)) {
    if (array.sink == nullptr) set_sink(array, destination_of(array, *location)->open());
  } else if (is_serving_ && array.planned->is_in_memory()) {
    if (array.elements != nullptr) return;
    set_elements(array, memory_.find(static_cast<std::size_t>(&array - arrays_.data())));
    mapped_.push_back(&array);
  }
}

/// Returns the destination of `array`: intermediates are in the run's directory.
std::shared_ptr<const array_destination> plan_workload::destination_of(
    const live_array& array, const stored_placement& location) const {
  if (!location.is_intermediate) return location.to;
  const auto number = static_cast<std::size_t>(&array - arrays_.data());
  return location.to->in(name_in(directory_, names_.at(number)));
}

void plan_workload::attach_all(const planned_operation& planned) {
  const std::lock_guard lock(attach_mutex_);
  if (mapped_.size() > most_mapped_arrays) {
    for (live_array* array : std::exchange(mapped_, {})) array->elements.reset();
  }
  for (const planned_operand& input : planned.inputs) attach(arrays_[input.array]);
  for (const planned_result& output : planned.outputs) attach(arrays_[output.array]);
}

void plan_workload::run(std::size_t operation, index_t task, std::size_t worker) {
  index_t done = 0;
  run_in_order(operation, {task, task + 1}, worker, done);
}

// The tasks share an arena, and the windows and ports in it.
void plan_workload::run_in_order(std::size_t operation, task_range tasks, std::size_t /*worker*/,
                                 index_t& done) {
  const planned_operation& planned = plan_.operations[operation];
  const loop_schedule& schedule = planned.op.schedule;
  const chunk_grid boxes = schedule.blocks();
  const index_t num_blocks = boxes.size();
  const index_t blocks_per_task = schedule.blocks_per_task;
  const lent_arena lent(arenas_, planned.buffers.arena_bytes());
  block_task running_task(planned, arrays_, lent.memory(), is_resumed_);
  for (index_t task = tasks.first; task < tasks.last; ++task, ++done) {
    if (is_serving_) attach_all(planned);
    const kept_memory_scope scope;
    const index_t last = std::min((task + 1) * blocks_per_task, num_blocks);
    for (index_t block = task * blocks_per_task; block < last; ++block) {
      if (is_resumed_) {
        if (const auto box = remaining_box(planned, arrays_, block)) running_task.run(*box);
      } else {
        // Small tasks share the grid.
        running_task.run(schedule.overlap == 0 ? boxes.chunk_region(boxes.chunk_at(block))
                                               : schedule.block_box(block));
      }
    }
  }
}

void plan_workload::end(std::size_t operation) {
  const auto free_if_unread = [this](std::size_t array) {
    if (readers_[array] > 0) return;
    if (plan_.arrays[array].is_in_memory()) {
      arrays_[array].elements.reset();
    }
  };
  const planned_operation& planned = plan_.operations[operation];
  for (const planned_operand& input : planned.inputs) {
    --readers_[input.array];
    free_if_unread(input.array);
  }
  // An output without readers was computed together with another output.
  for (const planned_result& output : planned.outputs) free_if_unread(output.array);
}

bool plan_workload::is_bound_to_workers(std::size_t operation) const {
  const auto& inputs = plan_.operations[operation].inputs;
  return std::any_of(inputs.begin(), inputs.end(), [this](const planned_operand& input) {
    return is_distributed(plan_.arrays[input.array]);
  });
}

std::size_t plan_workload::worker_of(std::size_t operation, index_t task) const {
  const planned_operation& planned = plan_.operations[operation];
  for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
    const planned_array& input = plan_.arrays[planned.inputs[i].array];
    if (!is_distributed(input)) continue;
    const distribution& parts = *std::get<memory_source>(input.placement).parts;
    const index_t block = planned.op.schedule.blocks_of({task, task + 1}).first;
    return parts.holder_of(planned.op.operands[i](planned.op.schedule.block_box(block).start));
  }
  return any_worker;
}

std::string plan_workload::describe(std::size_t operation, index_t task) const {
  const planned_operation& planned = plan_.operations[operation];
  const loop_schedule& schedule = planned.op.schedule;
  const task_range blocks = schedule.blocks_of({task, task + 1});
  const std::string first = format_region(schedule.block_box(blocks.first));
  if (blocks.last - blocks.first == 1) return fmt::format("block {} of {}", first, planned.label);
  return fmt::format("blocks {} to {} of {}", first,
                     format_region(schedule.block_box(blocks.last - 1)), planned.label);
}

}  // namespace tessera
