// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/scripted_workload.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include "testing/script_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace tessera::testing {

namespace {

constexpr const char* kind = "scripted";

const bool is_known = register_workload(
    kind, [](const std::string& path) { return std::make_unique<scripted_workload>(path); });

/// Polls a condition that another process may fulfil, because nothing wakes this process then.
template <class Condition>
void wait_until(Condition is_true) {
  while (!is_true()) std::this_thread::sleep_for(std::chrono::microseconds{50});
}

/// Maps fresh pages of the system, because an allocator may still own freed ones.
void use_pages(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  std::memset(memory, 1, size);
  munmap(memory, size);
}

/// Ends an attempt by the action of a rule, or returns if the action is a wait.
void fail(const script_rule& rule) {
  switch (rule.action) {
    case scripted_action::refuse_memory:
      throw std::bad_alloc();
    case scripted_action::fail_in_passing:
      throw store_error("busy", true);
    case scripted_action::fail:
      throw std::runtime_error("no such chunk");
    case scripted_action::crash:
      // The default action, even if the program has a handler.
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
      return;
    case scripted_action::exit:
      std::_Exit(static_cast<int>(rule.amount));
    case scripted_action::be_killed:
      std::raise(SIGKILL);
      return;
    case scripted_action::hang:
      wait_until([] { return false; });
      return;
    default:
      return;
  }
}

}  // namespace

/// Counts a task as running.
class scripted_workload::running_task {
 public:
  running_task(const state& shared, std::uint64_t memory) : shared_(shared), memory_(memory) {
    shared_.enter_task(memory_);
  }
  running_task(const running_task&) = delete;
  running_task& operator=(const running_task&) = delete;
  ~running_task() { shared_.leave_task(memory_); }

 private:
  const state& shared_;
  std::uint64_t memory_;
};

scripted_workload::scripted_workload(std::vector<workload_operation> operations,
                                     const std::vector<script_rule>& script)
    : operations_(std::move(operations)), state_(std::make_unique<state>(operations_, script)) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].name.empty()) operations_[i].name = fmt::format("op{}", i);
  }
}

scripted_workload::scripted_workload(const std::string& path)
    : state_(std::make_unique<state>(path)) {
  for (const script_operation& operation : state_->operations()) {
    operations_.push_back({.name = fmt::format("op{}", operations_.size()),
                           .num_tasks = static_cast<index_t>(operation.num_tasks),
                           .element_steps_per_task = 0,
                           .task_memory = bytes{operation.task_memory},
                           .resident_memory = {},
                           .after = {}});
  }
}

scripted_workload::~scripted_workload() = default;

void scripted_workload::read_in_step(std::size_t operation) {
  state_->operations()[operation].source_in_step = operations_[operation].after.at(0) + 1;
}

void scripted_workload::go_on_with(const scripted_workload& earlier) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const std::span<task_counter> counters = state_->counters_of(i);
    const std::span<task_counter> before = earlier.state_->counters_of(i);
    for (std::size_t task = 0; task < counters.size(); ++task) {
      if (before[task].successes == 0) continue;
      counters[task].successes = 1;
      ++state_->operations()[i].num_done;
    }
  }
}

std::vector<task_range> scripted_workload::remaining(std::size_t operation) {
  std::vector<task_range> ranges;
  index_t task = 0;
  for (const task_counter& counter : state_->counters_of(operation)) {
    if (counter.successes == 0) {
      const bool follows = !ranges.empty() && ranges.back().last == task;
      if (!follows) ranges.push_back({task, task});
      ++ranges.back().last;
    }
    ++task;
  }
  return ranges;
}

bool scripted_workload::reads_in_step(std::size_t operation) const {
  return state_->operations()[operation].source_in_step != 0;
}

std::vector<task_range> scripted_workload::needs(std::size_t operation, task_range tasks,
                                                 std::size_t source) const {
  if (reads_in_step(operation)) return {tasks};
  return workload::needs(operation, tasks, source);
}

void scripted_workload::begin(std::size_t operation) {
  script_operation& script = state_->operations()[operation];
  if (script.has_begun.exchange(1) != 0) state_->note(violation::begun_twice);
  for (const std::size_t source : operations_[operation].after) {
    const script_operation& needed = state_->operations()[source];
    const bool is_there = reads_in_step(operation) ? needed.has_begun != 0 : needed.has_ended != 0;
    if (!is_there) state_->note(violation::begun_too_early);
  }
  state_->use(operations_[operation].resident_memory.count());
}

