// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A task, as its primitive sees it: its needs, its blocks, and the parts of its computation.

#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// The steps [first, last] of a task in which a buffer lives.
struct lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The use of an operand by a task.
struct operand_demand {
  bool is_used = false;
  /// From the first step that reads it to the last step that uses the elements.
  lifetime used{};
  lifetime read{};
  /// Whether its elements must lie in memory, even if they are generated.
  bool is_whole = false;
  /// The part of the domain in which it is read; nullopt: the whole domain.
  std::optional<region> domain = {};
  /// Axes of the domain along which only the first element of a step is read.
  axis_set at_start = {};
};

/// Memory that a task needs besides its operands and outputs.
struct buffer_demand {
  std::string name;
  std::size_t size = 0;
  /// The steps in which it lives; nullopt: all steps.
  std::optional<lifetime> used = {};
};

/// The lifetime of an output in a task.
struct output_demand {
  /// From the step that begins it to the step that emits it.
  lifetime live_steps{};
  /// The scope that a part of it is emitted after.
  task_scope emitted_per = task_scope::task;
};

/// The needs of a task by step, apart from storage. The planner adds the needs of reading and
/// writing, and lays out the buffers.
struct task_demand {
  std::vector<operand_demand> operands;
  /// The last output is emitted in the last step.
  std::vector<output_demand> outputs;
  /// The last step of the loop, if a task has several steps or sweeps.
  std::size_t last_repeated_step = 0;
  /// Buffers of the primitive: `task_blocks::work_buffer`, by number.
  std::vector<buffer_demand> buffers;
  /// The bytes of the scratch memory of strips.
  std::size_t scratch = 0;
  /// Memory that a library allocates in a task and keeps.
  std::vector<buffer_demand> kept;
  /// Whether the only output is the only operand. Then its chunks may be cut from the operand's
  /// buffer, without a run.
  bool is_handed_on = false;
};

/// The blocks of one running task, as its primitive sees them.
class task_blocks {
 public:
  task_blocks() = default;
  task_blocks(const task_blocks&) = delete;
  task_blocks& operator=(const task_blocks&) = delete;
  virtual ~task_blocks() = default;

  [[nodiscard]] virtual const loop_schedule& schedule() const = 0;
  [[nodiscard]] virtual std::size_t num_operands() const = 0;
  /// Returns operand `i` over `box`, a box of the current step. It invalidates the operands of
  /// other steps.
  [[nodiscard]] virtual const block_operand& operand(std::size_t i, const region& box) = 0;
  /// Begins a sweep or a step, over `box`, and the outputs that are emitted per such scope.
  virtual void begin(task_scope scope, const region& box) = 0;
  /// Emits the parts that the scope has computed.
  virtual void end(task_scope scope) = 0;
  /// Returns the box of output `i` in the current task, sweep or step.
  [[nodiscard]] virtual const region& output_box(std::size_t i) const = 0;
  /// Returns the destination of `box`, a box of output `i`.
  [[nodiscard]] virtual block_result result(std::size_t i, const region& box) const = 0;
  [[nodiscard]] virtual std::span<std::byte> work_buffer(std::size_t i) const = 0;
  [[nodiscard]] virtual std::span<std::byte> scratch() const = 0;
};

/// The computation of one box of a task by a primitive, in parts that the caller chooses.
///
/// It begins and ends no scope. The caller begins a scope before it takes a part in it, and ends
/// the scope behind the part, so that outputs leave.
class block_computation {
 public:
  block_computation() = default;
  block_computation(const block_computation&) = delete;
  block_computation& operator=(const block_computation&) = delete;
  virtual ~block_computation() = default;

  /// Takes the operands over `part`, the next step of the box.
  virtual void take(const region& part) = 0;
  /// Completes the outputs over the box. Call it behind the last part.
  virtual void finish() = 0;
};

/// A state that a primitive carries from sweep to sweep of a task, along an axis.
struct carried_state {
  std::size_t axis = 0;
  /// Whether sweeps go from the end of the axis to its start.
  bool is_reversed = false;
  /// The position of the first element of the outputs. The first sweep has the elements before it,
  /// too.
  index_t skipped = 0;
};

}  // namespace tessera
