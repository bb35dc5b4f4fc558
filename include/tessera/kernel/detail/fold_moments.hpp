// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds by moments: strips of elements go into state fields of moments.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/monoid_moments.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// Returns the parameters of a fold by moments: the number to subtract from the divisor.
[[nodiscard]] kernel_parameters correction_parameters(double correction);

/// The number of state fields that moments lie in: origins, offsets, squares.
inline constexpr std::size_t num_moments = 3;

/// Returns the moments of state `i` in state fields.
inline moments moments_at(const std::byte* const* state_fields, index_t i) {
  return {typed<double>(state_fields[0])[i], typed<double>(state_fields[1])[i],
          typed<double>(state_fields[2])[i]};
}

/// Calls `update(state, x[i]...)` for each of `size` states in state fields. The pointers' targets
/// do not overlap, of which this function tells the compiler, so that the loop becomes vectors.
template <class Update, class... X>
void update_moments(std::byte* const* state_fields, index_t size, Update update,
                    X* __restrict... x) {
  double* __restrict const origin = typed<double>(state_fields[0]);
  double* __restrict const offset = typed<double>(state_fields[1]);
  double* __restrict const squares = typed<double>(state_fields[2]);
  for (index_t i = 0; i < size; ++i) {
    moments state{origin[i], offset[i], squares[i]};
    update(state, x[i]...);
    origin[i] = state.origin;
    offset[i] = state.offset;
    squares[i] = state.squares;
  }
}

/// Tells whether an offset of `size` states is not finite.
inline bool has_infinite_offset(const double* offset, index_t size) {
  // Adding a unit to an exponent of ones, as of infinity and NaN, sets the sign.
  constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000;
  constexpr std::uint64_t unit = 0x0010'0000'0000'0000;
  std::uint64_t sums = 0;
  for (index_t i = 0; i < size; ++i) {
    sums |= (std::bit_cast<std::uint64_t>(offset[i]) & exponent) + unit;
  }
  return sums >> 63 != 0;
}

/// Mends the states whose distances overflowed as a strip was taken; `is_finite_at(i)` tells
/// whether the elements of the strip that went into state `i` are finite.
///
/// Invariant: before the strip, an offset is finite, or the origin is not a number.
template <class IsFinite>
void mend_overflown_states(std::byte* const* state_fields, index_t size, IsFinite is_finite_at) {
  double* const origin = typed<double>(state_fields[0]);
  double* const offset = typed<double>(state_fields[1]);
  double* const squares = typed<double>(state_fields[2]);
  if (!has_infinite_offset(offset, size)) return;
  for (index_t i = 0; i < size; ++i) {
    if (std::isfinite(offset[i])) continue;
    const bool has_overflown = std::isfinite(origin[i]) && is_finite_at(i);
    const moments mended = has_overflown ? overflown_moments(origin[i]) : undefined_moments;
    origin[i] = mended.origin;
    offset[i] = mended.offset;
    squares[i] = mended.squares;
  }
}

/// Returns the moments of `count` elements, of which `distance_of(i, from)` gives the distance from
/// a number, or zero of those of `size` that do not count; `first` is an element near them.
///
/// Twice over the strip, which the first-level cache holds: a mean, then the distances from it.
template <class Distance>
moments moments_of_strip(index_t size, double count, double first, Distance distance_of) {
  const auto add = [](double& sum, double added) { sum += added; };
  const double sum = fold_lanes_at(
      size, 0.0, [&](double& part, index_t i) { part += distance_of(i, first); }, add);
  moments total{first, sum / count, 0};
  if (!total.is_finite()) {
    for (index_t i = 0; i < size; ++i) {
      if (!std::isfinite(distance_of(i, 0.0))) return undefined_moments;
    }
    return overflown_moments(first);
  }
  // The squares are of distances from the rounded mean, which is off by `error`.
  const double mean = total.mean();
  const double error = total.distance_to(mean);
  const double squares = fold_lanes_at(
      size, 0.0,
      [&](double& part, index_t i) {
        const double distance = distance_of(i, mean);
        part += distance * distance;
      },
      add);
  total.squares = squares - count * error * error;
  return total;
}

