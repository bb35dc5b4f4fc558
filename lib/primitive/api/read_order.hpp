// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order in which a task reads its operands, told without data and before the task runs.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace tessera {

/// Goes through the steps of a task, in the order in which `primitive::run` begins them.
class step_cursor {
 public:
  /// The steps of a task on `box`.
  step_cursor(const loop_schedule& schedule, const region& box);
  /// One step: the box of the task.
  explicit step_cursor(const region& box);

  /// Goes on to the next step. Returns false behind the last one.
  [[nodiscard]] bool next(region& step);

 private:
  /// The parts of a box, in row-major order.
  class parts {
   public:
    parts(const region& box, const index_vector& extents);
    [[nodiscard]] std::optional<region> next();

   private:
    index_vector start_;
    chunk_grid grid_;
    index_t number_ = 0;
  };

  index_vector step_;
  parts sweeps_;
  std::optional<parts> steps_;
};

/// Returns the steps of a task of `op` on `box`, or nullopt for a primitive whose order of reads is
/// not known ahead.
[[nodiscard]] std::optional<step_cursor> steps_of(const primitive& op,
                                                  const loop_schedule& schedule, const region& box);

/// Takes the number of an operand and the box of the domain over which it is asked for.
using read_visitor = std::function<void(std::size_t operand, const region& box)>;

/// Calls `visit` with each operand that `op`, of `num_operands`, asks for in `step`, in order.
/// Requires: `steps_of(op, schedule, ...)` returns steps.
void for_each_read(const primitive& op, const loop_schedule& schedule, std::size_t num_operands,
                   const region& step, const read_visitor& visit);

}  // namespace tessera