void scripted_workload::run(std::size_t operation, index_t task, std::size_t worker) {
  script_operation& script = state_->operations()[operation];
  if (script.has_begun == 0) state_->note(violation::run_before_begin);
  if (script.has_ended != 0) state_->note(violation::run_after_end);
  if (worker >= state_->header().num_workers) state_->note(violation::no_such_worker);
  if (script.source_in_step != 0) {
    const auto source = static_cast<std::size_t>(script.source_in_step - 1);
    const task_counter& needed = state_->counters_of(source)[static_cast<std::size_t>(task)];
    if (needed.successes == 0) state_->note(violation::run_too_early);
  }
  task_counter& counter = state_->counters_of(operation)[static_cast<std::size_t>(task)];
  const int attempt = ++counter.attempts;
  const auto applies = [&](const script_rule& rule) {
    return rule.operation == operation && rule.tasks.first <= task && task < rule.tasks.last &&
           attempt <= rule.last_attempt;
  };
  {
    const running_task guard(*state_, script.task_memory);
    for (const script_rule& rule : state_->rules()) {
      if (applies(rule)) wait(rule);
    }
  }
  // The task no longer counts as running: a killed process would never lower the counter.
  for (const script_rule& rule : state_->rules()) {
    if (applies(rule)) fail(rule);
  }
  ++counter.successes;
  ++script.num_done;
}

void scripted_workload::end(std::size_t operation) {
  script_operation& script = state_->operations()[operation];
  if (script.has_ended.exchange(1) != 0) state_->note(violation::ended_twice);
  for (const std::size_t source : operations_[operation].after) {
    if (state_->operations()[source].num_done < state_->operations()[source].num_tasks) {
      state_->note(violation::ended_too_early);
    }
  }
  for (const task_counter& counter : state_->counters_of(operation)) {
    if (counter.successes != 1) state_->note(violation::not_run_once);
  }
  release_sources(operation);
}

/// Frees the memory of the sources of `operation`, which has ended, if it is their last reader.
void scripted_workload::release_sources(std::size_t operation) {
  const auto reads = [this](std::size_t reader, std::size_t source) {
    const auto& after = operations_[reader].after;
    return std::ranges::find(after, source) != after.end();
  };
  for (std::size_t source = 0; source < operations_.size(); ++source) {
    bool is_needed = !reads(operation, source);
    for (std::size_t reader = 0; reader < operations_.size(); ++reader) {
      is_needed |= reads(reader, source) && state_->operations()[reader].has_ended == 0;
    }
    const workload_operation& spec = operations_[source];
    if (!is_needed) state_->give_back((spec.resident_memory - spec.kept_memory).count());
  }
}

std::string scripted_workload::describe(std::size_t, index_t task) const {
  return fmt::format("block ({},)", task);
}

workload_recipe scripted_workload::recipe() { return {kind, state_->path()}; }

void scripted_workload::join(const workload_recipe& leader) {
  if (leader.kind == kind && leader.content == state_->path()) return;
  throw value_error(
      fmt::format("run: this process has the script '{}', but the one that leads has '{}'",
                  state_->path(), leader.content));
}

void scripted_workload::wait(const script_rule& rule) {
  script_header& shared = state_->header();
  if (rule.action == scripted_action::wait_for_tasks) {
    wait_until([&] { return shared.most_running >= rule.amount; });
  } else if (rule.action == scripted_action::wait_for_operation) {
    const script_operation& awaited = state_->operations()[rule.amount];
    wait_until([&] { return awaited.num_done >= awaited.num_tasks; });
  } else if (rule.action == scripted_action::stop_the_run) {
    shared.is_asked_to_stop = 1;
    wait_until([&] { return shared.is_stopping != 0; });
  } else if (rule.action == scripted_action::use_memory) {
    use_pages(rule.amount);
  }
}

void scripted_workload::set_num_workers(std::size_t count) { state_->header().num_workers = count; }

bool scripted_workload::has_ended() const {
  return std::ranges::all_of(state_->operations(),
                             [](const script_operation& script) { return script.has_ended != 0; });
}

int scripted_workload::attempts(std::size_t operation, index_t task) const {
  return state_->counters_of(operation)[static_cast<std::size_t>(task)].attempts;
}

index_t scripted_workload::num_runs() const {
  index_t runs = 0;
  for (const task_counter& counter : state_->counters()) runs += counter.attempts;
  return runs;
}

std::uint64_t scripted_workload::peak() const { return state_->header().peak; }

std::vector<std::string> scripted_workload::violations() const {
  constexpr std::array<std::string_view, static_cast<std::size_t>(violation::count)> names{
      "an operation began twice",         "an operation began before a source",
      "a task ran before its operation",  "a task ran after its operation",
      "a task ran before what it reads",  "a task ran on a worker too many",
      "an operation ended twice",         "an operation ended before a source had run",
      "a task did not end well just once"};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::uint64_t times = state_->header().violations[i]; times > 0) {
      texts.push_back(fmt::format("{}: {}", names[i], times));
    }
  }
  return texts;
}

bool scripted_workload::is_asked_to_stop() const { return state_->header().is_asked_to_stop != 0; }

void scripted_workload::confirm_stop() { state_->header().is_stopping = 1; }

}  // namespace tessera::testing
