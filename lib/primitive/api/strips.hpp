// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Strips: a program over a domain, strip by strip, whose results go into arrays and folds.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// A fold, and its parameters.
struct fold_step {
  const fold_kernel* kernel = nullptr;
  kernel_parameters parameters;

  [[nodiscard]] bool operator==(const fold_step&) const = default;
};

/// Stores each element.
struct result_sink {
  dtype type{};

  [[nodiscard]] bool operator==(const result_sink&) const = default;
};

/// Folds the elements over some axes of the domain.
struct fold_sink {
  fold_step step;
  axis_set reduced;
  /// The extents of the axes that replace the reduced ones, at the first of these: the values of
  /// states of a state, or the groups of labels.
  index_vector extra_axes = {};
  /// Whether the last input is a label, an int64: the row-major number of the group that the
  /// element is folded into. Elements with other labels are left out.
  bool is_labelled = false;
  /// The extents of a leaf along reduced axes, 1 along other axes. Empty: one leaf.
  ///
  /// Each leaf has a state. Leaves are numbered in row-major order of their grid, with each extent
  /// rounded up to a power of two. States are merged along the binary tree over the numbers. So the
  /// bits depend neither on blocks nor on the number of tasks.
  index_vector leaf = {};
  /// The extents of a step as the program states it. Its extents along kept axes choose the order
  /// of the elements in a fold, whatever the step of a task: 1 if the domain has one element along
  /// the axis, else more. Empty: the step of the task chooses.
  index_vector reference_step = {};

  /// Returns the number of results of a program that it folds.
  [[nodiscard]] std::size_t num_inputs() const {
    return step.kernel->inputs.size() + (is_labelled ? 1 : 0);
  }
  [[nodiscard]] bool operator==(const fold_sink&) const = default;
};

/// The use of a result of a program of strips, or of several in a row.
using strip_sink = std::variant<result_sink, fold_sink>;

class sweep_accumulators;
struct fold_member;
struct program_part;

/// Computes each element of the domain by pieces, which cover the domain without overlap. The
/// results of each piece's program go into the sinks in order.
///
/// If blocks cut the axes of a fold, its outputs are states: an output for each field, with one
/// element for each block. With `parts`, the results of the program are such fields, in the order
/// of the sinks, and the folds merge them; values of states are folded again, as elements.
///
/// Folds over unlike axes share the domain of one piece. Each folds a step as if it were alone, so
/// that the bits are the same.
class strips final : public primitive {
 public:
  /// `parts` is the grid of blocks of the states to merge.
  strips(piece_list pieces, std::vector<strip_sink> sinks,
         std::optional<chunk_grid> parts = std::nullopt);
  strips(const strips&);
  ~strips() override;

  [[nodiscard]] const piece_list& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<strip_sink>& sinks() const { return sinks_; }

  [[nodiscard]] std::string_view kind() const override { return "strips"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return reduced_; }
  [[nodiscard]] axis_set in_steps(const loop_schedule& schedule) const override;
  [[nodiscard]] bool can_sweep() const override { return true; }
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  [[nodiscard]] std::unique_ptr<block_computation> start(task_blocks& blocks,
                                                         const region& sweep) const override;
  [[nodiscard]] bool is_passive() const override { return true; }
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return !has_folds(); }
  [[nodiscard]] const piece_list* as_elementwise() const override;
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
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& positions,
                                               std::size_t count) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override;

 private:
  class sweep_computation;

  /// Folds that share the loop over a step: equal reduced axes, equal extra axes.
  struct fold_group {
    axis_set reduced;
    /// The sinks, by number.
    std::vector<std::size_t> sinks;
  };

  [[nodiscard]] bool has_folds() const { return !groups_.empty(); }
  /// Returns the types of the results of each program.
  [[nodiscard]] std::vector<dtype> program_types() const;
  [[nodiscard]] const fold_sink& fold(std::size_t sink) const {
    return std::get<fold_sink>(sinks_[sink]);
  }
  /// Returns the types of the state fields of folds, in their order.
  [[nodiscard]] std::vector<dtype> state_fields(const fold_group& group) const;
  /// Tells whether blocks of `schedule` have states instead of results of some folds.
  [[nodiscard]] bool makes_states(const loop_schedule& schedule) const {
    return !schedule.takes_all(reduced_);
  }
  /// Returns the number of outputs of a sink.
  [[nodiscard]] std::size_t num_outputs(const strip_sink& sink,
                                        const loop_schedule& schedule) const;
  /// Returns the number of results of a program that a sink uses.
  [[nodiscard]] std::size_t num_results(const strip_sink& sink) const;
  [[nodiscard]] two_stages stages_of(const fold_group& group) const;
  void check_folds(const operation_rules& rules) const;
  void check_merged(const operation_rules& rules) const;
  [[nodiscard]] description describe_assembly(const std::string& operation,
                                              const loop_schedule& schedule,
                                              const operand_words& words) const;

  void add_folds(task_demand& needs, const loop_schedule& schedule) const;
  [[nodiscard]] std::vector<sweep_accumulators> accumulators_of(task_blocks& blocks,
                                                                const region& sweep) const;
  [[nodiscard]] index_t num_taken(const region& step, axis_set reduced) const;
  [[nodiscard]] bool is_made_for(std::size_t group, std::size_t sink) const;
  [[nodiscard]] std::vector<fold_member> members_of(std::size_t group) const;
  [[nodiscard]] std::optional<program_part> part_for(std::size_t group) const;
  void take_step(task_blocks& blocks, const region& step,
                 std::span<const sweep_accumulators> folds) const;
  void take_pieces(task_blocks& blocks, const region& step, const sweep_accumulators* folds) const;
  [[nodiscard]] std::vector<strip_target> targets_in(task_blocks& blocks, const region& box) const;
  std::size_t finish(task_blocks& blocks, const sweep_accumulators& folds, std::size_t room) const;

  piece_list pieces_;
  std::vector<strip_sink> sinks_;
  std::optional<chunk_grid> merged_;
  std::vector<fold_group> groups_;
  /// The axes that folds reduce.
  axis_set reduced_;
};

/// Returns the map with one result of `type`.
[[nodiscard]] std::shared_ptr<const strips> map_of(std::vector<piece> pieces, dtype type);

/// Returns the fold of the results of `whole`, a piece that covers the domain.
[[nodiscard]] std::shared_ptr<const strips> fold_of(piece whole, fold_sink sink);

}  // namespace tessera
