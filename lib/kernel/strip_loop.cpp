// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loops over one block: evaluates strips and passes them to targets and folds.
///
/// Folds along the strip axis (`take_all`) fold a strip into one state. Folds along another axis
/// (`take_each`) fold each element of a strip into its own state, and pass layer after layer over a
/// run of states before they go on:
///     reduced ^  layer 1:  strip strip | strip strip |     states of a run stay in a cache
///             |  layer 0:  strip strip | strip strip |
///             +-----------  run 0  ----+-- run 1 ----> kept
/// Invariant: the elements of a state come in the order of the reduced axes in both cases.
#include "kernel/strip_loop.hpp"

#include "tessera/core/strided_copy.hpp"

#include "core/api/cache_sizes.hpp"
#include "core/api/itemsize.hpp"
#include "core/api/small_vector.hpp"
#include "kernel/strip_evaluator.hpp"
#include "kernel/strip_fold.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the bytes of a state of `fold`.
std::size_t state_bytes(const block_states& fold) {
  std::size_t bytes = 0;
  for (const dtype type : fold.kernel->state_fields) bytes += size_of(type);
  return bytes * static_cast<std::size_t>(fold.state_length);
}

/// Returns the length of strips with a state for each element: operands, intermediate strips and
/// states stay in the first-level cache.
index_t longest_state_strip(const strip_program& program, std::span<const block_states> folds) {
  constexpr std::size_t room = first_level_cache / 2;
  constexpr std::size_t shortest = 512;
  constexpr std::size_t longest = 1024;
  std::size_t bytes = 1;
  for (const dtype type : program.registers) bytes += size_of(type);
  for (const block_states& fold : folds) bytes += state_bytes(fold);
  return static_cast<index_t>(std::bit_floor(std::clamp(room / bytes, shortest, longest)));
}

/// Returns the bytes that a block with these loops reads of `operands`.
std::size_t bytes_read(const strip_program& program, std::span<const block_operand> operands,
                       const index_vector& extents) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].generator != nullptr) continue;
    std::size_t operand_bytes = size_of(program.registers[i]);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (operands[i].strides[axis] != 0) operand_bytes *= static_cast<std::size_t>(extents[axis]);
    }
    bytes += operand_bytes;
  }
  return bytes;
}

/// Returns the length of a run of states, in strips of `strip`, for a block of `block_bytes`.
///
/// A small block was just decoded and lies in the third-level cache: a run is one strip, and its
/// states stay in the first level. A larger block comes from memory, which long rows read faster: a
/// run is as many states as the second level holds.
index_t longest_state_run(std::span<const block_states> folds, std::size_t block_bytes,
                          index_t strip) {
  if (block_bytes <= third_level_cache) return strip;
  std::size_t bytes = 1;
  for (const block_states& fold : folds) {
    bytes += state_bytes(fold) * static_cast<std::size_t>(std::max<index_t>(1, fold.num_groups));
  }
  return std::max<index_t>(1, static_cast<index_t>(second_level_cache / bytes) / strip) * strip;
}

/// Returns for each result of a program whether it may be one element if it is the same all along a
/// strip: the last input of some folds, and labels.
small_vector<bool> results_as_one(const strip_program& program, std::span<const block_states> folds,
                                  bool are_merged) {
  small_vector<bool> as_one(program.results.size(), false);
  if (are_merged) return as_one;
  for (const block_states& fold : folds) {
    const std::size_t after_inputs = fold.result + fold.kernel->inputs.size();
    if (fold.kernel->takes_last_as_one) as_one[after_inputs - 1] = true;
    if (fold.num_groups > 0) as_one[after_inputs] = true;
  }
  return as_one;
}

/// The loops over one block, simplified.
class strip_loop {
 private:
  [[nodiscard]] auto is_kept() const {
    return [this](std::size_t axis) { return !axes_.holds(axis) && !loops_.reduced[axis]; };
  }
  [[nodiscard]] auto is_reduced() const {
    return [this](std::size_t axis) { return !axes_.holds(axis) && loops_.reduced[axis]; };
  }

 public:
  strip_loop(const strip_program& program, std::span<const block_operand> operands,
             std::span<const strip_target> targets, std::span<const block_states> folds,
             const loop_nest& loops, const index_vector& state_strides, const strip_axes& axes,
             bool are_merged, std::span<std::byte> scratch)
      : program_(program),
        targets_(targets),
        loops_(loops),
        state_strides_(state_strides),
        axes_(axes),
        longest_strip_(folds.empty() || loops.reduced[axes.last]
                           ? max_strip
                           : longest_state_strip(program, folds)),
        strips_(program, operands, results_as_one(program, folds, are_merged), axes, loops.extents,
                std::min(longest_strip_, axes.extent), scratch),
        position_(loops_.extents.size()),
        state_run_(longest_state_run(folds, bytes_read(program, operands, loops.extents),
                                     longest_strip_)) {
    for (const block_states& fold : folds) folds_.emplace_back(fold, strips_);
  }

