// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compositions: several primitives in one task, as a list of stages.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/halo_axis.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {
struct composition_layout;
}  // namespace detail

/// An operand of a stage: operand `number` of the operation, or output `number` of stage `stage`.
struct stage_input {
  std::optional<std::size_t> stage = std::nullopt;
  std::size_t number = 0;
  /// The map from the domain of the reading stage to the output. Unused for an operand. A gather is
  /// a reshape: steps hold the axes that it numbers anew whole.
  index_map map = {};
  /// The name of the output in formulas. Empty: its formula.
  std::string name = {};

  [[nodiscard]] bool operator==(const stage_input&) const = default;
};

/// A primitive of a composition, its place in the loops of the task, and its operands.
struct stage {
  primitive_handle op;
  std::vector<stage_input> inputs;
  /// The axes of its domain along axes of the operation, as the axes of an output that has the
  /// shape of the domain. `extra` axes are the stage's own. nullopt: the domain of the operation.
  std::optional<std::vector<output_axis>> frame = std::nullopt;
  /// The axes of its domain that are longer than the axes of the frame (`halo.hpp`).
  std::vector<halo_axis> halo = {};
  /// The scope that it runs in. The leading stage is started at the sweep and takes the steps of
  /// the operation. Another stage computes its part of the scope as a whole.
  task_scope at = task_scope::step;
  /// The steps that a stage takes its part in, if it runs as a whole. Empty: one step, or the steps
  /// of the operation if it is the leading stage. A stage before the leading one has such steps.
  index_vector step = {};
  /// Whether its outputs are outputs of the operation. Else they never leave the task.
  bool is_emitted = false;

  /// Tells whether it runs in the steps of the operation.
  [[nodiscard]] bool is_leading() const {
    return step.empty() && (at == task_scope::step || !frame);
  }
  /// Tells whether it computes its part of each step before the leading stage takes the step.
  [[nodiscard]] bool is_producer() const { return at == task_scope::step && !is_leading(); }
  [[nodiscard]] bool operator==(const stage& rhs) const;
};

/// Several primitives in one task, which read operands and outputs of stages before them.
///
/// Its outputs are the outputs of the emitted stages, in order; all leave with one scope.
class composition final : public primitive {
 public:
  /// The most stages.
  static constexpr std::size_t most_stages = 128;

  explicit composition(std::vector<stage> stages) : stages_(std::move(stages)) {}

  [[nodiscard]] const std::vector<stage>& stages() const { return stages_; }

  [[nodiscard]] std::string_view kind() const override { return "stages"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override;
  [[nodiscard]] axis_set in_steps(const loop_schedule& schedule) const override;
  [[nodiscard]] bool can_sweep() const override;
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] std::optional<carried_state> carries() const override;
  [[nodiscard]] bool may_grow() const override;
  [[nodiscard]] bool may_shrink() const override;
  [[nodiscard]] std::size_t most_pieces(const loop_schedule& schedule) const override;
  [[nodiscard]] bool takes_epilogue() const override;
  [[nodiscard]] primitive_handle with_outputs(const std::vector<bool>& needed) const override;
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] double weight() const override;
  [[nodiscard]] double element_steps(const loop_schedule& schedule) const override;

 private:
  /// Returns the layout of the stages under `schedule`. All tasks of an operation share it.
  [[nodiscard]] std::shared_ptr<const detail::composition_layout> layout(
      const loop_schedule& schedule) const;
  /// Returns the stage that runs in the steps of the operation, or nullptr.
  [[nodiscard]] const stage* leading() const;
  [[nodiscard]] bool has_producers() const;
  /// Returns the axes of the operation that producers alone have. A step takes them whole.
  [[nodiscard]] axis_set private_axes() const;
  [[nodiscard]] std::size_t num_emitted() const;
  /// Tells whether smaller blocks keep the elements of all stages at steps; of all stages, if none
  /// takes the steps of the operation.
  [[nodiscard]] bool has_separable_stages() const;

  std::vector<stage> stages_;
  /// The layout that was asked for last, and its lock: threads share a primitive.
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const detail::composition_layout> layout_;
};

}  // namespace tessera
