// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds driven by hand, for tests.

#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include "unit/kernel/run_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::testing {

/// `size` states of a fold, and how many elements each has taken.
class fold_states {
 public:
  fold_states(const fold_kernel& kernel, index_t size) : kernel_(&kernel), size_(size) {
    for (const dtype field : kernel.state_fields) {
      storage_.emplace_back(static_cast<std::size_t>(size) * size_of(field) / 8 + 1);
    }
    for (auto& field : storage_) state_fields_.push_back(field.bytes());
    kernel_->start(state_fields_.data(), size_, nullptr);
  }

  /// The values of all planes, which are of float64.
  std::vector<double> values() const {
    std::vector<double> values_of_fields;
    for (const buffer<double>& field : storage_) {
      const std::vector<double> values = field.values();
      values_of_fields.insert(values_of_fields.end(), values.begin(), values.begin() + size_);
    }
    return values_of_fields;
  }

  /// Folds `size` elements, one into each state.
  void take_each(const std::byte* in) {
    kernel_->take_each(state_fields_.data(),
                       {.size = size_, .inputs = &in, .num_taken = num_folded_});
    ++num_folded_;
  }

  /// Folds an element of each of several layers into each state.
  void take_layers(const std::vector<const std::byte*>& layers) {
    kernel_->take_layers(state_fields_.data(),
                         {.size = size_, .inputs = layers.data(), .num_taken = num_folded_});
    num_folded_ += static_cast<index_t>(layers.size());
  }

  /// Folds into each state the result of `fused` for an element of each operand of its kernel.
  void take_fused(const fused_take& fused, const std::vector<const std::byte*>& operands) {
    std::vector<const std::byte*> inputs;
    for (const std::size_t operand : fused.operands) inputs.push_back(operands[operand]);
    fused.take_each(state_fields_.data(),
                    {.size = size_, .inputs = inputs.data(), .num_taken = num_folded_});
    ++num_folded_;
  }

  /// As `take_fused` of the operands of each of several layers, one after the other.
  void take_fused_layers(const fused_take& fused,
                         const std::vector<std::vector<const std::byte*>>& layers) {
    std::vector<const std::byte*> inputs;
    for (const std::vector<const std::byte*>& operands : layers) {
      for (const std::size_t operand : fused.operands) inputs.push_back(operands[operand]);
    }
    fused.take_layers(state_fields_.data(),
                      {.size = size_, .inputs = inputs.data(), .num_taken = num_folded_});
    num_folded_ += static_cast<index_t>(layers.size());
  }

  /// Folds `size` elements into the one state.
  void take_all(const std::byte* in, index_t size) { take_all(&in, size); }
  /// As above, of each of several inputs.
  void take_all(const std::byte* const* inputs, index_t size) {
    kernel_->take_all(state_fields_.data(),
                      {.size = size, .inputs = inputs, .num_taken = num_folded_});
    num_folded_ += size;
  }

  void merge(const fold_states& source) {
    kernel_->merge(state_fields_.data(), source.state_fields_.data(), size_, num_folded_,
                   source.num_folded_, nullptr);
    num_folded_ += source.num_folded_;
  }

  template <class Output>
  std::vector<Output> finish(const kernel_parameters& parameters = {}) const {
    buffer<Output> out(static_cast<std::size_t>(size_));
    std::byte* const to = out.bytes();
    kernel_->finish(state_fields_.data(), &to, size_, num_folded_, parameters.get());
    return out.values();
  }

 private:
  const fold_kernel* kernel_;
  index_t size_;
  index_t num_folded_ = 0;
  std::vector<buffer<double>> storage_;  // doubles, for their alignment
  std::vector<std::byte*> state_fields_;
};

/// Returns the result of folding `x` into one state, strip by strip.
template <class Output, class T>
Output fold_all(const fold_kernel& kernel, const std::vector<T>& x,
                const kernel_parameters& parameters = {}) {
  buffer<T> in(x);
  // A fold of positions takes them behind the elements.
  buffer<std::int64_t> positions(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) positions.data()[i] = static_cast<std::int64_t>(i);
  fold_states state(kernel, 1);
  const auto size = static_cast<index_t>(x.size());
  for (index_t first = 0; first < size; first += max_strip) {
    const auto offset = static_cast<std::size_t>(first);
    const std::array<const std::byte*, 2> inputs{in.bytes() + offset * sizeof(T),
                                                 positions.bytes() + offset * sizeof(std::int64_t)};
    state.take_all(inputs.data(), std::min(max_strip, size - first));
  }
  return state.finish<Output>(parameters)[0];
}

/// Returns the result of folding `x` one element at a time.
template <class Output, class T>
Output fold_each(const fold_kernel& kernel, const std::vector<T>& x,
                 const kernel_parameters& parameters = {}) {
  buffer<T> in(x);
  fold_states state(kernel, 1);
  for (std::size_t i = 0; i < x.size(); ++i) state.take_each(in.bytes() + i * sizeof(T));
  return state.finish<Output>(parameters)[0];
}

}  // namespace tessera::testing
