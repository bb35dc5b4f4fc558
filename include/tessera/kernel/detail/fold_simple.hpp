// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds whose state is one value and whose merge is their own step.

#include "tessera/kernel/detail/fold_common.hpp"

#include <algorithm>
#include <concepts>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A fold of `T` by the associative function `Op::combine` of states, whose identity is
/// `Op::identity<T>()`.
template <class Op, class T>
struct simple_fold {
  using input = T;
  using output = typename Op::template result<T>;
  using state = decltype(Op::template identity<T>());
  static constexpr std::string_view label = Op::name;

  static std::vector<dtype> planes() { return {dtype_of<state>}; }

  static void start(std::byte* const* planes, index_t size, const void*) {
    std::fill_n(typed<state>(planes[0]), size, Op::template identity<T>());
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    state* __restrict const states = typed<state>(planes[0]);
    const input* __restrict const x = typed<input>(strip.inputs[0]);
    for (index_t i = 0; i < strip.size; ++i) states[i] = Op::combine(states[i], convert(x[i]));
  }

  static void take_layers(std::byte* const* planes, const fold_strip& strip) {
    state* __restrict const states = typed<state>(planes[0]);
    for_each_of_layers<input>(strip, [states](index_t i, auto... x) {
      state all = states[i];
      ((all = Op::combine(all, convert(x))), ...);
      states[i] = all;
    });
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const state strip_state = fold_lanes(
        typed<input>(strip.inputs[0]), strip.size, Op::template identity<T>(),
        [](state& lane, input x) { lane = Op::combine(lane, convert(x)); },
        [](state& lane, state other) { lane = Op::combine(lane, other); });
    state& whole = *typed<state>(planes[0]);
    whole = Op::combine(whole, strip_state);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    state* const states = typed<state>(planes[0]);
    for_each_at(strip, at, [&, x = typed<input>(strip.inputs[0])](index_t state, index_t i) {
      states[state] = Op::combine(states[state], convert(x[i]));
    });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size, index_t,
                    index_t, const void*) {
    state* __restrict const states = typed<state>(planes[0]);
    const state* __restrict const other = typed<state>(others[0]);
    for (index_t i = 0; i < size; ++i) states[i] = Op::combine(states[i], other[i]);
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t, const void*) {
    const state* const states = typed<state>(planes[0]);
    for (index_t i = 0; i < size; ++i)
      typed<output>(outputs[0])[i] = static_cast<output>(states[i]);
  }

 private:
  static state convert(input x) {
    if constexpr (std::same_as<state, bool>) {
      return x != input{};
    } else {
      return static_cast<state>(x);
    }
  }
};

}  // namespace tessera::detail
