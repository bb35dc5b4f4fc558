// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rolling windows by monoids.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/monoid_scan.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The longest window: the values of its state are counted.
inline constexpr index_t max_window = index_t{1} << 40;

/// Returns the parameters of a rolling window of `length` elements.
[[nodiscard]] inline kernel_parameters window_parameters(index_t length) {
  return {length, bytes_of(length)};
}

/// The results of the monoid `M` for the window that ends at each element of `X`, a class of static
/// functions.
///
/// Lines are cut into blocks of the window's length: a window is the end of one block and the
/// beginning of the next. The values of states of a state are the states of each end of the block
/// before, and behind them that of this block's beginning. The elements of this block replace the
/// values of states one by one. That takes three merges for each element, whatever the window's
/// length, and nothing is ever subtracted. Source: van Herk 1992; Gil, Werman 1993.
template <class M, class X>
struct rolling_scan {
  using state = typename M::state;
  using output = decltype(finished<M>(std::declval<state>(), 1.0));

  static std::vector<dtype> state_fields() { return monoid_states<M>::state_fields(); }
  static index_t state_length(const void* parameters) { return length_of(parameters) + 1; }
  static kernel_parameters restored(std::string_view identity) {
    byte_reader bytes(identity);
    const auto length = bytes.take<index_t>();
    bytes.require_end();
    if (length < 1 || length > max_window) throw value_error("a window has a positive length");
    return window_parameters(length);
  }

  static void start(std::byte* const* state_fields, index_t size, const void* parameters) {
    const monoid_states<M> states(state_fields);
    for (index_t i = 0; i < size * state_length(parameters); ++i) states.set(i, M::identity);
  }

  static void run_each(std::byte* const* state_fields, const scan_strip& strip) {
    // A copy, as states that are int64 might be the size for all that compilers know.
    const index_t size = strip.size;
    const monoid_states<M> states(state_fields);
    const index_t length = length_of(strip.parameters);
    const index_t position = strip.num_taken % length;
    if (position == 0) begin_block(states, size, strip);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    const auto count = static_cast<double>(length);
    const index_t oldest = position * strip.value_stride;
    const index_t beginning = length * strip.value_stride;
    const auto take = take_into<M>(position);
    const auto take_first = take_into<M>(0);
    if (position + 1 == length) {
      for (index_t i = 0; i < size; ++i) {
        const state now = take(states.get(beginning + i), in[i]);
        states.set(oldest + i, take_first(M::identity, in[i]));
        states.set(beginning + i, now);
        out[i] = finished<M>(now, count);
      }
      return;
    }
    const auto merge = merge_of<M>(num_before(strip, 0, position), position + 1);
    const index_t end = oldest + strip.value_stride;
    for (index_t i = 0; i < size; ++i) {
      const state now = take(states.get(beginning + i), in[i]);
      states.set(oldest + i, take_first(M::identity, in[i]));
      states.set(beginning + i, now);
      out[i] = finished<M>(merge(states.get(end + i), now), count);
    }
  }

  static void run_along(std::byte* const* state_fields, const scan_strip& strip) {
    const index_t size = strip.size;  // copies, as above
    const index_t value_stride = strip.value_stride;
    const monoid_states<M> states(state_fields);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    const index_t length = length_of(strip.parameters);
    const auto count = static_cast<double>(length);
    const index_t beginning = length * value_stride;
    index_t position = strip.num_taken % length;
    state now = states.get(beginning);
    for (index_t i = 0; i < size; ++i) {
      if (position == 0) {
        begin_block(states, 1, strip);
        now = M::identity;
      }
      now = take_into<M>(position)(now, in[i]);
      states.set(position * value_stride, take_into<M>(0)(M::identity, in[i]));
      const auto merge = merge_of<M>(num_before(strip, i, position), position + 1);
      ++position;
      const state window =
          position == length ? now : merge(states.get(position * value_stride), now);
      out[i] = finished<M>(window, count);
      if (position == length) position = 0;
    }
    states.set(beginning, now);
  }

 private:
  static index_t length_of(const void* parameters) {
    return *static_cast<const index_t*>(parameters);
  }

  /// Returns the number of elements of the window that ends at element `i` of a strip, and at
  /// `position` in its block, which are in the block before.
  static index_t num_before(const scan_strip& strip, index_t i, index_t position) {
    const index_t length = length_of(strip.parameters);
    return strip.num_taken + i < length ? 0 : length - 1 - position;
  }

  /// Makes of the elements of a block, which lie in the values of states of `size` lines, its ends.
  static void begin_block(const monoid_states<M>& states, index_t size, const scan_strip& strip) {
    const index_t length = length_of(strip.parameters);
    const index_t stride = strip.value_stride;
    for (index_t k = length - 1; k-- > 0;) {
      const auto merge = merge_of<M>(1, length - 1 - k);
      for (index_t i = k * stride; i < k * stride + size; ++i) {
        states.set(i, merge(states.get(i), states.get(i + stride)));
      }
    }
    for (index_t i = 0; i < size; ++i) states.set(length * stride + i, M::identity);
  }
};

}  // namespace detail

/// Returns the kernel of rolling windows of elements of `X` by the monoid `M`.
template <class M, class X>
requires(monoid_of<M, X> || detail::weighs_by_count<M>)
    [[nodiscard]] const scan_kernel& rolling_by() {
  static_cast<void>(&detail::known_at_start<&rolling_by<M, X>>::is_known);
  static const std::string name = "rolling " + detail::fold_name(typeid(M).name(), {dtype_of<X>});
  constexpr std::string_view label = detail::label_of_monoid<M>("rolling");
  return detail::known_scan<detail::rolling_scan<M, X>, X>(label, name);
}

}  // namespace tessera
