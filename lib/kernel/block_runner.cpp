// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_runner.hpp"

#include "tessera/core/strided_copy.hpp"

#include "kernel/few.hpp"
#include "kernel/loop_nest.hpp"
#include "kernel/strip_evaluator.hpp"
#include "kernel/walked_fold.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tessera {

namespace {

/// Returns how long a strip of states may be, into which elements are folded again and again: as
/// long as they stay in the second-level cache. That what is read comes in long runs saves more
/// than states in the first-level cache would.
index_t longest_state_strip(std::span<const block_states> folds) {
  if (folds.empty()) return max_strip;
  constexpr std::size_t second_level = 256 * 1024;
  constexpr std::size_t shortest = 256;
  constexpr std::size_t longest = 1024;
  std::size_t bytes = 0;
  for (const block_states& fold : folds) {
    std::size_t of_state = 0;
    for (const dtype type : fold.kernel->planes) of_state += size_of(type);
    bytes +=
        of_state * static_cast<std::size_t>(fold.cells * std::max<index_t>(1, fold.num_groups));
  }
  return static_cast<index_t>(std::bit_floor(
      std::clamp(second_level / std::max<std::size_t>(bytes, 1), shortest, longest)));
}

/// Returns which of a program's results may come as one element where they are the same along a
/// strip: what some folds take last, and labels.
few<bool> results_as_one(const strip_program& program, std::span<const block_states> folds,
                         bool are_merged) {
  few<bool> as_one(program.results.size(), false);
  if (are_merged) return as_one;
  for (const block_states& fold : folds) {
    const std::size_t behind = fold.result + fold.kernel->inputs.size();
    if (fold.kernel->takes_last_as_one) as_one[behind - 1] = true;
    if (fold.num_groups > 0) as_one[behind] = true;
  }
  return as_one;
}

/// A walk over one block, after its loops were simplified.
class block_walk {
 private:
  [[nodiscard]] auto is_kept() const {
    return [this](std::size_t axis) { return !axes_.holds(axis) && !loops_.reduced[axis]; };
  }
  [[nodiscard]] auto is_reduced() const {
    return [this](std::size_t axis) { return !axes_.holds(axis) && loops_.reduced[axis]; };
  }

 public:
  block_walk(const strip_program& program, std::span<const block_operand> operands,
             std::span<const strip_target> targets, std::span<const block_states> folds,
             const loop_nest& loops, const index_vector& state_strides, const strip_axes& axes,
             bool are_merged, std::span<std::byte> scratch)
      : program_(program),
        targets_(targets),
        loops_(loops),
        state_strides_(state_strides),
        axes_(axes),
        strips_(program, operands, results_as_one(program, folds, are_merged), axes, loops.extents,
                std::min(max_strip, axes.extent), scratch),
        position_(loops_.extents.size()),
        state_strip_(longest_state_strip(folds)) {
    for (const block_states& fold : folds) folds_.emplace_back(fold, strips_);
  }

