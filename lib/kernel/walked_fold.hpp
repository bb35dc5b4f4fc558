// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A fold of a walk over a block: strips go into its states.

#include "tessera/core/few.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "kernel/strip_evaluator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

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
        inputs_(most_inputs()) {
    for (few<std::byte*>& planes : earlier_) planes.resize(states.planes.size());
    if (states.num_groups > 0) at_.resize(static_cast<std::size_t>(max_strip));
    const bool has_groups = 0 < states.num_groups && states.num_groups <= max_strip / 8;
    if (kernel_.inputs.empty() && has_groups) {
      counts_.resize(num_tables * (static_cast<std::size_t>(states.num_groups) + 1));
    }
  }

  /// Tells whether it takes what `reg` of `program` holds.
  [[nodiscard]] bool reads(const strip_program& program, std::size_t reg) const {
    const std::size_t count = kernel_.inputs.size() + (states_.num_groups > 0 ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (program.results[states_.result + i] == reg) return true;
    }
    return false;
  }

  /// Tells whether it can take what `step` makes while it makes that itself.
  [[nodiscard]] bool can_take(const strip_step& step) const { return find_fused(step) != nullptr; }

  /// Lets `take`, each element into its own state, make what it takes as `step` does.
  void fuse(const strip_step& step) {
    fused_ = find_fused(step);
    step_ = &step;
  }

  /// Points at the states that are `offset` behind the first, and `in_run` behind the first of a
  /// run of them. Those that are new, and merged into others before the next run, lie where those
  /// of the run before lay, which the cache still holds.
  void find_states(index_t offset, index_t in_run) {
    const bool are_passed_on = states_.are_new && !states_.into.empty();
    point(planes_, states_.planes.data(), are_passed_on ? in_run : offset);
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      point(earlier_[i], states_.into[i].planes.data(), offset);
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
    const few<std::byte*>* from = &planes_;
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
    if (fused_ != nullptr) {
      for (std::size_t i = 0; i < fused_->operands.size(); ++i) {
        inputs_[i] = strips_.at(step_->inputs[fused_->operands[i]]);
      }
      fused_->take_each(planes_.data(), strip);
      return;
    }
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

  [[nodiscard]] bool can_take_layers() const {
    auto* const how = fused_ != nullptr ? fused_->take_layers : kernel_.take_layers;
    return how != nullptr && states_.num_groups == 0;
  }

  /// As `take` each of `layers_at_once` strips, one after the other, which `layers` have evaluated.
  void take_layers(index_t size, index_t count, std::span<const strip_evaluator> layers) {
    const fold_strip strip{.size = size,
                           .inputs = inputs_.data(),
                           .taken = states_.taken + count,
                           .parameters = states_.parameters};
    std::size_t next = 0;
    if (fused_ == nullptr) {
      for (const strip_evaluator& layer : layers) inputs_[next++] = layer.result(states_.result);
      kernel_.take_layers(planes_.data(), strip);
      return;
    }
    for (const strip_evaluator& layer : layers) {
      for (const std::size_t operand : fused_->operands) {
        inputs_[next++] = layer.at(step_->inputs[operand]);
      }
    }
    fused_->take_layers(planes_.data(), strip);
  }

  /// As `take` each, where the program's results are planes of states.
  void merge(index_t size, index_t merged) {
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
      inputs_[plane] = strips_.result(states_.result + plane);
    }
    kernel_.merge(planes_.data(), inputs_.data(), size, states_.taken, merged, states_.parameters);
  }

 private:
  /// Returns how many strips it is given at most.
  [[nodiscard]] std::size_t most_inputs() const {
    std::size_t most = std::max({kernel_.inputs.size(), kernel_.planes.size(), layers_at_once});
    for (const fused_take& each : kernel_.fused) {
      most = std::max(most, each.operands.size() * layers_at_once);
    }
    return most;
  }

  [[nodiscard]] const fused_take* find_fused(const strip_step& step) const {
    if (states_.num_groups > 0) return nullptr;
    for (const fused_take& each : kernel_.fused) {
      if (each.kernel == step.kernel->name) return &each;
    }
    return nullptr;
  }

  void point(few<std::byte*>& planes, std::byte* const* from, index_t offset) {
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
    point(group_planes_, planes_.data(), label * states_.group_stride);
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
  few<std::byte*> planes_;
  few<std::byte*> group_planes_;
  few<few<std::byte*>> earlier_;
  few<const std::byte*> inputs_;
  /// How what a step makes is taken, and the step; null: as it stands in a strip.
  const fused_take* fused_ = nullptr;
  const strip_step* step_ = nullptr;
  /// The state of each element of a strip.
  std::vector<index_t> at_;
  /// How often there is each group in a strip, in several tables; empty where that does not help.
  static constexpr std::uint64_t num_tables = 4;
  std::vector<std::uint32_t> counts_;
};

}  // namespace tessera
