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

/// The longest window: its cells are counted.
inline constexpr index_t max_window = index_t{1} << 40;

/// Returns the parameters of a rolling window of `length` elements.
[[nodiscard]] inline kernel_parameters window_parameters(index_t length) {
  return {length, bytes_of(length)};
}

/// Returns what `M` makes of the state of a window of `length` elements.
template <class M>
constexpr auto finished_window(const typename M::state& state, index_t length) {
  if constexpr (requires { M::finish(state, length); }) {
    return M::finish(state, length);
  } else {
    return finished<M>(state);
  }
}

/// What the monoid `M` makes of the window that ends with each element of `X`, a class of static
/// functions.
///
/// Lines are cut into blocks of the window's length: a window is the end of one block and the
/// beginning of the next. The cells of a state are what `M` makes of each end of the block before,
/// in whose places the elements of this one gather, and behind them of its beginning. That takes
/// three merges for each element, whatever the window's length, and nothing is ever subtracted.
/// Source: van Herk 1992; Gil, Werman 1993.
template <class M, class X>
struct rolling_scan {
  using state = typename M::state;
  using output = decltype(finished_window<M>(std::declval<state>(), index_t{1}));

  static std::vector<dtype> planes() { return monoid_states<M>::planes(); }
  static index_t cells(const void* parameters) { return length_of(parameters) + 1; }
  static kernel_parameters restored(std::string_view identity) {
    byte_reader bytes(identity);
    const auto length = bytes.take<index_t>();
    bytes.require_end();
    if (length < 1 || length > max_window) throw value_error("a window has a positive length");
    return window_parameters(length);
  }

  static void start(std::byte* const* planes, index_t size, const void* parameters) {
    const monoid_states<M> states(planes);
    for (index_t i = 0; i < size * cells(parameters); ++i) states.set(i, M::identity);
  }

  static void run_each(std::byte* const* planes, const scan_strip& strip) {
    const monoid_states<M> states(planes);
    const index_t length = length_of(strip.parameters);
    const index_t place = strip.taken % length;
    if (place == 0) begin_block(states, strip.size, strip.cell_stride, length);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    const index_t own = place * strip.cell_stride;
    const index_t beginning = length * strip.cell_stride;
    if (place + 1 == length) {
      for (index_t i = 0; i < strip.size; ++i) {
        const state now = M::take(states.get(beginning + i), in[i]);
        states.set(own + i, M::take(M::identity, in[i]));
        states.set(beginning + i, now);
        out[i] = finished_window<M>(now, length);
      }
      return;
    }
    const index_t end = own + strip.cell_stride;
    for (index_t i = 0; i < strip.size; ++i) {
      const state now = M::take(states.get(beginning + i), in[i]);
      states.set(own + i, M::take(M::identity, in[i]));
      states.set(beginning + i, now);
      out[i] = finished_window<M>(M::merge(states.get(end + i), now), length);
    }
  }

  static void run_along(std::byte* const* planes, const scan_strip& strip) {
    const monoid_states<M> states(planes);
    const index_t length = length_of(strip.parameters);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    index_t place = strip.taken % length;
    state now = states.get(length * strip.cell_stride);
    for (index_t i = 0; i < strip.size; ++i) {
      if (place == 0) {
        begin_block(states, 1, strip.cell_stride, length);
        now = M::identity;
      }
      now = M::take(now, in[i]);
      states.set(place * strip.cell_stride, M::take(M::identity, in[i]));
      ++place;
      const state window =
          place == length ? now : M::merge(states.get(place * strip.cell_stride), now);
      out[i] = finished_window<M>(window, length);
      if (place == length) place = 0;
    }
    states.set(length * strip.cell_stride, now);
  }

 private:
  static index_t length_of(const void* parameters) {
    return *static_cast<const index_t*>(parameters);
  }

  /// Makes of the elements of a block, which lie in the cells of `size` lines, its ends.
  static void begin_block(const monoid_states<M>& states, index_t size, index_t stride,
                          index_t length) {
    for (index_t k = length - 1; k-- > 0;) {
      for (index_t i = k * stride; i < k * stride + size; ++i) {
        states.set(i, M::merge(states.get(i), states.get(i + stride)));
      }
    }
    for (index_t i = 0; i < size; ++i) states.set(length * stride + i, M::identity);
  }
};

}  // namespace detail

/// Returns the kernel of rolling windows of elements of `X` by the monoid `M`.
template <class M, class X>
requires(monoid_of<M, X>) [[nodiscard]] const scan_kernel& rolling_by() {
  static_cast<void>(&detail::known_at_start<&rolling_by<M, X>>::is_known);
  static const std::string name = "rolling " + detail::fold_name(typeid(M).name(), {dtype_of<X>});
  constexpr std::string_view label = [] {
    if constexpr (requires { std::string_view(M::name); }) {
      return std::string_view(M::name);
    } else {
      return std::string_view("rolling");
    }
  }();
  return detail::known_scan<detail::rolling_scan<M, X>, X>(label, name);
}

}  // namespace tessera