  /// Strips run along reduced axes: each folds into one state.
  void take_all() {
    const index_t num_states = product_of(is_kept());
    find_states();
    for (strip_fold& fold : folds_) fold.begin(num_states);
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      find_states();
      index_t count = 0;
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        for_each_strip(position_, axes_, loops_.extents, {0, axes_.extent}, longest_strip_,
                       [&](index_t size) {
                         evaluate(size);
                         for (strip_fold& fold : folds_) fold.take(size, count, true);
                         count += size;
                       });
      });
    });
    position_ = index_vector(position_.size());
    find_states();
    const index_t count = axes_.extent * product_of(is_reduced());
    for (strip_fold& fold : folds_) fold.end(num_states, count);
  }

  /// Strips run along kept axes: each element folds into its own state.
  void take_each() {
    fuse();
    find_layers();
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      for (index_t start = 0; start < axes_.extent; start += state_run_) {
        const index_t end = std::min(start + state_run_, axes_.extent);
        is_run_new_ = true;
        const auto for_each_fold = [&](auto f) {
          if (folds_.empty()) return;
          for_each_state_strip(start, end, [&](index_t size) {
            for (strip_fold& fold : folds_) f(fold, size);
          });
        };
        for_each_fold([&](strip_fold& fold, index_t size) { fold.begin(size); });
        const index_t count = take_layers(start, end);
        for_each_fold([&](strip_fold& fold, index_t size) { fold.end(size, count); });
      }
    });
  }

  /// As `take_each`, if the program's results are state fields of states.
  void merge(index_t merged) {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      for_each_state_strip(0, axes_.extent, [&](index_t size) {
        evaluate(size);
        for (strip_fold& fold : folds_) {
          fold.begin(size);
          fold.merge(size, merged);
          fold.end(size, merged);
        }
      });
    });
  }

 private:
  /// Makes the evaluators of several layers at once, if folds can take layers of operands in place.
  void find_layers() {
    const auto can_take = [](const strip_fold& fold) { return fold.can_take_layers(); };
    if (product_of(is_reduced()) < static_cast<index_t>(layers_at_once)) return;
    if (folds_.empty() || !std::all_of(folds_.begin(), folds_.end(), can_take)) return;
    if (!targets_.empty() || !strips_.are_in_place()) return;
    const auto is_apart = [&](const strip_fold& fold) {
      return (fold.taken_after(0) - folds_.front().taken_after(0)) %
                 static_cast<index_t>(layers_at_once) !=
             0;
    };
    if (std::any_of(folds_.begin(), folds_.end(), is_apart)) return;
    layers_ = std::vector<strip_evaluator>(layers_at_once, strips_);
    positions_.resize(layers_at_once);
  }

  /// Folds the layers along reduced axes, one after the other, into the states from `start` to
  /// `end` along the strip axes. Returns the number of layers.
  index_t take_layers(index_t start, index_t end) {
    index_t count = 0;
    std::size_t num_waiting = 0;
    for_each_position(position_, loops_.extents, is_reduced(), [&] {
      if (layers_.empty() || (num_waiting == 0 && !begins_group(count))) {
        take_layer(start, end, count++);
      } else {
        positions_[num_waiting++] = position_;
        if (num_waiting < layers_at_once) return;
        take_at_once(start, end, count);
        count += static_cast<index_t>(std::exchange(num_waiting, 0));
      }
    });
    for (std::size_t i = 0; i < num_waiting; ++i) {
      position_ = positions_[i];
      take_layer(start, end, count++);
    }
    return count;
  }

  /// Tells whether folds may take `layers_at_once` layers behind `count` layers of this block.
  [[nodiscard]] bool begins_group(index_t count) const {
    return folds_.front().taken_after(count) % static_cast<index_t>(layers_at_once) == 0;
  }

  void take_layer(index_t start, index_t end, index_t count) {
    for_each_state_strip(start, end, [&](index_t size) {
      evaluate(size);
      for (strip_fold& fold : folds_) fold.take(size, count, false, state_strides_[axes_.last]);
    });
  }

  /// Takes the layers at `positions_`.
  void take_at_once(index_t start, index_t end, index_t count) {
    for_each_state_strip(start, end, [&](index_t size) {
      for (std::size_t i = 0; i < layers_at_once; ++i) {
        for (std::size_t axis = axes_.first; axis <= axes_.last; ++axis) {
          positions_[i][axis] = position_[axis];
        }
        layers_[i].evaluate(positions_[i], size);
      }
      for (strip_fold& fold : folds_) fold.take_layers(size, count, layers_);
    });
  }

  /// Fuses into folds, and leaves out, the steps that only these folds read.
  void fuse() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const strip_step& step = program_.steps[i];
      const auto can_take = [&](const strip_fold& fold) { return fold.can_take(step); };
      if (std::none_of(folds_.begin(), folds_.end(), can_take)) continue;
      if (!is_for_folds_alone(step.outputs.front(), can_take)) continue;
      for (strip_fold& fold : folds_) {
        if (fold.reads(program_, step.outputs.front())) fold.fuse(step);
      }
      strips_.leave_out(i);
    }
  }

  /// Tells whether all readers of `reg` are folds of which `can_take` is true.
  template <class Predicate>
  [[nodiscard]] bool is_for_folds_alone(std::size_t reg, Predicate can_take) const {
    const auto reads = [&](const strip_step& step) {
      return std::ranges::find(step.inputs, reg) != step.inputs.end();
    };
    const auto holds = [&](const strip_target& target) {
      return program_.results[target.result] == reg;
    };
    return std::ranges::none_of(program_.steps, reads) && std::ranges::none_of(targets_, holds) &&
           std::all_of(folds_.begin(), folds_.end(), [&](const strip_fold& fold) {
             return !fold.reads(program_, reg) || can_take(fold);
           });
  }

  /// Calls `f(size)` for each strip from `start` to `end` along the axes, after `find_states`.
  template <class F>
  void for_each_state_strip(index_t start, index_t end, F f) {
    for_each_strip(position_, axes_, loops_.extents, {start, end}, longest_strip_,
                   [&](index_t size) {
                     find_states();
                     f(size);
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
    if (std::exchange(is_run_new_, false)) run_ = offset;
    for (strip_fold& fold : folds_) fold.find_states(offset, offset - run_);
  }

  /// Evaluates the strip at the current position, and copies it to targets that are not dense.
  void evaluate(index_t size) {
    for (const strip_target& target : targets_) {
      const bool is_dense =
          (target.to.strides[axes_.last] == result_itemsize(target) && is_one_row(target, size)) ||
          size == 1;
      strips_.set_target(target.result, is_dense ? destination_of(target) : nullptr);
    }
    strips_.evaluate(position_, size);
    for (const strip_target& target : targets_) {
      std::byte* const destination = destination_of(target);
      const std::byte* const strip_result = strips_.result(target.result);
      if (strip_result == destination) continue;
      const index_t itemsize = result_itemsize(target);
      const index_t stride = size == 1 ? itemsize : target.to.strides[axes_.last];
      const auto put = [&](index_t from, index_t offset, index_t count) {
        copy_strided(target.to.data + offset, stride, strip_result + from * itemsize, itemsize,
                     count, static_cast<std::size_t>(itemsize));
      };
      if (is_one_row(target, size)) {
        put(0, destination - target.to.data, size);
      } else {
        for_each_row(position_, axes_, loops_.extents, target.to.strides, size, put);
      }
    }
  }

  /// Tells whether the strip at the current position has one stride in the target.
  [[nodiscard]] bool is_one_row(const strip_target& target, index_t size) const {
    return axes_.first == axes_.last ||
           size <= loops_.extents[axes_.last] - position_[axes_.last] ||
           are_one_axis(axes_, loops_.extents, target.to.strides);
  }

  [[nodiscard]] index_t result_itemsize(const strip_target& target) const {
    return itemsize_of(program_.registers[program_.results[target.result]]);
  }
  [[nodiscard]] std::byte* destination_of(const strip_target& target) const {
    return target.to.data + offset_of(position_, target.to.strides);
  }

  const strip_program& program_;
  std::span<const strip_target> targets_;
  const loop_nest& loops_;
  const index_vector& state_strides_;
  strip_axes axes_;
  index_t longest_strip_;
  strip_evaluator strips_;
  index_vector position_;
  index_t state_run_;
  /// The first state of the run.
  index_t run_ = 0;
  bool is_run_new_ = false;
  small_vector<strip_fold> folds_;
  /// The evaluators of layers that are taken at once, and their positions; empty if layers are
  /// taken one by one.
  std::vector<strip_evaluator> layers_;
  small_vector<index_vector> positions_;
};

}  // namespace

void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                const loop_nest& loops, const index_vector& state_strides, const strip_axes& axes,
                index_t merged, std::span<std::byte> scratch) {
  strip_loop loop(program, operands, targets, folds, loops, state_strides, axes, merged > 0,
                  scratch);
  if (merged > 0) {
    loop.merge(merged);
  } else if (loops.reduced[axes.last]) {
    loop.take_all();
  } else {
    loop.take_each();
  }
}

}  // namespace tessera
