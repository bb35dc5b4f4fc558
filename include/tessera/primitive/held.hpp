// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of what another primitive makes of a block, and of the block itself, which lies where
/// it was read.

#include "tessera/core/index.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// An operand of what is computed of a block: one of the operation, or an output of what was made
/// of the block before, seen from its domain.
struct held_input {
  bool is_made = false;
  std::size_t number = 0;

  [[nodiscard]] bool operator==(const held_input&) const = default;
};

/// A primitive, `first`, and a function, element by element over the domain, of what it makes and
/// of operands: a task reads its block once, lets `first` make of it what it does in steps of its
/// own, and computes the function where the block lies.
///
/// Its operands are those of `first`, then others of `then`; its outputs those of `then`.
class held final : public primitive {
 public:
  /// `stream` are the steps of `first`, which has `num_first` operands; operand `i` of `then` is
  /// `inputs[i]`.
  held(primitive_handle first, std::size_t num_first, index_vector stream, primitive_handle then,
       std::vector<held_input> inputs);

  [[nodiscard]] std::string_view kind() const override { return "held"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return first_->reduced(); }
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;
  [[nodiscard]] std::size_t num_steps() const override {
    return first_->num_steps() + then_->num_steps();
  }
  [[nodiscard]] double weight() const override { return first_->weight() + then_->weight(); }

 private:
  class blocks_of_first;
  class blocks_of_then;

  /// Returns how `first` goes along the domain where a task goes like `how`.
  [[nodiscard]] walk walk_of_first(walk how) const;

  primitive_handle first_;
  std::size_t num_first_;
  index_vector stream_;
  primitive_handle then_;
  std::vector<held_input> inputs_;
};

}  // namespace tessera