  /// Strips run along reduced axes: each folds into one state.
  void take_all() {
    const index_t num_states = product_of(is_kept());
    find_states();
    for (walked_fold& fold : folds_) fold.begin(num_states);
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      find_states();
      index_t count = 0;
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        for_each_strip(position_, axes_, loops_.extents, max_strip, [&](index_t size) {
          evaluate(size);
          for (walked_fold& fold : folds_) fold.take(size, count, true);
          count += size;
        });
      });
    });
    position_ = index_vector(position_.size());
    find_states();
    const index_t count = axes_.extent * product_of(is_reduced());
    for (walked_fold& fold : folds_) fold.end(num_states, count);
  }

  /// Strips run along kept axes: each element folds into its own state.
  void take_each() {
    for_each_state_strip([&](index_t size) {
      index_t count = 0;
      for (walked_fold& fold : folds_) fold.begin(size);
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        evaluate(size);
        for (walked_fold& fold : folds_) {
          fold.take(size, count, false, state_strides_[axes_.last]);
        }
        ++count;
      });
      for (walked_fold& fold : folds_) fold.end(size, count);
    });
  }

  /// As `take_each`, where the program's results are planes of states.
  void merge(index_t merged) {
    for_each_state_strip([&](index_t size) {
      evaluate(size);
      for (walked_fold& fold : folds_) {
        fold.begin(size);
        fold.merge(size, merged);
        fold.end(size, merged);
      }
    });
  }

 private:
  template <class F>
  void for_each_state_strip(F f) {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      for_each_strip(position_, axes_, loops_.extents, state_strip_, [&](index_t size) {
        find_states();
        f(size);
      });
    });
  }

  template <class IsWalked>
  [[nodiscard]] index_t product_of(IsWalked is_walked) const {
    index_t count = 1;
    for (std::size_t axis = 0; axis < loops_.extents.size(); ++axis) {
      if (is_walked(axis)) count *= loops_.extents[axis];
    }
    return count;
  }

  /// Points the folds at the states of the current position.
  void find_states() {
    if (folds_.empty()) return;
    const index_t offset = offset_of(position_, state_strides_);
    for (walked_fold& fold : folds_) fold.find_states(offset);
  }

  /// Evaluates the strip at the current position, and puts it where it is to go.
  void evaluate(index_t size) {
    for (const strip_target& target : targets_) {
      const bool is_dense =
          (target.to.strides[axes_.last] == itemsize_of(target) && is_one_row(target, size)) ||
          size == 1;
      strips_.set_target(target.result, is_dense ? place_of(target) : nullptr);
    }
    strips_.evaluate(position_, size);
    for (const strip_target& target : targets_) {
      std::byte* const place = place_of(target);
      const std::byte* const made = strips_.result(target.result);
      if (made == place) continue;
      const index_t itemsize = itemsize_of(target);
      const index_t stride = size == 1 ? itemsize : target.to.strides[axes_.last];
      const auto put = [&](index_t from, index_t offset, index_t count) {
        copy_strided(target.to.data + offset, stride, made + from * itemsize, itemsize, count,
                     static_cast<std::size_t>(itemsize));
      };
      if (is_one_row(target, size)) {
        put(0, place - target.to.data, size);
      } else {
        for_each_row(position_, axes_, loops_.extents, target.to.strides, size, put);
      }
    }
  }

  /// Tells whether the places of the strip at the current position lie in equal steps.
  [[nodiscard]] bool is_one_row(const strip_target& target, index_t size) const {
    return axes_.first == axes_.last ||
           size <= loops_.extents[axes_.last] - position_[axes_.last] ||
           are_one_axis(axes_, loops_.extents, target.to.strides);
  }

  [[nodiscard]] index_t itemsize_of(const strip_target& target) const {
    return static_cast<index_t>(size_of(program_.registers[program_.results[target.result]]));
  }
  [[nodiscard]] std::byte* place_of(const strip_target& target) const {
    return target.to.data + offset_of(position_, target.to.strides);
  }

  const strip_program& program_;
  std::span<const strip_target> targets_;
  const loop_nest& loops_;
  const index_vector& state_strides_;
  strip_axes axes_;
  strip_evaluator strips_;
  index_vector position_;
  index_t state_strip_;
  few<walked_fold> folds_;
};

/// Simplifies the loops of a map, and returns along which axis strips run.
strip_axes axes_of_map(loop_nest& loops) {
  loops.simplify();
  const std::size_t axis = choose_strip_axis(loops, [](std::size_t /*any*/) { return true; });
  return {axis, axis, loops.extents[axis]};
}

/// Returns the run of reduced axes that strips of folds run along; nothing: they run along kept
/// ones. Which of these do changes no bit.
///
/// What order elements are folded in is chosen by extents alone, those along kept axes being
/// nominal: what lies in memory in one way, or is taken with more or less beside it, is folded as
/// what lies there in another.
std::optional<std::size_t> run_of_folds(loop_nest nominal, bool have_labels) {
  nominal.simplify();
  std::size_t last_kept = nominal.extents.size();
  for (std::size_t axis = 0; axis < nominal.extents.size(); ++axis) {
    if (!nominal.reduced[axis]) last_kept = axis;
  }
  // Only labels choose from states that are no neighbours.
  const strip_axes axes = choose_strip_axes(nominal, [&](const strip_axes& run) {
    return have_labels || nominal.reduced[run.last] || run.last == last_kept;
  });
  if (!nominal.reduced[axes.last]) return std::nullopt;
  return nominal.runs[axes.last];
}

