// SPDX-License-Identifier: Apache-2.0
#include "task/read_forecast.hpp"

#include <utility>

namespace tessera {

index_vector chunk_of_operand(const planned_operation& planned, std::size_t i,
                              const index_vector& chunks, const region& box) {
  index_vector chunk = planned.op.operands[i](box.start);
  for (std::size_t k = 0; k < chunk.size(); ++k) chunk[k] /= chunks[k];
  return chunk;
}

namespace {

/// Tells whether a window reads boxes of its array, and no list of indices.
bool reads_boxes(const planned_operation& planned, const planned_window& window) {
  return planned.op.operands[window.operands.front()].gather() == nullptr;
}

}  // namespace

read_forecast::read_forecast(const planned_operation& planned, std::size_t window,
                             window_reads reads, region task)
    : planned_(&planned), window_(window), reads_(std::move(reads)), task_(std::move(task)) {
  if (!reads_boxes(planned, planned.windows[window])) return;
  steps_ = steps_of(*planned.op.primitive, planned.op.schedule, task_);
}

std::optional<expected_read> read_forecast::next() {
  if (!steps_) return std::nullopt;
  region step;
  while (steps_->next(step)) {
    if (auto read = read_in(step)) return read;
  }
  return std::nullopt;
}

std::optional<expected_read> read_forecast::read_in(const region& step) {
  std::optional<expected_read> read;
  bool is_asked = false;
  const auto visit = [&](std::size_t operand, const region& box) {
    const planned_operand& input = planned_->inputs[operand];
    const bool is_whole_chunk = input.access == operand_access::whole_chunk;
    const bool is_read = is_whole_chunk || input.access == operand_access::gathered;
    if (!is_read || input.window != window_ || is_asked) return;
    is_asked = true;
    if (is_whole_chunk) {
      const index_vector chunk =
          chunk_of_operand(*planned_, operand, reads_.source().read_grid().chunks(), box);
      if (reads_.advance_to_chunk(chunk)) read = expected_read{{chunk, chunk}, true};
      return;
    }
    const std::optional<window_change> change = reads_.advance(step, task_);
    if (change && change->is_read && !change->missing.empty())
      read = expected_read{change->missing};
  };
  for_each_read(*planned_->op.primitive, planned_->op.schedule, planned_->inputs.size(), step,
                visit);
  return read;
}

}  // namespace tessera
