// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds by moments: a mean and a sum of squared distances from it, in float64.

#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_complex.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The mean of some elements and the sum of squares of their distances from it.
///
/// The mean is the sum of its `origin`, which is one of the elements, and an `offset`. A mean of
/// float64 alone is off by half its last digit, which may exceed the distances between elements.
/// The offset is at most the greatest distance, so its error is small against the sum of squares.
struct moments {
  double origin = 0;
  double offset = 0;
  double squares = 0;

  [[nodiscard]] double mean() const { return origin + offset; }
  [[nodiscard]] double distance_to(double x) const { return (x - origin) - offset; }
};

/// The merge of the moments of `n` and of `m` elements: with `d` the difference of their means,
/// `mean = mean_n + d m / (n + m)` and `squares = squares_n + squares_m + d^2 n m / (n + m)`.
struct moments_merge {
  double weight;      // m / (n + m)
  double cross_term;  // n m / (n + m)
  bool is_first;      // n = 0

  moments_merge(double n, double m)
      : weight(m / one_of(n + m == 0, 1.0, n + m)), cross_term(n * weight), is_first(n == 0) {}

  /// The mean of no elements is taken to be the other.
  [[nodiscard]] moments operator()(const moments& a, const moments& b) const {
    const double origin = one_of(is_first, b.origin, a.origin);
    const double offset = one_of(is_first, b.offset, a.offset);
    const double difference = (b.origin - origin) + (b.offset - offset);
    return {origin, offset + difference * weight,
            a.squares + b.squares + difference * difference * cross_term};
  }
};

/// The moments of `m` more elements `x` beside those of `n`, by the sums of the distances
/// `x - mean` and of their squares.
///
/// With `s` and `q` these sums, `mean = mean_n + s / (n + m)` and
/// `squares = squares_n + q - s^2 / (n + m)`. The difference is at least `q n / (n + m)`, so that
/// no more digits cancel than `n` is smaller than `n + m`.
struct moments_addition {
  double weight;  // 1 / (n + m)

  moments_addition(double n, double m) : weight(1 / (n + m)) {}

  [[nodiscard]] moments operator()(const moments& a, double sum, double sum_of_squares) const {
    const double step = sum * weight;
    return {a.origin, a.offset + step, a.squares + (sum_of_squares - sum * step)};
  }
};

/// The number of planes that moments lie in: origins, offsets, squares.
inline constexpr std::size_t num_moments = 3;

/// Returns the moments of state `i` in planes.
inline moments moments_at(const std::byte* const* planes, index_t i) {
  return {typed<double>(planes[0])[i], typed<double>(planes[1])[i], typed<double>(planes[2])[i]};
}

/// Calls `update(state, x[i]...)` for each of `size` states in planes. What the pointers lead to
/// does not overlap, of which this function tells the compiler, so that the loop becomes vectors.
template <class Update, class... X>
void update_moments(std::byte* const* planes, index_t size, Update update, X* __restrict... x) {
  double* __restrict const origin = typed<double>(planes[0]);
  double* __restrict const offset = typed<double>(planes[1]);
  double* __restrict const squares = typed<double>(planes[2]);
  for (index_t i = 0; i < size; ++i) {
    moments state{origin[i], offset[i], squares[i]};
    update(state, x[i]...);
    origin[i] = state.origin;
    offset[i] = state.offset;
    squares[i] = state.squares;
  }
}

/// Returns the moments of `count` elements, of which `distance_of(i, from)` gives the distance from
/// a number, or zero of those of `size` that do not count; `first` is an element near them.
///
/// Twice over the strip, which the first-level cache holds: a mean, then the distances from it.
template <class Distance>
moments moments_of_strip(index_t size, double count, double first, Distance distance_of) {
  const auto add = [](double& sum, double other) { sum += other; };
  const double sum = fold_lanes_at(
      size, 0.0, [&](double& all, index_t i) { all += distance_of(i, first); }, add);
  moments all{first, sum / count, 0};
  // The squares are of distances from the rounded mean, which is off by `error`.
  const double mean = all.mean();
  const double error = all.distance_to(mean);
  const double squares = fold_lanes_at(
      size, 0.0,
      [&](double& part, index_t i) {
        const double distance = distance_of(i, mean);
        part += distance * distance;
      },
      add);
  all.squares = squares - count * error * error;
  return all;
}

