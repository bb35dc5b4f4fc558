// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of whole blocks.

#include "tessera/kernel/kernel.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Sums products of two operands over the one reduced axis, the last of a domain
/// (rows, columns, inner).
class block_contraction final : public primitive {
 public:
  explicit block_contraction(const contraction_kernel& kernel) : kernel_(&kernel) {}

  [[nodiscard]] std::string_view kind() const override { return "contraction"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  [[nodiscard]] axis_set reduced() const override;
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;

 private:
  const contraction_kernel* kernel_;
};

}  // namespace tessera
