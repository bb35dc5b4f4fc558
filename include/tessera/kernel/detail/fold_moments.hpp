// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds by moments: a mean and a sum of squared distances from it, in float64.

#include "tessera/kernel/detail/fold_common.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// How states of `n` and `m` elements merge: with `d` the difference of their means,
/// `mean = mean_n + d m / (n + m)` and `squares = squares_n + squares_m + d^2 n m / (n + m)`.
struct moments_merge {
  double weight;      // m / (n + m)
  double cross_term;  // n m / (n + m)

  /// `n + m` must not be zero.
  moments_merge(index_t n, index_t m)
      : weight(static_cast<double>(m) / static_cast<double>(n + m)),
        cross_term(static_cast<double>(n) * weight) {}

  void operator()(double& mean, double& squares, double other_mean, double other_squares) const {
    const double difference = other_mean - mean;
    mean += difference * weight;
    squares += other_squares + difference * difference * cross_term;
  }
};

/// Returns `squares` of distances from `mean`; NaN where that is infinite, as nothing has a
/// distance from it.
constexpr double squares_around(double mean, double squares) { return squares + (mean - mean); }

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

  static std::vector<dtype> planes() { return {dtype::float64, dtype::float64}; }

  static void start(std::byte* const* planes, index_t size, const void*) {
    std::fill_n(typed<double>(planes[0]), size, 0.0);
    std::fill_n(typed<double>(planes[1]), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    double* __restrict const mean = typed<double>(planes[0]);
    double* __restrict const squares = typed<double>(planes[1]);
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    const moments_merge merge_one(strip.taken, 1);
    for (index_t i = 0; i < strip.size; ++i) {
      merge_one(mean[i], squares[i], static_cast<double>(x[i]), 0.0);
    }
  }

  static void take_layers(std::byte* const* planes, const fold_strip& strip) {
    double* __restrict const mean = typed<double>(planes[0]);
    double* __restrict const squares = typed<double>(planes[1]);
    static_assert(layers_at_once == 4);
    const index_t taken = strip.taken;
    const std::array<moments_merge, layers_at_once> merge_one{
        moments_merge(taken, 1), moments_merge(taken + 1, 1), moments_merge(taken + 2, 1),
        moments_merge(taken + 3, 1)};
    for_each_of_layers<T>(strip, [mean, squares, &merge_one](index_t i, auto... x) {
      double all_mean = mean[i];
      double all_squares = squares[i];
      std::size_t layer = 0;
      (merge_one[layer++](all_mean, all_squares, static_cast<double>(x), 0.0), ...);
      mean[i] = all_mean;
      squares[i] = all_squares;
    });
  }

  /// Twice over the strip, which the first-level cache holds: a mean, then squares around it.
  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    if (strip.size == 0) return;
    const auto add = [](double& sum, double other) { sum += other; };
    const auto n = static_cast<double>(strip.size);
    const double strip_mean = fold_lanes(
                                  typed<T>(strip.inputs[0]), strip.size, 0.0,
                                  [](double& sum, T x) { sum += static_cast<double>(x); }, add) /
                              n;
    const double strip_squares = fold_lanes(
        typed<T>(strip.inputs[0]), strip.size, 0.0,
        [strip_mean](double& sum, T x) {
          const double distance = static_cast<double>(x) - strip_mean;
          sum += distance * distance;
        },
        add);
    const moments_merge merge_strip(strip.taken, strip.size);
    merge_strip(*typed<double>(planes[0]), *typed<double>(planes[1]), strip_mean, strip_squares);
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size,
                    index_t taken, index_t other_taken, const void*) {
    if (other_taken == 0) return;
    double* __restrict const mean = typed<double>(planes[0]);
    double* __restrict const squares = typed<double>(planes[1]);
    const double* __restrict const other_mean = typed<double>(others[0]);
    const double* __restrict const other_squares = typed<double>(others[1]);
    const moments_merge merge_states(taken, other_taken);
    for (index_t i = 0; i < size; ++i) {
      merge_states(mean[i], squares[i], other_mean[i], other_squares[i]);
    }
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t taken, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    const double divisor = std::max(static_cast<double>(taken) - correction, 0.0);
    const double* const mean = typed<double>(planes[0]);
    const double* const squares = typed<double>(planes[1]);
    for (index_t i = 0; i < size; ++i) {
      typed<output>(outputs[0])[i] =
          static_cast<output>(Op::finish(squares_around(mean[i], squares[i]) / divisor));
    }
  }
};

}  // namespace tessera::detail