/// Returns the sum of squares of distances from the mean. NaN if the mean is not finite: nothing
/// has a distance from it. Infinity if the mean is finite and the squares overflow: their
/// difference is then NaN, or -infinity if a product is not rounded before it is subtracted.
inline double squares_around_mean(const moments& all) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double mean = all.mean();
  return (all.squares > -infinity ? all.squares : infinity) + (mean - mean);
}

/// A fold of `T` that gives `Op::finish` of the variance; its parameter is what is taken from the
/// number of elements.
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
    return {correction, std::string(identity)};
  }

  static std::vector<dtype> planes() { return std::vector<dtype>(num_moments, dtype::float64); }

  static void start(std::byte* const* planes, index_t size, const void*) {
    for (std::size_t p = 0; p < num_moments; ++p) {
      std::fill_n(typed<double>(planes[p]), size, 0.0);
    }
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    take_strips(planes, strip, typed<T>(strip.inputs[0]));
  }

  static void take_layers(std::byte* const* planes, const fold_strip& strip) {
    static_assert(layers_at_once == 4);
    take_strips(planes, strip, typed<T>(strip.inputs[0]), typed<T>(strip.inputs[1]),
                typed<T>(strip.inputs[2]), typed<T>(strip.inputs[3]));
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    if (strip.size == 0) return;
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    const auto size = static_cast<double>(strip.size);
    const moments of_strip =
        moments_of_strip(strip.size, size, static_cast<double>(x[0]),
                         [x](index_t i, double mean) { return static_cast<double>(x[i]) - mean; });
    const moments_merge merge_strip(static_cast<double>(strip.taken), size);
    update_moments(planes, 1, [&](moments& state) { state = merge_strip(state, of_strip); });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size,
                    index_t taken, index_t other_taken, const void*) {
    if (other_taken == 0) return;
    const moments_merge merge_states(static_cast<double>(taken), static_cast<double>(other_taken));
    update_moments(
        planes, size,
        [=](moments& state, double origin, double offset, double squares) {
          state = merge_states(state, {origin, offset, squares});
        },
        typed<double>(others[0]), typed<double>(others[1]), typed<double>(others[2]));
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t taken, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    const double divisor = std::max(static_cast<double>(taken) - correction, 0.0);
    for (index_t i = 0; i < size; ++i) {
      const double squares = squares_around_mean(moments_at(planes, i));
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(squares / divisor));
    }
  }

 private:
  /// Takes `x[i]...` into each state `i`, one after the other: the bits are those of each alone.
  template <class... X>
  static void take_strips(std::byte* const* planes, const fold_strip& strip, const X*... x) {
    auto taken = static_cast<double>(strip.taken);
    const std::array additions{(static_cast<void>(x), moments_addition(taken++, 1))...};
    if (strip.taken == 0) {
      update_moments(
          planes, strip.size,
          [additions](moments& state, T first, auto... others) {
            state = {static_cast<double>(first), 0, 0};
            std::size_t next = 1;
            (take(state, additions[next++], static_cast<double>(others)), ...);
          },
          x...);
    } else {
      update_moments(
          planes, strip.size,
          [additions](moments& state, auto... elements) {
            std::size_t next = 0;
            (take(state, additions[next++], static_cast<double>(elements)), ...);
          },
          x...);
    }
  }

  static void take(moments& state, const moments_addition& add, double element) {
    const double distance = state.distance_to(element);
    state = add(state, distance, distance * distance);
  }
};

}  // namespace tessera::detail
