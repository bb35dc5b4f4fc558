// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Products and extrema: folds whose state is one value and whose merge is their own step.

#include "tessera/kernel/detail/apply.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/meta/op.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A fold of `T` by the associative function `Rule::combine` of `Rule::state`, whose identity is
/// `Rule::identity`.
template <class Rule>
struct simple_fold {
  using input = typename Rule::input;
  using output = typename Rule::output;
  using state = typename Rule::state;
  static constexpr std::string_view label = Rule::label;

  static std::vector<dtype> planes() { return {dtype_of<state>}; }

  static void start(std::byte* const* planes, index_t size) {
    std::fill_n(typed<state>(planes[0]), size, Rule::identity);
  }

  static void take_each(std::byte* const* planes, const std::byte* in, index_t size, index_t) {
    state* __restrict const states = typed<state>(planes[0]);
    const input* __restrict const x = typed<input>(in);
    for (index_t i = 0; i < size; ++i) states[i] = Rule::combine(states[i], convert(x[i]));
  }

  static void take_all(std::byte* const* planes, const std::byte* in, index_t size, index_t) {
    const state strip_state = fold_lanes(
        typed<input>(in), size, Rule::identity,
        [](state& lane, input x) { lane = Rule::combine(lane, convert(x)); },
        [](state& lane, state other) { lane = Rule::combine(lane, other); });
    state& whole = *typed<state>(planes[0]);
    whole = Rule::combine(whole, strip_state);
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size, index_t,
                    index_t) {
    state* __restrict const states = typed<state>(planes[0]);
    const state* __restrict const other = typed<state>(others[0]);
    for (index_t i = 0; i < size; ++i) states[i] = Rule::combine(states[i], other[i]);
  }

  static void finish(const std::byte* const* planes, std::byte* out, index_t size, index_t,
                     const void*) {
    const state* const states = typed<state>(planes[0]);
    for (index_t i = 0; i < size; ++i) typed<output>(out)[i] = static_cast<output>(states[i]);
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

template <class T>
struct prod_rule {
  using input = T;
  using state = accumulator<T>;
  using output = sum_type<T>;
  static constexpr std::string_view label = "prod";
  static constexpr state identity{1};
  static state combine(state a, state b) { return detail::apply(op::multiply{}, a, b); }
};

template <class T>
struct min_rule {
  using input = T;
  using state = T;
  using output = T;
  using limits = std::numeric_limits<T>;
  static constexpr std::string_view label = "min";
  static inline const state identity = limits::has_infinity ? limits::infinity() : limits::max();
  static state combine(state a, state b) { return detail::apply(op::minimum{}, a, b); }
};

template <class T>
struct max_rule {
  using input = T;
  using state = T;
  using output = T;
  using limits = std::numeric_limits<T>;
  static constexpr std::string_view label = "max";
  static inline const state identity =
      limits::has_infinity ? -limits::infinity() : limits::lowest();
  static state combine(state a, state b) { return detail::apply(op::maximum{}, a, b); }
};

template <class T>
struct any_rule {
  using input = T;
  using state = bool;
  using output = bool;
  static constexpr std::string_view label = "any";
  static constexpr state identity = false;
  static state combine(state a, state b) { return detail::apply(op::logical_or{}, a, b); }
};

template <class T>
struct all_rule {
  using input = T;
  using state = bool;
  using output = bool;
  static constexpr std::string_view label = "all";
  static constexpr state identity = true;
  static state combine(state a, state b) { return detail::apply(op::logical_and{}, a, b); }
};

}  // namespace tessera::detail
