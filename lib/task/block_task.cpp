// SPDX-License-Identifier: Apache-2.0
#include "task/block_task.hpp"

#include <algorithm>

namespace tessera {

block_task::block_task(const planned_operation& planned, std::span<const live_array> arrays,
                       std::span<std::byte> memory, bool is_resumed)
    : planned_(planned),
      arrays_(arrays),
      memory_(memory),
      is_resumed_(is_resumed),
      operands_(planned.inputs.size()),
      output_boxes_(planned.outputs.size()),
      held_(planned.inputs.size()) {}

const live_array& block_task::input(std::size_t i) const {
  return arrays_[planned_.inputs[i].array];
}

const live_array& block_task::output(std::size_t i) const {
  return arrays_[planned_.outputs[i].array];
}

std::span<std::byte> block_task::buffer(std::size_t id) const {
  if (id == no_buffer) return {};
  const scheduled_buffer& scheduled = planned_.buffers.buffers()[id];
  return memory_.subspan(scheduled.offset, scheduled.size);
}

void block_task::run(const region& box) {
  const operation& what = planned_.what;
  std::fill(held_.begin(), held_.end(), std::nullopt);
  for_outputs(false, [&](std::size_t i) { start_output(i, box); });
  const output_access access = planned_.outputs.front().access;
  if (access == output_access::forwarded || access == output_access::handed_on) {
    prepare(0, box);
  } else {
    what.body->run(*this, box);
  }
  for_outputs(false, [&](std::size_t i) { write_output(i); });
}

void block_task::begin_step(const region& box) {
  for_outputs(true, [&](std::size_t i) { start_output(i, box); });
}

void block_task::end_step() {
  for_outputs(true, [&](std::size_t i) { write_output(i); });
}

}  // namespace tessera