/// Returns the loops over a block of `extents` with nominal ones along the axes that are kept.
loop_nest nominal_loops(std::span<const index_t> extents, const fold_walk& how) {
  loop_nest nominal{index_vector(extents), how.reduced, {}};
  for (std::size_t axis = 0; axis < how.nominal.size(); ++axis) {
    index_t& extent = nominal.extents[axis];
    if (!how.reduced[axis]) extent = std::max(how.nominal[axis], std::min<index_t>(extent, 2));
  }
  return nominal;
}

/// Simplifies the loops of folds, whose states lie along `states`, and returns along which axes
/// strips run.
strip_axes axes_of_folds(loop_nest& loops, std::span<const block_states> folds,
                         const index_vector& states, std::span<const block_operand> sources,
                         const fold_walk& how) {
  loop_nest nominal = nominal_loops(loops.extents, how);
  // Where results are taken as one element, axes along which they change are walked by themselves.
  const bool are_ones = std::any_of(folds.begin(), folds.end(), [](const block_states& fold) {
    return fold.num_groups > 0 || fold.kernel->takes_last_as_one;
  });
  nominal.find_runs([&](std::size_t outer, std::size_t inner) {
    return are_ones && std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
             return (source.strides[outer] == 0) != (source.strides[inner] == 0);
           });
  });
  loops.runs = nominal.runs;
  loops.simplify();
  const bool have_labels =
      std::all_of(folds.begin(), folds.end(), [](const auto& fold) { return fold.num_groups > 0; });
  if (const std::optional<std::size_t> number = run_of_folds(nominal, have_labels)) {
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

/// Computes the first element, and sets all others to that.
void run_once(const strip_program& program, std::span<const block_operand> operands,
              std::span<const strip_target> targets, std::span<const index_t> extents,
              std::span<std::byte> scratch) {
  constexpr std::size_t longest_element = 16;
  const index_vector one(extents.size(), 1);
  run_strips(program, operands, targets, {}, one, {}, scratch);
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
                std::span<const index_t> extents, const fold_walk& how,
                std::span<std::byte> scratch) {
  const bool is_uniform = folds.empty() && !operands.empty() &&
                          std::ranges::all_of(operands, &block_operand::is_uniform);
  if (is_uniform && num_elements(extents) > 1) {
    return run_once(program, operands, targets, extents, scratch);
  }
  few<block_operand> sources(operands.begin(), operands.end());
  few<strip_target> made(targets.begin(), targets.end());
  index_vector states(how.state_strides);
  loop_nest loops{index_vector(extents), how.reduced, {}};
  if (!folds.empty()) loops.strides.push_back(&states);
  for (block_operand& source : sources) loops.strides.push_back(&source.strides);
  for (strip_target& target : made) loops.strides.push_back(&target.to.strides);
  const strip_axes axes = folds.empty()
                              ? axes_of_map(loops)
                              : axes_of_folds(loops, folds, states, span_of(sources), how);
  block_walk walk(program, span_of(sources), span_of(made), folds, loops, states, axes,
                  how.merged > 0, scratch);
  if (how.merged > 0) {
    walk.merge(how.merged);
  } else if (loops.reduced[axes.last]) {
    walk.take_all();
  } else {
    walk.take_each();
  }
}

bool have_close_strips(std::span<const index_t> extents, const fold_walk& how) {
  loop_nest nominal = nominal_loops(extents, how);
  nominal.find_runs([](std::size_t, std::size_t) { return false; });
  // The innermost run is the first.
  return run_of_folds(nominal, false).value_or(0) == 0;
}

void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch) {
  few<strip_target> targets;
  for (std::size_t i = 0; i < results.size(); ++i) targets.push_back({i, results[i]});
  run_strips(program, operands, span_of(targets), {}, extents, {}, scratch);
}

}  // namespace tessera
