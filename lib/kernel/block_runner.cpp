// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_runner.hpp"

#include "kernel/loop_nest.hpp"
#include "kernel/strip_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tessera {

namespace {

/// Returns how long a strip of states may be so that they stay in the first-level cache, with the
/// registers that are folded into them again and again; those of groups in the second-level cache.
index_t longest_state_strip(const strip_program& program, std::span<const block_states> folds) {
  if (folds.empty()) return max_strip;
  constexpr std::size_t first_level = 24 * 1024;
  constexpr std::size_t second_level = 256 * 1024;
  constexpr std::size_t shortest = 256;
  std::size_t bytes = 0;
  std::size_t of_groups = 0;
  for (const dtype type : program.registers) bytes += size_of(type);
  for (const block_states& fold : folds) {
    std::size_t of_state = 0;
    for (const dtype type : fold.kernel->planes) of_state += size_of(type);
    of_state *= static_cast<std::size_t>(fold.cells);
    bytes += of_state;
    of_groups += of_state * static_cast<std::size_t>(fold.num_groups);
  }
  std::size_t most = first_level / bytes;
  if (of_groups > 0) most = std::min(most, second_level / of_groups);
  return std::min(max_strip, static_cast<index_t>(std::bit_floor(std::max(most, shortest))));
}

/// Returns which of a program's results may come as one element where they are the same along a
/// strip: what some folds take last, and labels.
std::vector<bool> results_as_one(const strip_program& program, std::span<const block_states> folds,
                                 bool are_merged) {
  std::vector<bool> as_one(program.results.size(), false);
  if (are_merged) return as_one;
  for (const block_states& fold : folds) {
    const std::size_t behind = fold.result + fold.kernel->inputs.size();
    if (fold.kernel->takes_last_as_one) as_one[behind - 1] = true;
    if (fold.num_groups > 0) as_one[behind] = true;
  }
  return as_one;
}

/// A fold of a walk, with room for what it is called with.
class walked_fold {
 public:
  walked_fold(const block_states& states, const strip_evaluator& strips)
      : states_(states),
        kernel_(*states.kernel),
        strips_(strips),
        planes_(states.planes.size()),
        group_planes_(states.planes.size()),
        earlier_(states.into.size()),
        inputs_(std::max(kernel_.inputs.size(), kernel_.planes.size())) {
    for (std::vector<std::byte*>& planes : earlier_) planes.resize(states.planes.size());
    if (states.num_groups > 0) at_.resize(static_cast<std::size_t>(max_strip));
    const bool has_groups = 0 < states.num_groups && states.num_groups <= max_strip / 8;
    if (kernel_.inputs.empty() && has_groups) {
      counts_.resize(num_tables * (static_cast<std::size_t>(states.num_groups) + 1));
    }
  }

  /// Points at the states that are `offset` behind the first.
  void find_states(index_t offset) {
    point(planes_, states_.planes, offset);
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      point(earlier_[i], states_.into[i].planes, offset);
    }
  }

  /// Makes the `size` states that it points at, where they are yet to be made.
  void begin(index_t size) {
    if (states_.are_new) kernel_.start(planes_.data(), size, states_.parameters);
  }

