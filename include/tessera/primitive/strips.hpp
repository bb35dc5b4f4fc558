// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Strips: one program over a walk, strip by strip, whose results go into arrays and folds.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/scan_runner.hpp"
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

/// Keeps each element.
struct result_sink {
  dtype type{};

  [[nodiscard]] bool operator==(const result_sink&) const = default;
};

/// Folds the elements over some axes of the domain.
struct fold_sink {
  fold_step step;
  axis_set reduced;
  /// The extents of the axes that the result has in the place of the first that is reduced: of the
  /// cells of a state, or of the groups that labels choose from.
  index_vector own = {};
  /// Whether a label for each element, an int64, stands behind the fold's inputs: the number, in
  /// row-major order, of the group that the element goes into. Others go nowhere.
  bool is_labelled = false;
  /// The extents of a leaf along the axes that are reduced, 1 along others; empty: there is one.
  ///
  /// A leaf is taken element by element into a state of its own. States of leaves, which are
  /// numbered in row-major order of their grid with each extent rounded up to a power of two, are
  /// merged along the binary tree over these numbers. So the bits depend on neither blocks nor how
  /// many tasks there are.
  index_vector leaf = {};
  /// The extents of a step where the program was written: by those along the axes that it keeps it
  /// is chosen in which order the elements of a step are taken, whatever is taken at once. They are
  /// 1 where the domain has one element, and more elsewhere. Empty: it is chosen by what is taken.
  index_vector nominal = {};

  /// Returns how many results of a program it takes.
  [[nodiscard]] std::size_t num_inputs() const {
    return step.kernel->inputs.size() + (is_labelled ? 1 : 0);
  }
  [[nodiscard]] bool operator==(const fold_sink&) const = default;
};

/// Gives of each element what the state of its line is then: lines go along one axis, which is
/// walked in order.
///
/// States restart at each multiple of `leaf`, and meet what was before. So the bits depend on that
/// alone, and a scan may be done in three stages as well: the states of leaves, what is before each
/// of them, and the elements of leaves.
struct scan_sink {
  enum class stage {
    whole,   ///< elements of whole lines
    totals,  ///< of each leaf the state behind it, in `per_block` outputs
    seeds,   ///< of each state, in a domain of leaves, what is before it
    seeded,  ///< elements of leaves; what is before them is taken behind each element
  };
  const scan_kernel* kernel = nullptr;
  kernel_parameters parameters = {};
  std::size_t axis = 0;
  index_t leaf = 1;
  /// Whether lines begin at the axis's end.
  bool is_reversed = false;
  /// How many elements are taken before the first that is given: those of a window but one.
  index_t skipped = 0;
  stage made = stage::whole;

  /// Returns the types of the planes that are handed from stage to stage.
  [[nodiscard]] std::vector<dtype> handed() const;
  /// Returns the types of the results of a program that it takes.
  [[nodiscard]] std::vector<dtype> takes() const;
  /// Returns the types of its outputs.
  [[nodiscard]] std::vector<dtype> gives() const;
  /// Tells whether both go along the same lines in the same steps.
  [[nodiscard]] bool goes_like(const scan_sink& other) const {
    return axis == other.axis && leaf == other.leaf && is_reversed == other.is_reversed &&
           skipped == other.skipped && made == other.made;
  }
  [[nodiscard]] bool operator==(const scan_sink&) const = default;
};

/// What becomes of a result of a program of strips, or of several in a row.
using strip_sink = std::variant<result_sink, fold_sink, scan_sink>;

class leg_folds;
struct fold_member;
struct program_part;

/// The operands of one piece over the part of a box that was read last.
struct scan_input {
  const piece* whole = nullptr;
  region box;
  std::vector<block_operand> operands;
};

/// Computes each element of the domain by pieces, which cover it and do not overlap; the results of
/// each piece's program go into the sinks, as many into each as it takes.
///
/// A fold whose axes are cut by the blocks of the walk makes states, an output for each plane, with
/// one element for each block; `parts` tells that the program hands on such planes, in the sinks'
/// order, and that the folds merge them. Cells are taken again instead, as elements are.
///
/// Folds over unlike axes share a walk, that of one piece: each takes a step by itself, as it would
/// alone, so that the bits are the same.
class strips final : public primitive {
 public:
  /// `parts` is the grid of blocks that the states which are merged were made from.
  strips(piece_list pieces, std::vector<strip_sink> sinks,
         std::optional<chunk_grid> parts = std::nullopt);

  [[nodiscard]] const piece_list& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<strip_sink>& sinks() const { return sinks_; }

