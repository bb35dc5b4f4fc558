// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The shared counters of the processes that run a scripted workload, in a mapped file.

#include "tessera/testing/scripted_workload.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing {

/// A mistake of a scheduler or an engine.
enum class violation : std::size_t {
  begun_twice,
  begun_too_early,
  run_before_begin,
  run_after_end,
  run_too_early,
  no_such_worker,
  ended_twice,
  ended_too_early,
  not_run_once,
  count
};

/// The header of the file. The operations, the rules and the counters of tasks follow it.
struct script_header {
  std::uint64_t num_operations = 0;
  std::uint64_t num_rules = 0;
  std::uint64_t num_tasks = 0;
  std::atomic<std::uint64_t> num_workers;
  std::atomic<std::uint64_t> memory_in_use;
  std::atomic<std::uint64_t> peak;
  std::atomic<std::uint64_t> num_running;
  std::atomic<std::uint64_t> most_running;
  std::atomic<std::uint64_t> is_asked_to_stop;
  std::atomic<std::uint64_t> is_stopping;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(violation::count)> violations;
};

struct script_operation {
  std::uint64_t num_tasks = 0;
  std::uint64_t task_memory = 0;
  std::uint64_t first_counter = 0;
  /// The source in step, counted from 1: its task i is an input of task i here. 0: no such source.
  std::atomic<std::uint64_t> source_in_step;
  std::atomic<std::uint64_t> has_begun;
  std::atomic<std::uint64_t> has_ended;
  std::atomic<std::uint64_t> num_done;
};

struct task_counter {
  std::atomic<std::int32_t> attempts;
  std::atomic<std::int32_t> successes;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::int32_t>::is_always_lock_free);

/// The mapped file.
class scripted_workload::state {
 public:
  /// Creates a file.
  state(const std::vector<workload_operation>& operations, const std::vector<script_rule>& script);
  /// Maps a file that another process has created.
  explicit state(const std::string& path);
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] script_header& header() const { return *reinterpret_cast<script_header*>(start_); }
  [[nodiscard]] std::span<script_operation> operations() const;
  [[nodiscard]] std::span<const script_rule> rules() const;
  [[nodiscard]] std::span<task_counter> counters() const;
  [[nodiscard]] std::span<task_counter> counters_of(std::size_t operation) const;

  void note(violation mistake) const { ++header().violations[static_cast<std::size_t>(mistake)]; }
  void use(std::uint64_t memory) const;
  void give_back(std::uint64_t memory) const { header().memory_in_use -= memory; }
  void enter_task(std::uint64_t memory) const;
  void leave_task(std::uint64_t memory) const;

 private:
  void map(int descriptor, std::size_t size);

  std::string path_;
  bool is_owner_ = false;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tessera::testing