  /// Merges the `size` states that it points at, which have taken `count` elements of the block,
  /// into earlier ones.
  void end(index_t size, index_t count) {
    index_t taken = states_.taken + count;
    const std::vector<std::byte*>* from = &planes_;
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      kernel_.merge(earlier_[i].data(), from->data(), size, states_.into[i].taken, taken,
                    states_.parameters);
      taken += states_.into[i].taken;
      from = &earlier_[i];
    }
  }

  /// Folds the strips into one state, or each element into its own; these lie in steps of
  /// `distance`, which is 1 where there are no groups. Each has taken `count` of the block before.
  void take(index_t size, index_t count, bool into_one, index_t distance = 1) {
    for (std::size_t i = 0; i < kernel_.inputs.size(); ++i) {
      inputs_[i] = strips_.result(states_.result + i);
    }
    const std::size_t behind = states_.result + kernel_.inputs.size();
    const fold_strip strip{.size = size,
                           .inputs = inputs_.data(),
                           .taken = states_.num_groups == 0 ? states_.taken + count : 0,
                           .parameters = states_.parameters,
                           .is_last_one = kernel_.takes_last_as_one && strips_.is_one(behind - 1)};
    if (states_.num_groups == 0) {
      (into_one ? kernel_.take_all : kernel_.take_each)(planes_.data(), strip);
      return;
    }
    const void* const label = strips_.result(behind);
    const auto* const labels = static_cast<const std::int64_t*>(label);
    const bool is_one = strips_.is_one(behind);
    if (is_one && (into_one || distance == 1)) {
      take_group(labels[0], strip, into_one);
    } else if (into_one && !counts_.empty()) {
      count_groups(labels, size);
    } else {
      take_groups(labels, is_one ? 0 : 1, strip, into_one ? 0 : distance);
    }
  }

  /// As `take` each, where the program's results are planes of states.
  void merge(index_t size, index_t merged) {
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
      inputs_[plane] = strips_.result(states_.result + plane);
    }
    kernel_.merge(planes_.data(), inputs_.data(), size, states_.taken, merged, states_.parameters);
  }

 private:
  void point(std::vector<std::byte*>& planes, const std::vector<std::byte*>& from, index_t offset) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      const auto itemsize = static_cast<index_t>(size_of(kernel_.planes[plane]));
      planes[plane] = from[plane] + offset * states_.cells * itemsize;
    }
  }

  [[nodiscard]] bool is_group(std::int64_t label) const {
    return 0 <= label && label < states_.num_groups;
  }

  /// All elements of the strip go into the states of one group.
  void take_group(std::int64_t label, const fold_strip& strip, bool into_one) {
    if (!is_group(label)) return;
    point(group_planes_, planes_, label * states_.group_stride);
    (into_one ? kernel_.take_all : kernel_.take_each)(group_planes_.data(), strip);
  }

  /// As `take_groups` into one state for each group where nothing but labels is folded: they are
  /// counted first, neighbours in tables of their own, so that equal ones do not wait for each
  /// other.
  void count_groups(const std::int64_t* labels, index_t size) {
    std::fill(counts_.begin(), counts_.end(), 0);
    const auto num_groups = static_cast<std::uint64_t>(states_.num_groups);
    std::uint32_t* const counts = counts_.data();
    const auto count = [&](index_t i, std::uint64_t table) {
      const auto label = static_cast<std::uint64_t>(labels[i]);
      // Unsigned, as labels that are none may be any number: they go behind the last group.
      ++counts[table * (num_groups + 1) + std::min(label, num_groups)];
    };
    constexpr index_t step = num_tables;
    for (index_t i = 0; i + step <= size; i += step) {
      for (std::uint64_t table = 0; table < num_tables; ++table) {
        count(i + static_cast<index_t>(table), table);
      }
    }
    for (index_t i = size - size % step; i < size; ++i) count(i, 0);
    fold_strip strip{.parameters = states_.parameters};
    for (std::uint64_t group = 0; group < num_groups; ++group) {
      strip.size = 0;
      for (std::uint64_t table = 0; table < num_tables; ++table) {
        strip.size += counts[table * (num_groups + 1) + group];
      }
      if (strip.size > 0) take_group(static_cast<std::int64_t>(group), strip, true);
    }
  }

  void take_groups(const std::int64_t* labels, index_t step, const fold_strip& strip,
                   index_t distance) {
    // Copies, as what is written may be what is read for all that compilers know.
    const index_t size = strip.size;
    const index_t num_groups = states_.num_groups;
    const auto group_stride = static_cast<std::uint64_t>(states_.group_stride);
    index_t* __restrict const at = at_.data();
    for (index_t i = 0; i < size; ++i) {
      const std::int64_t label = labels[i * step];
      // Unsigned, as labels that are none may be any number.
      const auto place = static_cast<std::uint64_t>(label) * group_stride +
                         static_cast<std::uint64_t>(i * distance);
      const bool is_group = (label >= 0) & (label < num_groups);
      at[i] = is_group ? static_cast<index_t>(place) : -1;
    }
    kernel_.take_at(planes_.data(), strip, at_.data());
  }

  const block_states& states_;
  const fold_kernel& kernel_;
  const strip_evaluator& strips_;
  std::vector<std::byte*> planes_;
  std::vector<std::byte*> group_planes_;
  std::vector<std::vector<std::byte*>> earlier_;
  std::vector<const std::byte*> inputs_;
  /// The state of each element of a strip.
  std::vector<index_t> at_;
  /// How often there is each group in a strip, in several tables; empty where that does not help.
  static constexpr std::uint64_t num_tables = 4;
  std::vector<std::uint32_t> counts_;
};

