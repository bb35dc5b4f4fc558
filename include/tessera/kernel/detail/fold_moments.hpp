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
/// A mean of float64 alone is off by half its last digit, which may be more than elements differ
/// by. So it is kept as a sum of two numbers, `mean + rest`, of which the first is the rounded sum.
struct moments {
  double mean = 0;
  double rest = 0;
  double squares = 0;

  /// Moves the mean by `step`, and keeps what rounding takes away.
  void move_mean(double step) {
    double error = 0;
    add_exactly(mean, error, step + rest);
    rest = error;
  }
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
    moments all{one_of(is_first, b.mean, a.mean), one_of(is_first, b.rest, a.rest), a.squares};
    const double difference = (b.mean - all.mean) + (b.rest - all.rest);
    all.squares += b.squares + difference * difference * cross_term;
    all.move_mean(difference * weight);
    return all;
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

  moments_addition(index_t n, index_t m) : weight(1 / static_cast<double>(n + m)) {}

  [[nodiscard]] moments operator()(moments all, double sum, double sum_of_squares) const {
    const double step = sum * weight;
    all.squares += sum_of_squares - sum * step;
    all.move_mean(step);
    return all;
  }
};

/// The number of planes that moments lie in: means, rests, squares.
inline constexpr std::size_t num_moments = 3;

/// Calls `update(state, x[i]...)` for each of `size` states in planes. What the pointers lead to
/// does not overlap, of which this function tells the compiler, so that the loop becomes vectors.
template <class Update, class... X>
void update_moments(std::byte* const* planes, index_t size, Update update, X* __restrict... x) {
  double* __restrict const mean = typed<double>(planes[0]);
  double* __restrict const rest = typed<double>(planes[1]);
  double* __restrict const squares = typed<double>(planes[2]);
  for (index_t i = 0; i < size; ++i) {
    moments state{mean[i], rest[i], squares[i]};
    update(state, x[i]...);
    mean[i] = state.mean;
    rest[i] = state.rest;
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
  moments all{first, 0, 0};
  all.move_mean(sum / count);
  const double squares = fold_lanes_at(
      size, 0.0,
      [&, mean = all.mean](double& part, index_t i) {
        const double distance = distance_of(i, mean);
        part += distance * distance;
      },
      add);
  all.squares = squares - count * all.rest * all.rest;
  return all;
}

/// Returns the sum of squares of distances from the mean: NaN where that is not finite, as nothing
/// has a distance from it, and infinity where it is finite and the squares are too great. Their
/// difference is then NaN, or -infinity where a product is not rounded before it is subtracted.
constexpr double squares_around(double mean, double squares) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (squares > -infinity ? squares : infinity) + (mean - mean);
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
        [=](moments& state, double mean, double rest, double squares) {
          state = merge_states(state, {mean, rest, squares});
        },
        typed<double>(others[0]), typed<double>(others[1]), typed<double>(others[2]));
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t taken, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    const double divisor = std::max(static_cast<double>(taken) - correction, 0.0);
    const double* const mean = typed<double>(planes[0]);
    const double* const squares = typed<double>(planes[2]);
    for (index_t i = 0; i < size; ++i) {
      typed<output>(outputs[0])[i] =
          static_cast<output>(Op::finish(squares_around(mean[i], squares[i]) / divisor));
    }
  }

 private:
  /// Takes `x[i]...` into each state `i`, one after the other: the bits are those of each alone.
  template <class... X>
  static void take_strips(std::byte* const* planes, const fold_strip& strip, const X*... x) {
    index_t taken = strip.taken;
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
    const double distance = (element - state.mean) - state.rest;
    state = add(state, distance, distance * distance);
  }
};

}  // namespace tessera::detail
