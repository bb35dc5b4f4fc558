// SPDX-License-Identifier: Apache-2.0
#include "task/block_task.hpp"

#include "plan/api/rings.hpp"
#include "task/task_buffers.hpp"

#include <algorithm>

namespace tessera {

block_task::block_task(const planned_operation& planned, std::span<const live_array> arrays,
                       std::span<std::byte> memory, bool is_resumed)
    : planned_(planned),
      schedule_(schedule_in_legs(planned)),
      arrays_(arrays),
      memory_(memory),
      is_resumed_(is_resumed),
      operands_(planned.inputs.size()),
      windows_(planned.windows.size()),
      writers_(planned.outputs.size()),
      output_boxes_(planned.outputs.size()),
      has_unfilled_border_(planned.outputs.size(), false),
      shards_(planned.outputs.size()) {}

const live_array& block_task::input(std::size_t i) const {
  return arrays_[planned_.inputs[i].array];
}

const live_array& block_task::output(std::size_t i) const {
  return arrays_[planned_.outputs[i].array];
}

std::span<std::byte> block_task::buffer(std::size_t id) const {
  return buffer_in(memory_, planned_, id);
}

void block_task::run(const region& box) {
  if (planned_.leg.empty()) return run_leg(box);
  // A failed attempt of the task may have left shards unfinished.
  for (std::unique_ptr<shard_stream>& shard : shards_) shard.reset();
  for_each_box(box, planned_.leg, [&](const region& leg) { run_leg(leg); });
  for (std::unique_ptr<shard_stream>& shard : shards_) {
    if (shard != nullptr) shard->finish();
    shard.reset();
  }
}

void block_task::run_leg(const region& box) {
  const operation& op = planned_.op;
  const output_access access = planned_.outputs.front().access;
  task_box_ = box;
  if (access != output_access::read_into) begin_windows();
  begin(task_scope::task, box);
  if (access == output_access::read_into) {
    read_into(box);
  } else if (access == output_access::forwarded || access == output_access::handed_on) {
    prepare(0, box);
  } else {
    op.primitive->run(*this, box);
  }
  for (const std::unique_ptr<window>& task_window : windows_) {
    if (task_window != nullptr) task_window->end();
  }
  end(task_scope::task);
  for (const std::unique_ptr<chunk_writer>& writer : writers_) {
    if (writer != nullptr) writer->finish();
  }
}

// With rings, all windows exist before the first step, so that their first reads are in flight at
// once.
void block_task::begin_windows() {
  const bool needs_all = has_rings(planned_);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i] != nullptr) windows_[i]->begin(task_box_);
    if (needs_all) static_cast<void>(window_at(i));
  }
}

void block_task::begin(task_scope scope, const region& box) {
  scope_box_ = box;
  for (std::size_t i = 0; i < planned_.outputs.size(); ++i) {
    if (planned_.outputs[i].emitted_per == scope) start_output(i, box);
  }
}

void block_task::end(task_scope scope) {
  for (std::size_t i = 0; i < planned_.outputs.size(); ++i) {
    if (planned_.outputs[i].emitted_per == scope) write_output(i);
  }
}

}  // namespace tessera