/// A walk over one block, after its loops were simplified.
class block_walk {
 private:
  [[nodiscard]] auto is_kept() const {
    return [this](std::size_t axis) { return axis != axis_ && !loops_.reduced[axis]; };
  }
  [[nodiscard]] auto is_reduced() const {
    return [this](std::size_t axis) { return axis != axis_ && loops_.reduced[axis]; };
  }

 public:
  block_walk(const strip_program& program, std::span<const block_operand> operands,
             std::span<const strip_target> targets, std::span<const block_states> folds,
             const loop_nest& loops, const index_vector& state_strides, std::size_t axis,
             bool are_merged, std::span<std::byte> scratch)
      : program_(program),
        targets_(targets),
        loops_(loops),
        state_strides_(state_strides),
        axis_(axis),
        strips_(program, operands, results_as_one(program, folds, are_merged), axis,
                std::min(max_strip, loops_.extents[axis]), scratch),
        position_(loops_.extents.size()),
        state_strip_(longest_state_strip(program, folds)) {
    for (const block_states& fold : folds) folds_.emplace_back(fold, strips_);
  }

  /// Strips run along a reduced axis: each folds into one state.
  void take_all() {
    const index_t num_states = product_of(is_kept());
    find_states();
    for (walked_fold& fold : folds_) fold.begin(num_states);
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      find_states();
      index_t count = 0;
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        for_each_strip(position_, axis_, loops_.extents[axis_], max_strip, [&](index_t size) {
          evaluate(size);
          for (walked_fold& fold : folds_) fold.take(size, count, true);
          count += size;
        });
      });
    });
    position_ = index_vector(position_.size());
    find_states();
    const index_t count = loops_.extents[axis_] * product_of(is_reduced());
    for (walked_fold& fold : folds_) fold.end(num_states, count);
  }

  /// Strips run along a kept axis: each element folds into its own state.
  void take_each() {
    for_each_state_strip([&](index_t size) {
      index_t count = 0;
      for (walked_fold& fold : folds_) fold.begin(size);
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        evaluate(size);
        for (walked_fold& fold : folds_) {
          fold.take(size, count, false, state_strides_[axis_]);
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
      for_each_strip(position_, axis_, loops_.extents[axis_], state_strip_, [&](index_t size) {
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
      const index_t stride = target.to.strides[axis_];
      const bool is_dense = stride == itemsize_of(target) || size == 1;
      strips_.set_target(target.result, is_dense ? place_of(target) : nullptr);
    }
    strips_.evaluate(position_, size);
    for (const strip_target& target : targets_) {
      std::byte* const place = place_of(target);
      const std::byte* const made = strips_.result(target.result);
      if (made == place) continue;
      const index_t itemsize = itemsize_of(target);
      copy_strided(place, size == 1 ? itemsize : target.to.strides[axis_], made, itemsize, size,
                   static_cast<std::size_t>(itemsize));
    }
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
  std::size_t axis_;
  strip_evaluator strips_;
  index_vector position_;
  index_t state_strip_;
  std::vector<walked_fold> folds_;
};

}  // namespace

void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                std::span<const index_t> extents, const fold_walk& how,
                std::span<std::byte> scratch) {
  std::vector<block_operand> sources(operands.begin(), operands.end());
  std::vector<strip_target> made(targets.begin(), targets.end());
  index_vector states(how.state_strides);
  loop_nest loops{index_vector(extents), how.reduced, {}};
  if (!folds.empty()) loops.strides.push_back(&states);
  for (block_operand& source : sources) loops.strides.push_back(&source.strides);
  for (strip_target& target : made) loops.strides.push_back(&target.to.strides);
  loops.simplify();
  // Only labels choose from states that are no neighbours.
  const bool have_labels =
      std::all_of(folds.begin(), folds.end(), [](const auto& fold) { return fold.num_groups > 0; });
  const std::size_t axis = choose_strip_axis(loops, [&](std::size_t other) {
    return have_labels || loops.reduced[other] || states[other] == 1;
  });
  block_walk walk(program, sources, made, folds, loops, states, axis, how.merged > 0, scratch);
  if (how.merged > 0) {
    walk.merge(how.merged);
  } else if (loops.reduced[axis]) {
    walk.take_all();
  } else {
    walk.take_each();
  }
}

void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch) {
  std::vector<strip_target> targets;
  for (std::size_t i = 0; i < results.size(); ++i) targets.push_back({i, results[i]});
  run_strips(program, operands, targets, {}, extents, {}, scratch);
}

}  // namespace tessera
