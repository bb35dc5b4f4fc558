// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the loops in which a block is evaluated strip by strip.
///
/// Problem: strips are fast along long, contiguous axes, but the order in which a fold takes
/// elements determines its bits.
///
/// Idea: axes that all arrays traverse as one are joined (`loop_nest`). A map takes the innermost
/// long axis. Folds choose by the reference step of the program, never by the block of a task or
/// the layout in memory:
///
///     strips along reduced axes:  a strip folds into one state
///     strips along kept axes:     each element of a strip folds into its own state
///
/// Invariant: two blocks of one operation fold the elements of a state in the same order.
/// Reference: `primitive/api/strips.hpp` (`fold_sink::reference_step`).

#include "tessera/kernel/block_runner.hpp"

#include "tessera/core/strided_copy.hpp"

#include "core/api/small_vector.hpp"
#include "kernel/loop_nest.hpp"
#include "kernel/strip_loop.hpp"

#include <algorithm>
#include <array>

namespace tessera {

namespace {

/// Simplifies the loops of a map, and returns along which axis strips run.
strip_axes axes_of_map(loop_nest& loops) {
  loops.simplify();
  const std::size_t axis = choose_strip_axis(loops, [](std::size_t /*any*/) { return true; });
  return {axis, axis, loops.extents[axis]};
}

/// Returns the run of reduced axes along which strips of folds run, or nullopt if they run along
/// kept axes. The choice among kept axes changes no bit.
///
/// Invariant: the order in which elements are folded depends on extents alone, with the extents of
/// the reference step along kept axes. Neither the layout in memory nor the size of a block along
/// kept axes changes it.
std::optional<std::size_t> run_of_folds(loop_nest reference_step, bool have_labels) {
  reference_step.simplify();
  std::size_t last_kept = reference_step.extents.size();
  for (std::size_t axis = 0; axis < reference_step.extents.size(); ++axis) {
    if (!reference_step.reduced[axis]) last_kept = axis;
  }
  // Only labels may choose among states that are not neighbours.
  const strip_axes axes = choose_strip_axes(reference_step, [&](const strip_axes& run) {
    return have_labels || reference_step.reduced[run.last] || run.last == last_kept;
  });
  if (!reference_step.reduced[axes.last]) return std::nullopt;
  return reference_step.runs[axes.last];
}

/// Returns the loops over a block of `extents`, with the reference step along kept axes.
loop_nest reference_loops(std::span<const index_t> extents, const fold_loops& order) {
  loop_nest reference_step{index_vector(extents), order.reduced, {}};
  for (std::size_t axis = 0; axis < order.reference_step.size(); ++axis) {
    index_t& extent = reference_step.extents[axis];
    if (!order.reduced[axis])
      extent = std::max(order.reference_step[axis], std::min<index_t>(extent, 2));
  }
  return reference_step;
}

/// Simplifies the loops of folds, whose states lie along `states`, and returns along which axes
/// strips run.
strip_axes axes_of_folds(loop_nest& loops, std::span<const block_states> folds,
                         const index_vector& states, std::span<const block_operand> sources,
                         const fold_loops& order) {
  loop_nest reference_step = reference_loops(loops.extents, order);
  // If results are taken as one element, axes along which they change have loops by themselves.
  const bool are_ones = std::any_of(folds.begin(), folds.end(), [](const block_states& fold) {
    return fold.num_groups > 0 || fold.kernel->takes_last_as_one;
  });
  reference_step.find_runs([&](std::size_t outer, std::size_t inner) {
    return are_ones && std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
             return (source.strides[outer] == 0) != (source.strides[inner] == 0);
           });
  });
  loops.runs = reference_step.runs;
  loops.simplify();
  const bool have_labels =
      std::all_of(folds.begin(), folds.end(), [](const auto& fold) { return fold.num_groups > 0; });
  if (const std::optional<std::size_t> number = run_of_folds(reference_step, have_labels)) {
    for (const strip_axes& run : loops.axes_of_runs()) {
      if (loops.runs[run.last] == *number) return run;
    }
  }
  strip_axes axes = choose_strip_axes(loops, [&](const strip_axes& run) {
    return !loops.reduced[run.last] && (have_labels || states[run.last] == 1);
  });
  const auto lie_as_one = [&](const strip_axes& run) {
    return std::all_of(sources.begin(), sources.end(), [&](const auto& source) {
      return are_one_axis(run, loops.extents, source.strides);
    });
  };
  const bool is_long = loops.extents[axes.last] >= short_strip;
  if (!are_one_axis(axes, loops.extents, states) || (is_long && !lie_as_one(axes))) {
    axes = {axes.last, axes.last, loops.extents[axes.last]};
  }
  while (axes.first > 0 && !loops.reduced[axes.first - 1]) {
    const index_t extent = loops.extents[axes.first - 1];
    const strip_axes longer{axes.first - 1, axes.last, axes.extent * extent};
    if (!are_one_axis(longer, loops.extents, states) || !lie_as_one(longer)) break;
    axes = longer;
  }
  return axes;
}

/// Computes the first element, and sets the rest of the block to it.
void run_once(const strip_program& program, std::span<const block_operand> operands,
              std::span<const strip_target> targets, std::span<const index_t> extents,
              std::span<std::byte> scratch) {
  constexpr std::size_t longest_element = 16;
  const index_vector unit_extents(extents.size(), 1);
  run_strips(program, operands, targets, {}, unit_extents, {}, scratch);
  for (const strip_target& target : targets) {
    const std::size_t size = size_of(program.registers[program.results[target.result]]);
    std::array<std::byte, longest_element> value{};
    std::copy_n(target.to.data, size, value.begin());
    index_vector strides = target.to.strides;
    for (index_t& stride : strides) stride /= static_cast<index_t>(size);
    detail::strided_fill(target.to.data, strides, extents, value.data(), size);
  }
}

}  // namespace

void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                std::span<const index_t> extents, const fold_loops& order,
                std::span<std::byte> scratch) {
  const bool is_uniform = folds.empty() && !operands.empty() &&
                          std::ranges::all_of(operands, &block_operand::is_uniform);
  if (is_uniform && num_elements(extents) > 1) {
    return run_once(program, operands, targets, extents, scratch);
  }
  small_vector<block_operand> sources(operands.begin(), operands.end());
  small_vector<strip_target> strip_targets(targets.begin(), targets.end());
  index_vector states(order.state_strides);
  loop_nest loops{index_vector(extents), order.reduced, {}};
  if (!folds.empty()) loops.strides.push_back(&states);
  for (block_operand& source : sources) loops.strides.push_back(&source.strides);
  for (strip_target& target : strip_targets) loops.strides.push_back(&target.to.strides);
  const strip_axes axes = folds.empty()
                              ? axes_of_map(loops)
                              : axes_of_folds(loops, folds, states, as_span(sources), order);
  run_strips(program, as_span(sources), as_span(strip_targets), folds, loops, states, axes,
             order.merged, scratch);
}

bool have_close_strips(std::span<const index_t> extents, const fold_loops& order) {
  loop_nest reference_step = reference_loops(extents, order);
  reference_step.find_runs([](std::size_t, std::size_t) { return false; });
  // The innermost run is the first.
  return run_of_folds(reference_step, false).value_or(0) == 0;
}

void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch) {
  small_vector<strip_target> targets;
  for (std::size_t i = 0; i < results.size(); ++i) targets.push_back({i, results[i]});
  run_strips(program, operands, as_span(targets), {}, extents, {}, scratch);
}

}  // namespace tessera
