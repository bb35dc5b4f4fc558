// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A fold over a block: strips of elements go into its states.
///
/// The life of a strip of states is begin (identity), take or merge for each strip of elements, end
/// (merge into the states of earlier blocks). A state is a field of each state field. A step whose
/// output only folds read may be fused: the fold kernel then computes it from the step's operands.

#include "tessera/kernel/block_runner.hpp"

#include "core/api/itemsize.hpp"
#include "core/api/small_vector.hpp"
#include "kernel/strip_evaluator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// A fold over a block, with room for the arguments of its kernel.
class strip_fold {
 public:
  strip_fold(const block_states& states, const strip_evaluator& strips)
      : states_(states),
        kernel_(*states.kernel),
        strips_(strips),
        state_fields_(states.state_fields.size()),
        group_fields_(states.state_fields.size()),
        earlier_(states.into.size()),
        inputs_(most_inputs()) {
    for (small_vector<std::byte*>& state_fields : earlier_)
      state_fields.resize(states.state_fields.size());
    if (states.num_groups > 0) at_.resize(static_cast<std::size_t>(max_strip));
    const bool has_groups = 0 < states.num_groups && states.num_groups <= max_strip / 8;
    if (kernel_.inputs.empty() && has_groups) {
      counts_.resize(num_tables * (static_cast<std::size_t>(states.num_groups) + 1));
    }
  }

  /// Tells whether the fold reads register `reg` of `program`.
  [[nodiscard]] bool reads(const strip_program& program, std::size_t reg) const {
    const std::size_t count = kernel_.inputs.size() + (states_.num_groups > 0 ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (program.results[states_.result + i] == reg) return true;
    }
    return false;
  }

  /// Tells whether the kernel has a variant that is fused with `step`.
  [[nodiscard]] bool can_take(const strip_step& step) const { return find_fused(step) != nullptr; }

  /// Lets `take`, each element into its own state, compute the output of `step` itself.
  void fuse(const strip_step& step) {
    fused_ = find_fused(step);
    step_ = &step;
  }

