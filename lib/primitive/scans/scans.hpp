// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans of the results of pieces along an axis.

#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/scans.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Computes each element of the domain by pieces, which cover the domain without overlap, and scans
/// the results of their programs. All scans have one axis, leaf, direction and stage, so that they
/// share the loop along the axis.
class scans final : public primitive {
 public:
  scans(piece_list pieces, std::vector<scan_sink> sinks);

  [[nodiscard]] std::string_view kind() const override { return "scans"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] bool can_sweep() const override { return true; }
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  [[nodiscard]] std::unique_ptr<block_computation> start(task_blocks& blocks,
                                                         const region& box) const override;
  [[nodiscard]] bool is_passive() const override { return true; }
  [[nodiscard]] std::optional<carried_state> carries() const override {
    const scan_sink& first = sinks_.front();
    return carried_state{first.axis, first.is_reversed, first.skipped};
  }
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] std::size_t most_pieces(const loop_schedule& schedule) const override {
    return pieces_.most_met(schedule.block);
  }
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] double weight() const override;
  [[nodiscard]] double element_steps(const loop_schedule& schedule) const override;
  [[nodiscard]] primitive_handle within(const loop_schedule& schedule,
                                        const region& box) const override;
  [[nodiscard]] bool takes_epilogue() const override { return sinks_.size() == 1; }
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producers(
      std::span<const inlined_operand> operands) const override;
  [[nodiscard]] primitive_handle beside(const primitive& sibling,
                                        std::size_t num_operands) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& targets,
                                               std::size_t count) const override;
  [[nodiscard]] std::optional<scan_stages> in_leaves() const override;

 private:
  /// Returns the scans in another stage.
  [[nodiscard]] std::vector<scan_sink> in_stage(scan_sink::stage stage) const;

  piece_list pieces_;
  std::vector<scan_sink> sinks_;
};

}  // namespace tessera
