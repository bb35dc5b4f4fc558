// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of what another primitive makes, and of coarser and coarser elements of it, all of
/// which leave a task together.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A function of an output, made where that is: each of its elements of a box of `step` elements of
/// the output, which no other element of it is made of.
struct cascade_level {
  primitive_handle then;
  /// The output, counted through those of what is before the level.
  std::size_t made = 0;
  /// What `then` walks, and in which steps along the axes that it reduces.
  index_vector domain;
  index_vector stream;
  /// How each of its operands is seen in the output.
  std::vector<index_map> maps;
  /// What people call the output, of which there may be very many in a formula.
  std::string name;

  [[nodiscard]] bool operator==(const cascade_level& other) const;
};

/// An axis of what is read, as one of the domain that reads it goes along it.
struct coarser_axis {
  std::size_t axis = 0;
  index_t step = 1;
};

/// Returns how `level.then` goes along each axis of what it reads; nothing where an element reads
/// what others read too, or where it is more than a function of elements or a fold of them.
[[nodiscard]] std::optional<std::vector<coarser_axis>> coarser_axes(const cascade_level& level);

/// A primitive and levels of functions of what it makes: means of 2 x 2 elements, and of those, and
/// of those. Nothing is read again, and what is made leaves as well.
///
/// Its operands are those of `first`; its outputs those of `first`, then those of each level.
class cascade final : public primitive {
 public:
  /// `first` has `num_first` operands.
  cascade(primitive_handle first, std::size_t num_first, std::vector<cascade_level> levels);

  [[nodiscard]] const primitive_handle& first() const { return first_; }
  [[nodiscard]] const std::vector<cascade_level>& levels() const { return levels_; }

  [[nodiscard]] std::string_view kind() const override { return "cascade"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return first_->reduced(); }
  [[nodiscard]] axis_set in_steps(const walk& how) const override { return first_->in_steps(how); }
  [[nodiscard]] bool walks_in_order() const override { return first_->walks_in_order(); }
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;
  [[nodiscard]] std::size_t most_pieces(const walk& how) const override {
    return first_->most_pieces(how);
  }
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] double weight() const override;
  [[nodiscard]] double element_steps(const walk& how) const override;

 private:
  class first_blocks;
  class level_blocks;

  primitive_handle first_;
  std::size_t num_first_;
  std::vector<cascade_level> levels_;
};

}  // namespace tessera
