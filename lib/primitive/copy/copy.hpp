// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies of boxes.

#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/build.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Copies its one operand, of elements of any type. If a copy of numbers is fused with functions,
/// it becomes strips.
class box_copy final : public primitive {
 public:
  box_copy(const index_vector& shape, element_type type);

  [[nodiscard]] std::string_view kind() const override { return "copy"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return true; }
  [[nodiscard]] const piece_list* as_elementwise() const override {
    return as_strips_ ? &*as_strips_ : nullptr;
  }
  [[nodiscard]] primitive_handle within(const loop_schedule& schedule,
                                        const region& box) const override;
  [[nodiscard]] bool takes_producers() const override { return type_.is_number(); }
  [[nodiscard]] primitive_handle with_producers(
      std::span<const inlined_operand> operands) const override;
  [[nodiscard]] primitive_handle beside(const primitive& sibling,
                                        std::size_t num_operands) const override;

 private:
  index_vector shape_;
  element_type type_;
  /// The copy as strips, for operations that are fused with it; of numbers alone.
  std::optional<piece_list> as_strips_;
};

}  // namespace tessera
