// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is done element by element to the blocks that another primitive takes, before it does.

#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera {

/// An axis of the domain along which a computed operand is longer, by the extent of another one
/// less one: what lies around a block.
struct grown_axis {
  std::size_t axis = 0;
  std::size_t by = 0;

  [[nodiscard]] bool operator==(const grown_axis&) const = default;
};

/// An operand that is computed, element by element, of operands of the operation.
///
/// It has places of its own: along each of its axes those of the domain, along one that is grown
/// those of both together, along others one. What is at a place is shown wherever the domain's
/// positions along both add up to it, and operands that it is computed of are seen in the same
/// steps along both.
struct computed_operand {
  /// What computes it, by place; of those beyond the domain nothing.
  piece_list pieces;
  /// The axes of the domain that it goes along, each of its own by one of these in their order.
  axis_set axes;
  /// By others than `axes`.
  std::vector<grown_axis> grown = {};

  [[nodiscard]] bool operator==(const computed_operand& other) const;
};

/// An operand of the operation, by number, or one that is computed.
using prologue_input = std::variant<std::size_t, computed_operand>;

/// A primitive that takes whole blocks of operands, and functions that compute some of these,
/// element by element, where a block is taken.
class prologue final : public primitive {
 public:
  /// Operand `i` of `then` is `inputs[i]`.
  prologue(primitive_handle then, std::vector<prologue_input> inputs);

  [[nodiscard]] std::string_view kind() const override { return "prologue"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return then_->reduced(); }
  [[nodiscard]] bool walks_in_order() const override { return then_->walks_in_order(); }
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override {
    return then_->outputs(how);
  }
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return then_->may_grow(); }
  [[nodiscard]] bool may_shrink() const override { return then_->may_shrink(); }
  [[nodiscard]] std::size_t most_pieces(const walk& how) const override;
  [[nodiscard]] primitive_handle within(const walk& how, const region& box) const override;
  [[nodiscard]] double element_steps(const walk& how) const override;
  [[nodiscard]] bool takes_epilogue() const override { return then_->takes_epilogue(); }
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& places,
                                               std::size_t count) const override;
  [[nodiscard]] primitive_handle with_outputs(const std::vector<bool>& needed) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override { return then_->in_stages(); }

 private:
  class blocks_of_then;

  /// Adds what is needed for an operand that is computed from step `step` on.
  static void add_computed(task_demand& needs, const computed_operand& computed, const walk& how,
                           std::size_t step);

  primitive_handle then_;
  std::vector<prologue_input> inputs_;
};

}  // namespace tessera
