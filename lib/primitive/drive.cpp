// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loops of a task with one primitive.
///
/// The primitive is passive: it is started at a sweep, takes step after step, and finishes. Between
/// these calls the loops begin and end the scopes of the task, so that operands are read before a
/// step and outputs leave behind it:
///
///     for each sweep   begin | start | for each step: begin, take, end | finish | end
///
/// A state that is carried along an axis starts once, takes sweep after sweep, and finishes with
/// the task.

#include "tessera/primitive/primitive.hpp"

#include "primitive/sweeps.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stdexcept>

namespace tessera {

namespace {

std::unique_ptr<block_computation> started(const primitive& op, task_blocks& blocks,
                                           const region& box) {
  std::unique_ptr<block_computation> computation = op.start(blocks, box);
  if (computation != nullptr) return computation;
  throw std::logic_error(
      fmt::format("a primitive of the kind '{}' has neither `start` nor `run`", op.kind()));
}

void run_carried(const primitive& op, const carried_state& carried, task_blocks& blocks,
                 const region& box) {
  const std::unique_ptr<block_computation> computation = started(op, blocks, box);
  const index_t length = blocks.schedule().step[carried.axis];
  detail::for_each_carried_sweep(box, carried, length, [&](const region& sweep, bool is_emitted) {
    if (is_emitted) blocks.begin(task_scope::sweep, sweep);
    computation->take(sweep);
    if (is_emitted) blocks.end(task_scope::sweep);
  });
  computation->finish();
}

}  // namespace

std::unique_ptr<block_computation> primitive::start(task_blocks& /*blocks*/,
                                                    const region& /*box*/) const {
  return nullptr;
}

void primitive::run(task_blocks& blocks, const region& box) const {
  if (const std::optional<carried_state> carried = carries()) {
    return run_carried(*this, *carried, blocks, box);
  }
  for_each_box(box, blocks.schedule().sweep(), [&](const region& sweep) {
    blocks.begin(task_scope::sweep, sweep);
    const std::unique_ptr<block_computation> computation = started(*this, blocks, sweep);
    for_each_box(sweep, blocks.schedule().step, [&](const region& step) {
      blocks.begin(task_scope::step, step);
      computation->take(step);
      blocks.end(task_scope::step);
    });
    computation->finish();
    blocks.end(task_scope::sweep);
  });
}

}  // namespace tessera