  /// Points at the states at `offset` from the first, and at `in_run` from the first of their run.
  /// New states that are merged into earlier ones after each run reuse the memory of the run
  /// before, which the cache still holds.
  void find_states(index_t offset, index_t in_run) {
    const bool are_passed_on = states_.are_new && !states_.into.empty();
    point(state_fields_, states_.state_fields.data(), are_passed_on ? in_run : offset);
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      point(earlier_[i], states_.into[i].state_fields.data(), offset);
    }
  }

  /// Initialises the current `size` states if they are new.
  void begin(index_t size) {
    if (states_.are_new) kernel_.start(state_fields_.data(), size, states_.parameters);
  }

  /// Merges the current `size` states, which have taken `count` elements of the block, into earlier
  /// ones.
  void end(index_t size, index_t count) {
    index_t merged = taken_after(count);
    const small_vector<std::byte*>* from = &state_fields_;
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      kernel_.merge(earlier_[i].data(), from->data(), size, states_.into[i].num_taken, merged,
                    states_.parameters);
      merged += states_.into[i].num_taken;
      from = &earlier_[i];
    }
  }

  /// Folds the strips into one state, or each element into its own state. States lie in steps of
  /// `distance`, which is 1 without groups. Each state has taken `count` elements of the block.
  void take(index_t size, index_t count, bool into_one, index_t distance = 1) {
    for (std::size_t i = 0; i < kernel_.inputs.size(); ++i) {
      inputs_[i] = strips_.result(states_.result + i);
    }
    const std::size_t after_inputs = states_.result + kernel_.inputs.size();
    const fold_strip strip{
        .size = size,
        .inputs = inputs_.data(),
        .num_taken = states_.num_groups == 0 ? taken_after(count) : unknown_count,
        .parameters = states_.parameters,
        .is_last_one = kernel_.takes_last_as_one && strips_.is_one(after_inputs - 1)};
    if (fused_ != nullptr) {
      for (std::size_t i = 0; i < fused_->operands.size(); ++i) {
        inputs_[i] = strips_.at(step_->inputs[fused_->operands[i]]);
      }
      fused_->take_each(state_fields_.data(), strip);
      return;
    }
    if (states_.num_groups == 0) {
      (into_one ? kernel_.take_all : kernel_.take_each)(state_fields_.data(), strip);
      return;
    }
    const void* const label = strips_.result(after_inputs);
    const auto* const labels = static_cast<const std::int64_t*>(label);
    const bool is_one = strips_.is_one(after_inputs);
    if (is_one && (into_one || distance == 1)) {
      take_group(labels[0], strip, into_one);
    } else if (into_one && !counts_.empty()) {
      count_groups(labels, size);
    } else {
      take_groups(labels, is_one ? 0 : 1, strip, into_one ? 0 : distance);
    }
  }

  [[nodiscard]] bool can_take_layers() const {
    auto* const function = fused_ != nullptr ? fused_->take_layers : kernel_.take_layers;
    return function != nullptr && states_.num_groups == 0;
  }

  /// Returns the elements that each state has taken, `count` of them of this block.
  [[nodiscard]] index_t taken_after(index_t count) const { return states_.num_taken + count; }

  /// As `take` for each of the `layers_at_once` strips of `layers`, one after the other. Requires:
  /// `taken_after(count)` is a multiple of `layers_at_once`.
  void take_layers(index_t size, index_t count, std::span<const strip_evaluator> layers) {
    const fold_strip strip{.size = size,
                           .inputs = inputs_.data(),
                           .num_taken = taken_after(count),
                           .parameters = states_.parameters};
    std::size_t next = 0;
    if (fused_ == nullptr) {
      for (const strip_evaluator& layer : layers) inputs_[next++] = layer.result(states_.result);
      kernel_.take_layers(state_fields_.data(), strip);
      return;
    }
    for (const strip_evaluator& layer : layers) {
      for (const std::size_t operand : fused_->operands) {
        inputs_[next++] = layer.at(step_->inputs[operand]);
      }
    }
    fused_->take_layers(state_fields_.data(), strip);
  }

  /// As `take`, each element into its own state, if the program's results are state fields of
  /// states.
  void merge(index_t size, index_t merged) {
    for (std::size_t field = 0; field < state_fields_.size(); ++field) {
      inputs_[field] = strips_.result(states_.result + field);
    }
    kernel_.merge(state_fields_.data(), inputs_.data(), size, states_.num_taken, merged,
                  states_.parameters);
  }

 private:
  /// Returns the most strips of a call of the kernel.
  [[nodiscard]] std::size_t most_inputs() const {
    std::size_t most =
        std::max({kernel_.inputs.size(), kernel_.state_fields.size(), layers_at_once});
    for (const fused_take& candidate : kernel_.fused) {
      most = std::max(most, candidate.operands.size() * layers_at_once);
    }
    return most;
  }

  [[nodiscard]] const fused_take* find_fused(const strip_step& step) const {
    if (states_.num_groups > 0) return nullptr;
    for (const fused_take& candidate : kernel_.fused) {
      if (candidate.kernel == step.kernel->name) return &candidate;
    }
    return nullptr;
  }

  void point(small_vector<std::byte*>& state_fields, std::byte* const* from, index_t offset) {
    for (std::size_t field = 0; field < state_fields.size(); ++field) {
      const auto itemsize = itemsize_of(kernel_.state_fields[field]);
      state_fields[field] = from[field] + offset * states_.state_length * itemsize;
    }
  }

  [[nodiscard]] bool is_group(std::int64_t label) const {
    return 0 <= label && label < states_.num_groups;
  }

  /// All elements of the strip go into the states of one group.
  void take_group(std::int64_t label, const fold_strip& strip, bool into_one) {
    if (!is_group(label)) return;
    point(group_fields_, state_fields_.data(), label * states_.group_stride);
    (into_one ? kernel_.take_all : kernel_.take_each)(group_fields_.data(), strip);
  }

  /// As `take_groups` into one state for each group, for kernels without inputs: counts labels
  /// first. Neighbours go to different tables, so that equal labels do not wait for each other.
  void count_groups(const std::int64_t* labels, index_t size) {
    std::fill(counts_.begin(), counts_.end(), 0);
    const auto num_groups = static_cast<std::uint64_t>(states_.num_groups);
    std::uint32_t* const counts = counts_.data();
    const auto count = [&](index_t i, std::uint64_t table) {
      const auto label = static_cast<std::uint64_t>(labels[i]);
      // Unsigned, as labels of no group may be any number: they go behind the last group.
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
    // Copies, as compilers must assume that the loop's stores alias the members.
    const index_t size = strip.size;
    const index_t num_groups = states_.num_groups;
    const auto group_stride = static_cast<std::uint64_t>(states_.group_stride);
    index_t* __restrict const at = at_.data();
    for (index_t i = 0; i < size; ++i) {
      const std::int64_t label = labels[i * step];
      // Unsigned, as labels of no group may be any number.
      const auto state = static_cast<std::uint64_t>(label) * group_stride +
                         static_cast<std::uint64_t>(i * distance);
      const bool is_group = (label >= 0) & (label < num_groups);
      at[i] = is_group ? static_cast<index_t>(state) : -1;
    }
    kernel_.take_at(state_fields_.data(), strip, at_.data());
  }

  const block_states& states_;
  const fold_kernel& kernel_;
  const strip_evaluator& strips_;
  small_vector<std::byte*> state_fields_;
  small_vector<std::byte*> group_fields_;
  small_vector<small_vector<std::byte*>> earlier_;
  small_vector<const std::byte*> inputs_;
  /// The fused variant of the kernel, and its step; null if the fold reads strips.
  const fused_take* fused_ = nullptr;
  const strip_step* step_ = nullptr;
  /// The state of each element of a strip.
  std::vector<index_t> at_;
  /// The counts of each group in a strip, in several tables; empty if `count_groups` is not used.
  static constexpr std::uint64_t num_tables = 4;
  std::vector<std::uint32_t> counts_;
};

}  // namespace tessera