/// A fold of `T` that gives `Op::finish` of the variance; its parameter is the correction, which is
/// subtracted from the number of elements.
template <class Op, class T>
struct moments_fold {
  using input = T;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool needs_count = true;

  static kernel_parameters restored(std::string_view identity) {
    byte_reader bytes(identity);
    const auto correction = bytes.take<double>();
    bytes.require_end();
    return correction_parameters(correction);
  }

  static std::vector<dtype> state_fields() {
    return std::vector<dtype>(num_moments, dtype::float64);
  }

  static void start(std::byte* const* state_fields, index_t size, const void*) {
    for (std::size_t p = 0; p < num_moments; ++p) {
      std::fill_n(typed<double>(state_fields[p]), size, 0.0);
    }
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    take_strips(state_fields, strip, typed<T>(strip.inputs[0]));
  }

  static void take_layers(std::byte* const* state_fields, const fold_strip& strip) {
    static_assert(layers_at_once == 4);
    take_strips(state_fields, strip, typed<T>(strip.inputs[0]), typed<T>(strip.inputs[1]),
                typed<T>(strip.inputs[2]), typed<T>(strip.inputs[3]));
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    if (strip.size == 0) return;
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    const auto size = static_cast<double>(strip.size);
    const moments of_strip =
        moments_of_strip(strip.size, size, static_cast<double>(x[0]),
                         [x](index_t i, double mean) { return static_cast<double>(x[i]) - mean; });
    const moments_merge merge_strip(static_cast<double>(strip.num_taken), size);
    update_moments(state_fields, 1, [&](moments& state) { state = merge_strip(state, of_strip); });
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t num_taken, index_t other_taken, const void*) {
    if (other_taken == 0) return;
    const moments_merge merge_states(static_cast<double>(num_taken),
                                     static_cast<double>(other_taken));
    update_moments(
        state_fields, size,
        [=](moments& state, double origin, double offset, double squares) {
          state = merge_states(state, {origin, offset, squares});
        },
        typed<double>(others[0]), typed<double>(others[1]), typed<double>(others[2]));
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t num_taken, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    const double divisor = std::max(static_cast<double>(num_taken) - correction, 0.0);
    for (index_t i = 0; i < size; ++i) {
      const double squares = squares_around_mean(moments_at(state_fields, i));
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(squares / divisor));
    }
  }

 private:
  /// Takes `x[i]...` into each state `i`, one after the other: the bits are those of each alone.
  template <class... X>
  static void take_strips(std::byte* const* state_fields, const fold_strip& strip, const X*... x) {
    auto num_taken = static_cast<double>(strip.num_taken);
    const std::array additions{(static_cast<void>(x), moments_addition(num_taken++, 1))...};
    if (strip.num_taken == 0) {
      update_moments(
          state_fields, strip.size,
          [additions](moments& state, T first, auto... others) {
            state = {static_cast<double>(first), 0, 0};
            std::size_t next = 1;
            (take(state, additions[next++], static_cast<double>(others)), ...);
          },
          x...);
    } else {
      update_moments(
          state_fields, strip.size,
          [additions](moments& state, auto... elements) {
            std::size_t next = 0;
            (take(state, additions[next++], static_cast<double>(elements)), ...);
          },
          x...);
    }
    // Distances of narrower types do not overflow.
    if constexpr (std::is_same_v<T, double>) {
      mend_overflown_states(state_fields, strip.size,
                            [=](index_t i) { return (std::isfinite(x[i]) && ...); });
    }
  }

  static void take(moments& state, const moments_addition& add, double element) {
    state = add(state, element);
  }
};

}  // namespace tessera::detail
