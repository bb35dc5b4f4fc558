// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise functions of the operand blocks of another primitive, computed before it runs.

#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/read_order.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera {

/// An axis of the domain along which a computed operand is longer, by the extent of another axis
/// less one: the surroundings of a block.
struct grown_axis {
  std::size_t axis = 0;
  std::size_t by = 0;

  [[nodiscard]] bool operator==(const grown_axis&) const = default;
};

/// An operand that is computed, element by element, of operands of the operation.
///
/// It has coordinates of its own: along each of its axes the positions of the domain, along a grown
/// axis the sums of the positions of both axes. The element at a coordinate is read by all
/// positions of the domain that add up to it. Its operands move along both axes in the same steps.
struct computed_operand {
  /// The programs of its elements, by coordinate; none beyond the domain.
  piece_list pieces;
  /// The axes of the domain that it depends on, in the order of its axes.
  axis_set axes;
  /// Grown axes; their window axes are none of `axes`.
  std::vector<grown_axis> grown = {};

  [[nodiscard]] bool operator==(const computed_operand& rhs) const;
};

/// An operand of the operation, by number, or one that is computed.
using prologue_input = std::variant<std::size_t, computed_operand>;

/// A primitive of blocks of operands, and elementwise functions that compute some of these blocks.
class prologue final : public primitive {
 public:
  /// Operand `i` of `then` is `inputs[i]`.
  prologue(primitive_handle then, std::vector<prologue_input> inputs);

  [[nodiscard]] std::string_view kind() const override { return "prologue"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return then_->reduced(); }
  [[nodiscard]] bool can_sweep() const override { return then_->can_sweep(); }
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override {
    return then_->outputs(schedule);
  }
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  [[nodiscard]] std::unique_ptr<block_computation> start(task_blocks& blocks,
                                                         const region& box) const override;
  [[nodiscard]] bool is_passive() const override { return then_->is_passive(); }
  [[nodiscard]] std::optional<carried_state> carries() const override { return then_->carries(); }
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return then_->may_grow(); }
  [[nodiscard]] bool may_shrink() const override { return then_->may_shrink(); }
  [[nodiscard]] std::size_t most_pieces(const loop_schedule& schedule) const override;
  [[nodiscard]] primitive_handle within(const loop_schedule& schedule,
                                        const region& box) const override;
  [[nodiscard]] double element_steps(const loop_schedule& schedule) const override;
  [[nodiscard]] bool takes_epilogue() const override { return then_->takes_epilogue(); }
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& positions,
                                               std::size_t count) const override;
  [[nodiscard]] primitive_handle with_outputs(const std::vector<bool>& needed) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override { return then_->in_stages(); }
  /// Calls `visit` with each operand of the operation that a step asks for, in order.
  void for_each_read(const region& step, const read_visitor& visit) const;

 private:
  class blocks_of_then;
  class computation;

  /// Adds the needs of an operand that is computed from step `step` on.
  static void add_computed(task_demand& needs, const computed_operand& computed,
                           const loop_schedule& schedule, std::size_t step);

  primitive_handle then_;
  std::vector<prologue_input> inputs_;
};

}  // namespace tessera