  [[nodiscard]] std::string_view kind() const override { return "strips"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return reduced_; }
  [[nodiscard]] axis_set in_steps(const walk& how) const override;
  [[nodiscard]] bool walks_in_order() const override { return true; }
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return !has_folds() && !has_scans(); }
  [[nodiscard]] const piece_list* as_elementwise() const override;
  [[nodiscard]] std::size_t most_pieces(const walk& how) const override {
    return pieces_.most_met(how.block);
  }
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] double weight() const override;
  [[nodiscard]] double element_steps(const walk& how) const override;
  [[nodiscard]] primitive_handle within(const walk& how, const region& box) const override;
  [[nodiscard]] bool takes_epilogue() const override { return sinks_.size() == 1; }
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const override;
  [[nodiscard]] primitive_handle beside(const primitive& other,
                                        std::size_t num_operands) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& places,
                                               std::size_t count) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override;
  [[nodiscard]] std::optional<scan_stages> in_leaves() const override;

 private:
  /// Folds that take a step together: over the same axes, with the same ones of their own.
  struct fold_group {
    axis_set reduced;
    /// The sinks, by number.
    std::vector<std::size_t> sinks;
  };

  [[nodiscard]] bool has_folds() const { return !groups_.empty(); }
  /// Scans have a walk for themselves.
  [[nodiscard]] bool has_scans() const {
    return !sinks_.empty() && std::holds_alternative<scan_sink>(sinks_.front());
  }
  /// Returns the types of what each program gives.
  [[nodiscard]] std::vector<dtype> program_types() const;
  [[nodiscard]] const fold_sink& fold(std::size_t sink) const {
    return std::get<fold_sink>(sinks_[sink]);
  }
  /// Returns the planes of the states of folds, in their order.
  [[nodiscard]] std::vector<dtype> planes(const fold_group& group) const;
  /// Tells whether tasks on the blocks of `how` make no results but states, of some folds.
  [[nodiscard]] bool makes_states(const walk& how) const { return !how.takes_all(reduced_); }
  /// Returns how many outputs a sink has.
  [[nodiscard]] std::size_t num_outputs(const strip_sink& sink, const walk& how) const;
  /// Returns how many results of a program a sink takes.
  [[nodiscard]] std::size_t num_results(const strip_sink& sink) const;
  [[nodiscard]] two_stages stages_of(const fold_group& group) const;
  void check_pieces(const operation_rules& rules) const;
  void check_folds(const operation_rules& rules) const;
  void check_merged(const operation_rules& rules) const;
  void check_scans(const operation_rules& rules) const;
  /// Returns the sinks, which are scans, in another stage.
  [[nodiscard]] std::vector<strip_sink> in_stage(scan_sink::stage stage) const;
  [[nodiscard]] std::vector<output> outputs_of_scans(const walk& how) const;
  /// Adds to `needs` what scans need, whose outputs leave from `step` on.
  void add_scans(task_demand& needs, const walk& how, std::size_t step) const;
  [[nodiscard]] description describe_assembly(const std::string& operation, const walk& how,
                                              const operand_words& words) const;

  void add_folds(task_demand& needs, const walk& how) const;
  void run_leg(task_blocks& blocks, const region& leg) const;
  [[nodiscard]] index_t num_taken(const region& step, axis_set reduced) const;
  [[nodiscard]] bool is_made_for(std::size_t group, std::size_t sink) const;
  [[nodiscard]] std::vector<fold_member> members_of(std::size_t group) const;
  [[nodiscard]] std::optional<program_part> part_for(std::size_t group) const;
  void take_step(task_blocks& blocks, const region& step, std::span<const leg_folds> folds) const;
  void take_pieces(task_blocks& blocks, const region& step, const leg_folds* folds) const;
  [[nodiscard]] std::vector<strip_target> targets_in(task_blocks& blocks, const region& box) const;
  std::size_t finish(task_blocks& blocks, const leg_folds& folds, std::size_t room) const;

  [[nodiscard]] std::vector<block_scan> start_scans(task_blocks& blocks,
                                                    const index_vector& extents) const;
  void run_scan(task_blocks& blocks, const region& box) const;
  [[nodiscard]] std::vector<scan_input> inputs_over(task_blocks& blocks, const region& box) const;
  void restart_at(const region& box, const region& part, std::span<const block_scan> scans) const;
  void take_box(task_blocks& blocks, const region& box, const region& part, const scan_input& input,
                std::span<const block_scan> scans) const;
  void hand_on_totals(task_blocks& blocks, const region& box,
                      std::span<const block_scan> scans) const;
  void hand_on_seeds(task_blocks& blocks, const region& box,
                     std::span<const block_scan> scans) const;

  piece_list pieces_;
  std::vector<strip_sink> sinks_;
  std::optional<chunk_grid> merged_;
  std::vector<fold_group> groups_;
  /// The axes that folds reduce.
  axis_set reduced_;
};

/// Returns what makes one result of `type`.
[[nodiscard]] std::shared_ptr<const strips> map_of(std::vector<piece> pieces, dtype type);

/// Returns what folds the results of `whole`, a piece that is the whole domain.
[[nodiscard]] std::shared_ptr<const strips> fold_of(piece whole, fold_sink sink);

/// Returns what scans the one result of `whole`, a piece that is the whole domain.
[[nodiscard]] std::shared_ptr<const strips> scan_of(piece whole, scan_sink sink);

}  // namespace tessera
