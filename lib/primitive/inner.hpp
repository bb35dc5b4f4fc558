// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Helpers of primitives that contain primitives: compositions and prologues.

#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

namespace tessera::detail {

/// Returns the JSON of a primitive that is part of another.
[[nodiscard]] nlohmann::json inner_json(const primitive& inner);

/// Returns the primitive of `value`, a part of a primitive of kind `outer`.
///
/// Throws: value_error <- the kind may not be inside `outer`. Compositions contain prologues, and
///         neither contains itself, so that a plan file cannot nest without bound.
[[nodiscard]] primitive_handle parse_inner(std::string_view outer, const nlohmann::json& value);

/// Returns `result`, the memory of `whole`, restricted to `box`.
[[nodiscard]] block_result restrict_result(block_result result, const region& whole,
                                           const region& box);

/// Returns the memory of `box`, a part of `whole`, whose elements are contiguous in `memory`.
[[nodiscard]] block_result dense_result(std::span<std::byte> memory, std::size_t itemsize,
                                        const region& whole, const region& box);

/// The task, as a contained primitive sees it. Forwards every call that is not overridden.
class inner_blocks : public task_blocks {
 public:
  explicit inner_blocks(task_blocks& task) : task_(task) {}

  [[nodiscard]] const loop_schedule& schedule() const override { return task_.schedule(); }
  [[nodiscard]] std::size_t num_operands() const override { return task_.num_operands(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    return task_.operand(i, box);
  }
  void begin(task_scope scope, const region& box) override { task_.begin(scope, box); }
  void end(task_scope scope) override { task_.end(scope); }
  [[nodiscard]] const region& output_box(std::size_t i) const override {
    return task_.output_box(i);
  }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return task_.result(i, box);
  }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t i) const override {
    return task_.work_buffer(i);
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return task_.scratch(); }

 protected:
  [[nodiscard]] task_blocks& task() const { return task_; }

 private:
  task_blocks& task_;
};

}  // namespace tessera::detail
