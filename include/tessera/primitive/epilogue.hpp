// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is done element by element to a block that another primitive has made, before it leaves.

#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A primitive of one output, and a function of that output and other operands, element by element.
///
/// Its operands are those of `first`, then those of `then` but for the one that `first` makes. Its
/// outputs are those of `then`, over the axes of what `first` makes.
class epilogue final : public primitive {
 public:
  /// So many may stand behind a primitive, one around the other: each asks those within what they
  /// need.
  static constexpr std::size_t most_behind = 16;

  /// `then` takes what `first`, which has `num_first` operands, makes as operand `made` of `count`.
  epilogue(primitive_handle first, std::size_t num_first, primitive_handle then, std::size_t made,
           std::size_t count);

  [[nodiscard]] std::string_view kind() const override { return "epilogue"; }
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
  [[nodiscard]] bool may_grow() const override { return first_->may_grow(); }
  [[nodiscard]] bool may_shrink() const override { return first_->may_shrink(); }
  [[nodiscard]] std::size_t most_pieces(const walk& how) const override {
    return first_->most_pieces(how);
  }
  [[nodiscard]] bool takes_epilogue() const override { return num_behind_ < most_behind; }
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] double weight() const override;
  [[nodiscard]] double element_steps(const walk& how) const override;

 private:
  class first_blocks;
  class then_blocks;

  /// Returns what `then` walks: all that `first` makes where it walks like `how`.
  [[nodiscard]] static walk walk_of(const output& made, const walk& how);
  /// Tells whether the one result lies where `first` makes its output.
  [[nodiscard]] bool is_in_place(const walk& how) const;

  primitive_handle first_;
  std::size_t num_first_;
  primitive_handle then_;
  std::size_t made_;
  std::size_t count_;
  /// How many there are behind what is no epilogue, this one counted.
  std::size_t num_behind_;
};

/// Tells whether `map`, from what `first` makes, `made`, is also one from the domain of `first`:
/// whether it depends on none but axes of the domain that begin where those do.
[[nodiscard]] bool is_seen_from_domain(const index_map& map, const output& made);

/// Returns the map to the operand of `then` that `map`, from the domain of `first`, leads to: from
/// what `first` makes, `made`. Throws value_error where there is none.
[[nodiscard]] index_map from_made(const index_map& map, const output& made);

/// Returns the map from the domain of `first` of rank `rank` to what it makes, `made`; axes that
/// the domain has not are 0.
[[nodiscard]] index_map to_made(std::size_t rank, const output& made);

}  // namespace tessera
