// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Builds primitives out of others for the planner, which names no class of a primitive.

#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/halo_axis.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Returns the primitive that hands on its one operand, seen in the domain `shape`, as it is.
[[nodiscard]] primitive_handle copy_of(const index_vector& shape, const element_type& type);

/// Tells whether `op` is a `copy_of`.
[[nodiscard]] bool is_copy(const primitive& op);

/// An operand of the map after a fold: an output of the fold, or operand `number` of the operation.
struct map_input {
  bool is_output = false;
  std::size_t number = 0;

  [[nodiscard]] bool operator==(const map_input&) const = default;
};

/// Tells whether stages may follow `op` in a task of `schedule`.
[[nodiscard]] bool takes_stages(const primitive& op, const loop_schedule& schedule,
                                std::size_t num_operands);

/// Returns `fold`, of `num_operands`, in steps of `step`, and `map` of its outputs and of operands:
/// a task of `schedule` reads its block once. Operand `i` of `map` is `inputs[i]`. The operation
/// has the outputs of the fold if `emits_fold`, and then the outputs of the map.
[[nodiscard]] primitive_handle hold_block(primitive_handle fold, std::size_t num_operands,
                                          index_vector step, primitive_handle map,
                                          const std::vector<map_input>& inputs, bool emits_fold,
                                          const loop_schedule& schedule);

/// Returns `lines`, of `num_operands`, a function of whole blocks or of blocks and folds, and
/// `fold` of its operands and outputs in steps of `step`, in tasks of `schedule`. Operand `i` of
/// `fold` is `inputs[i]`. All outputs are outputs of the operation.
[[nodiscard]] primitive_handle join_fold(const primitive_handle& lines, std::size_t num_operands,
                                         primitive_handle fold, index_vector step,
                                         const std::vector<map_input>& inputs,
                                         const loop_schedule& schedule);

/// Returns `first`, of `num_operands`, and `map`, element by element, of its outputs, in tasks of
/// `schedule`. Operand `i` of `map` is output `outputs[i]`; nullopt: the next operand behind those
/// of `first`. Requires: the outputs have equal axes and leave at once.
[[nodiscard]] primitive_handle append_epilogue(
    const primitive_handle& first, std::size_t num_operands, primitive_handle map,
    const std::vector<std::optional<std::size_t>>& outputs, const loop_schedule& schedule);

/// An operation that computes an operand of another in the tasks of that other one.
struct merged_producer {
  primitive_handle op;
  loop_schedule schedule;
  /// The operand of the merged operation for each of its operands.
  std::vector<std::size_t> operands;
  /// The axis of the merged operation for each axis of its domain.
  std::vector<std::size_t> axes;
  /// The axes of its domain with a halo. Requires: none, unless it is a map or a fold.
  std::vector<halo_axis> halo = {};
  /// The name of its output in the formulas of the reader.
  std::string name = {};
};

/// The operands of an operation that takes the steps of the merged one.
struct merged_reader {
  primitive_handle op;
  /// The rank of its domain: its axes are the first ones of the merged operation.
  std::size_t rank = 0;
  /// The schedule of the merged operation.
  loop_schedule schedule;
  /// The operand of the merged operation for each of its operands; nullopt: the producer's output.
  std::vector<std::optional<std::size_t>> operands;
  /// The map from its domain to each operand.
  std::vector<index_map> maps;
};

/// Returns `reader` with the only output of `producer` computed in each step, or in each task if
/// stages of `reader` read blocks. Returns nullptr if stages read the output in several scopes, or
/// read other elements of it than the same step or task computes.
/// Requires: gathers are reshapes in memory.
[[nodiscard]] primitive_handle prepend_producer(const merged_reader& reader,
                                                const merged_producer& producer);

/// Tells whether `op` may compute elements around its blocks: it consists of maps and folds, which
/// compute each element of an output alone.
[[nodiscard]] bool may_have_halo(const primitive& op);

/// Returns how often producers in `op` that are not elementwise compute an element, without halos
/// that overlap: the greatest number, 1 if none of them computes one twice.
[[nodiscard]] double runs_of_producers(const primitive& op, const loop_schedule& schedule);

/// Returns the extents, along each axis of `rank`, that blocks and steps along kept axes must be
/// multiples of, unless they cover the axis: the tiles of products in `op`. Along streamed axes
/// they are the extents of a partial result. 0: no product depends on the axis.
[[nodiscard]] index_vector tile_of(const primitive& op, std::size_t rank);

/// Tells whether `map`, from the axes of `result`, is a map from the domain, too: it depends only
/// on axes of the domain that begin at the start of the domain.
[[nodiscard]] bool is_seen_from_domain(const index_map& map, const output& result);

/// Returns the map from the axes of `result` that leads to the same elements as `map`, from the
/// domain. Throws value_error if there is no such map.
[[nodiscard]] index_map from_output(const index_map& map, const output& result);

/// Returns the map from a domain of rank `rank` to the axes of `result`; its other axes are 0.
[[nodiscard]] index_map to_output(std::size_t rank, const output& result);

/// A coarser array: a map, or a fold of boxes of `step` elements, of an output of the same task.
struct pyramid_level {
  primitive_handle op;
  /// The number of the output, among the outputs of the base and of the levels before.
  std::size_t output = 0;
  /// The domain of `op`, and its steps along the axes that it reduces.
  index_vector domain;
  index_vector step;
  /// The map from the domain to the output, for each operand of `op`.
  std::vector<index_map> maps;
  /// The name of the output in formulas, which may name it often.
  std::string name;
};

/// The axis of a reader's domain along an axis of its operand, and the elements for each of its
/// own.
struct coarser_axis {
  std::size_t axis = 0;
  index_t step = 1;
};

/// Returns the axis of the domain of `level` along each axis of its operand. Returns nullopt if two
/// elements of `level` share an element of the operand, or if `level` is neither a map nor a fold.
[[nodiscard]] std::optional<std::vector<coarser_axis>> coarser_axes(const pyramid_level& level);

/// Returns `op`, of `num_operands`, with `level` as one more level, in tasks of `schedule`; nullptr
/// if it has as many stages as an operation may have.
[[nodiscard]] primitive_handle append_level(const primitive_handle& op, std::size_t num_operands,
                                            const pyramid_level& level,
                                            const loop_schedule& schedule);

/// Returns the number of levels of `op`, and `op` without its levels.
[[nodiscard]] std::size_t count_levels(const primitive& op);
[[nodiscard]] primitive_handle without_levels(const primitive_handle& op);

}  // namespace tessera
