// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stages of a composition under a schedule: their loops, boxes, outputs and buffers.

#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/composition/composition.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::detail {

/// The schedule of a stage, and its outputs.
struct stage_outputs {
  loop_schedule schedule;
  /// The outputs of its primitive, over its own domain.
  std::vector<output> outputs;
  /// The same outputs along the axes of the operation's domain.
  std::vector<output> domain_outputs;
};

/// Returns the schedule of `part` in an operation of `schedule`: the domain and the blocks of its
/// frame, taken in its own steps.
[[nodiscard]] loop_schedule schedule_of(const stage& part, const loop_schedule& schedule);

/// Returns the schedule and the outputs of `part` in an operation of `schedule`.
[[nodiscard]] stage_outputs outputs_of(const stage& part, const loop_schedule& schedule);

/// Tells whether a part of a task at `scope` has all of `axis` of the domain of `schedule`.
[[nodiscard]] bool takes_whole(const loop_schedule& schedule, std::size_t axis, task_scope scope);

/// Returns the axes of the operation along which `axes` of the domain of `part` lie.
[[nodiscard]] axis_set axes_along(const stage& part, axis_set axes);

/// Returns the number of times that an element of `part` is computed: once for each step or block
/// along the axes of the operation that the stage does not have. Returns 1 for stages with outputs
/// that leave the task.
[[nodiscard]] double times_repeated(const stage& part, const loop_schedule& schedule);

/// As above, and again in halos that overlap.
[[nodiscard]] double times_run(const stage& part, const loop_schedule& schedule);

/// Returns the box of the domain of `part` in `box`, a box of the domain of the operation.
[[nodiscard]] region box_of(const stage& part, const loop_schedule& schedule, const region& box);

/// The memory of an output of a stage: an output of the operation, or a buffer of the task.
struct output_slot {
  std::optional<std::size_t> emitted;
  std::size_t buffer = 0;
};

/// A stage of a running task.
struct stage_layout {
  stage_outputs results;
  task_demand needs;
  /// The number of its first work buffer among the buffers of the composition.
  std::size_t first_buffer = 0;
  std::vector<output_slot> slots;
};

/// The stages under a schedule.
struct composition_layout {
  loop_schedule schedule;
  std::vector<stage_layout> stages;
};

/// Returns the layout of each stage.
///
/// An output with one reader, an elementwise stage of one output of the same type and extents,
/// lies in the memory of that output if it is emitted: the reader works in place.
[[nodiscard]] std::vector<stage_layout> lay_out(const std::vector<stage>& stages,
                                                const loop_schedule& schedule);

/// Returns the scope that output `i` of `part` is complete behind.
[[nodiscard]] task_scope completion(const stage& part, const task_demand& needs, std::size_t i);

/// Returns the bytes of the part of output `i` of `part` that is complete at once, in a task of
/// `schedule`.
[[nodiscard]] std::size_t size_of_value(const stage& part, const stage_layout& layout,
                                        std::size_t i, const loop_schedule& schedule);

}  // namespace tessera::detail
