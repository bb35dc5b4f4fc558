// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A task of a primitive on a matrix in memory.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/strips.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace tessera::testing {

constexpr index_t rows = 8;
constexpr index_t columns = 6;

/// Returns the map of a matrix of `extents` to itself, element by element.
inline primitive_handle copy_map(const index_vector& extents, dtype type = dtype::float64) {
  return map_of({{region::whole(extents), {0}, strip_program::copy(type)}}, type);
}

/// A task on a matrix in memory.
class memory_task final : public task_blocks {
 public:
  /// The operand lies by `steps`, in elements, along the axes of the domain.
  memory_task(const primitive& op, loop_schedule schedule, index_vector steps = {columns, 1})
      : schedule_(std::move(schedule)),
        strides_(std::move(steps)),
        outputs_(op.outputs(schedule_)),
        boxes_(outputs_.size()),
        operand_values_(rows * columns) {
    for (index_t& stride : strides_) stride *= static_cast<index_t>(sizeof(double));
    std::iota(operand_values_.begin(), operand_values_.end(), 0.0);
    for (const output& spec : outputs_) {
      results.emplace_back(num_elements(spec.shape(schedule_)), -1.0);
    }
    for (const buffer_demand& buffer : op.demand(schedule_, 1).buffers) {
      buffers_.emplace_back(buffer.size);
    }
  }

  [[nodiscard]] const loop_schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return 1; }
  [[nodiscard]] const block_operand& operand(std::size_t /*i*/, const region& box) override {
    const auto* const data = reinterpret_cast<const std::byte*>(operand_values_.data());
    num_rows_read = std::max(num_rows_read, box.stop[0] - box.start[0]);
    operand_ = {.data = data + offset_of(box.start, strides_), .strides = strides_};
    return operand_;
  }
  void begin(task_scope scope, const region& box) override {
    if (scope != task_scope::sweep) return;
    for (std::size_t i = 0; i < outputs_.size(); ++i) boxes_[i] = outputs_[i].box(schedule_, box);
  }
  void end(task_scope scope) override { num_sweeps += scope == task_scope::sweep ? 1 : 0; }
  [[nodiscard]] const region& output_box(std::size_t i) const override { return boxes_[i]; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    auto* const data = reinterpret_cast<std::byte*>(results[i].data());
    const index_vector strides = strides_of(outputs_[i].shape(schedule_));
    return {data + offset_of(box.start, strides), strides};
  }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t i) const override {
    return buffers_[i];
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return scratch_; }

  mutable std::vector<std::vector<double>> results;
  int num_sweeps = 0;
  /// The most positions along the first axis that the operand was asked for at once.
  index_t num_rows_read = 0;

 private:
  static index_vector strides_of(const index_vector& shape) {
    index_vector strides = row_major_strides(shape);
    for (index_t& stride : strides) stride *= static_cast<index_t>(sizeof(double));
    return strides;
  }

  loop_schedule schedule_;
  index_vector strides_;
  std::vector<output> outputs_;
  std::vector<region> boxes_;
  std::vector<double> operand_values_;
  block_operand operand_;
  mutable std::array<std::byte, 4096> scratch_{};
  mutable std::vector<std::vector<std::byte>> buffers_;
};

}  // namespace tessera::testing
