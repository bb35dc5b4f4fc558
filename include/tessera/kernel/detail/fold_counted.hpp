// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds whose states count what they have taken, as some elements do not count, or as labels say
/// where an element goes.
///
/// Where `IsMasked`, a second input says which elements count; what does not is zero in the first.
/// Counts are float64, which is exact up to 2^53, as loops over one kind of number become vectors.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera::detail {

template <class T, bool IsMasked>
using counted_inputs = std::conditional_t<IsMasked, std::tuple<T, bool>, std::tuple<T>>;

/// Tells whether element `i` of a strip counts, as a number.
template <bool IsMasked>
double counts(const fold_strip& strip, index_t i) {
  if constexpr (IsMasked) {
    return typed<bool>(strip.inputs[1])[i] ? 1.0 : 0.0;
  } else {
    return 1.0;
  }
}

/// Returns how many elements of a strip count.
template <bool IsMasked>
double num_counted(const fold_strip& strip) {
  if constexpr (IsMasked) {
    const auto add = [](double& sum, double x) { sum += x; };
    return fold_lanes(
        typed<bool>(strip.inputs[1]), strip.size, 0.0,
        [](double& sum, bool x) { sum += x ? 1.0 : 0.0; }, add);
  } else {
    return static_cast<double>(strip.size);
  }
}

/// As `sum_fold`, with a plane of counts behind those of `Sum`.
template <class Op, class T, class Sum, bool IsMasked>
struct counted_sum_fold {
  using inputs = counted_inputs<T, IsMasked>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static std::vector<dtype> planes() {
    std::vector<dtype> planes = Sum::planes();
    planes.push_back(dtype::float64);
    return planes;
  }

  static void start(std::byte* const* planes, index_t size, const void* parameters) {
    Sum::start(planes, size, parameters);
    std::fill_n(count_of(planes), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    Sum::take_each(planes, strip);
    double* __restrict const count = count_of(planes);
    for (index_t i = 0; i < strip.size; ++i) count[i] += counts<IsMasked>(strip, i);
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    Sum::take_all(planes, strip);
    *count_of(planes) += num_counted<IsMasked>(strip);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    Sum::take_at(planes, strip, at);
    double* const count = count_of(planes);
    for_each_at(strip, at,
                [&](index_t state, index_t i) { count[state] += counts<IsMasked>(strip, i); });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size,
                    index_t taken, index_t other_taken, const void* parameters) {
    Sum::merge(planes, others, size, taken, other_taken, parameters);
    double* __restrict const count = count_of(planes);
    const double* __restrict const other = typed<double>(others[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) count[i] += other[i];
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t /*taken*/, const void*) {
    const double* const count = typed<double>(planes[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) {
      typed<output>(outputs[0])[i] =
          static_cast<output>(Op::finish(Sum::result(planes, i), count[i]));
    }
  }

 private:
  static std::size_t num_of_sum() {
    static const std::size_t number = Sum::planes().size();
    return number;
  }
  static double* count_of(std::byte* const* planes) { return typed<double>(planes[num_of_sum()]); }
};

/// As `moments_fold`, with a plane of counts behind the two others.
template <class Op, class T, bool IsMasked>
struct counted_moments_fold {
  using inputs = counted_inputs<T, IsMasked>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static kernel_parameters restored(std::string_view identity) {
    return moments_fold<Op, T>::restored(identity);
  }

  static std::vector<dtype> planes() { return std::vector<dtype>(3, dtype::float64); }

  static void start(std::byte* const* planes, index_t size, const void*) {
    for (std::size_t p = 0; p < 3; ++p) std::fill_n(typed<double>(planes[p]), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    const states s(planes);
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    for (index_t i = 0; i < strip.size; ++i) {
      s.merge(i, counts<IsMasked>(strip, i), static_cast<double>(x[i]), 0.0);
    }
  }

  /// As `moments_fold` does.
  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const double n = num_counted<IsMasked>(strip);
    if (n == 0) return;
    const auto add = [](double& sum, double other) { sum += other; };
    const T* const x = typed<T>(strip.inputs[0]);
    const double strip_mean =
        fold_lanes(
            x, strip.size, 0.0, [](double& sum, T value) { sum += static_cast<double>(value); },
            add) /
        n;
    states(planes).merge(0, n, strip_mean, squares_around(strip, strip_mean));
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    const states s(planes);
    const T* const x = typed<T>(strip.inputs[0]);
    for_each_at(strip, at, [&](index_t state, index_t i) {
      s.merge(state, counts<IsMasked>(strip, i), static_cast<double>(x[i]), 0.0);
    });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size,
                    index_t /*taken*/, index_t /*other_taken*/, const void*) {
    const states s(planes);
    const double* __restrict const mean = typed<double>(others[0]);
    const double* __restrict const squares = typed<double>(others[1]);
    const double* __restrict const count = typed<double>(others[2]);
    for (index_t i = 0; i < size; ++i) s.merge(i, count[i], mean[i], squares[i]);
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t /*taken*/, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    const double* const squares = typed<double>(planes[1]);
    const double* const count = typed<double>(planes[2]);
    for (index_t i = 0; i < size; ++i) {
      const double divisor = std::max(count[i] - correction, 0.0);
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(squares[i] / divisor));
    }
  }

 private:
  class states {
   public:
    explicit states(std::byte* const* planes)
        : mean_(typed<double>(planes[0])),
          squares_(typed<double>(planes[1])),
          count_(typed<double>(planes[2])) {}

    /// As `moments_merge`; a choice in place of a branch, so that loops become vectors.
    void merge(index_t i, double count, double mean, double squares) const {
      const double all = count_[i] + count;
      const double weight = count == 0 ? 0.0 : count / all;
      const double difference = count == 0 ? 0.0 : mean - mean_[i];
      squares_[i] += squares + difference * difference * (count_[i] * weight);
      mean_[i] += difference * weight;
      count_[i] = all;
    }

   private:
    double* __restrict mean_;
    double* __restrict squares_;
    double* __restrict count_;
  };

  /// What does not count is zero in the strip, and as far as that from the mean.
  static double squares_around(const fold_strip& strip, double mean) {
    const T* const x = typed<T>(strip.inputs[0]);
    return fold_lanes_at(
        strip.size, 0.0,
        [&](double& sum, index_t i) {
          const double distance =
              counts<IsMasked>(strip, i) != 0 ? static_cast<double>(x[i]) - mean : 0.0;
          sum += distance * distance;
        },
        [](double& sum, double other) { sum += other; });
  }
};

}  // namespace tessera::detail
