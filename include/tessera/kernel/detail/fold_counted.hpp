// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds whose states know how much they have taken, as some elements do not count, or as labels
/// say where an element goes.
///
/// Counts are float64, which is exact up to 2^53, as loops over one kind of number become vectors.

#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera::detail {

/// As `sum_fold`, with a plane of counts behind those of `Sum`.
template <class Op, class T, class Sum>
struct counted_sum_fold {
  using input = T;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static std::string name() { return counted_name<T, counting::all>(label); }

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
    for (index_t i = 0; i < strip.size; ++i) count[i] += 1;
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    Sum::take_all(planes, strip);
    *count_of(planes) += static_cast<double>(strip.size);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    Sum::take_at(planes, strip, at);
    double* const count = count_of(planes);
    for_each_at(strip, at, [&](index_t state, index_t) { count[state] += 1; });
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

/// As `sum_fold` of the elements that count, with a plane of how many do not: where all of a strip
/// do, which is soon seen, that plane rests.
template <class Op, class T, class Sum, counting How>
struct valid_sum_fold {
  using inputs = counted_inputs<T, How>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool needs_count = true;

  static std::string name() { return counted_name<T, How>(label); }

  static std::vector<dtype> planes() {
    std::vector<dtype> planes = Sum::planes();
    planes.push_back(dtype::float64);
    return planes;
  }

  static void start(std::byte* const* planes, index_t size, const void* parameters) {
    Sum::start(planes, size, parameters);
    std::fill_n(missing_of(planes), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    with_elements(elements, [&](const fold_strip& all) { Sum::take_each(planes, all); });
    if (elements.all_count()) return;
    double* __restrict const missing = missing_of(planes);
    for (index_t i = 0; i < strip.size; ++i) missing[i] += elements.counts(i) ? 0.0 : 1.0;
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    with_elements(elements, [&](const fold_strip& all) { Sum::take_all(planes, all); });
    if (elements.all_count()) return;
    *missing_of(planes) += static_cast<double>(strip.size) - elements.num_counted();
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size,
                    index_t taken, index_t other_taken, const void* parameters) {
    Sum::merge(planes, others, size, taken, other_taken, parameters);
    double* __restrict const missing = missing_of(planes);
    const double* __restrict const other = typed<double>(others[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) missing[i] += other[i];
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t taken, const void*) {
    const double* const missing = typed<double>(planes[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) {
      const double count = static_cast<double>(taken) - missing[i];
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(Sum::result(planes, i), count));
    }
  }

 private:
  /// Calls `f` with a strip that has zero for what does not count.
  template <class F>
  static void with_elements(const counted_strip<T, How>& elements, F f) {
    fold_strip all = elements.strip();
    const std::byte* in = elements.bytes();
    all.inputs = &in;
    if (elements.all_count()) {
      f(all);
      return;
    }
    std::array<T, max_strip> copy;
    for (index_t i = 0; i < all.size; ++i) copy[static_cast<std::size_t>(i)] = elements.value(i);
    in = static_cast<const std::byte*>(static_cast<const void*>(copy.data()));
    f(all);
  }

  static std::size_t num_of_sum() {
    static const std::size_t number = Sum::planes().size();
    return number;
  }
  static double* missing_of(std::byte* const* planes) {
    return typed<double>(planes[num_of_sum()]);
  }
};

/// As `moments_fold`, with a plane of counts behind the two others.
template <class Op, class T, counting How>
struct counted_moments_fold {
  using inputs = counted_inputs<T, How>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static std::string name() { return counted_name<T, How>(label); }
  static kernel_parameters restored(std::string_view identity) {
    return moments_fold<Op, T>::restored(identity);
  }

  static std::vector<dtype> planes() { return std::vector<dtype>(3, dtype::float64); }

  static void start(std::byte* const* planes, index_t size, const void*) {
    for (std::size_t p = 0; p < 3; ++p) std::fill_n(typed<double>(planes[p]), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    const states s(planes);
    const counted_strip<T, How> elements(strip);
    for (index_t i = 0; i < strip.size; ++i) {
      const auto count = static_cast<double>(static_cast<int>(elements.counts(i)));
      s.merge(i, count, static_cast<double>(elements.element(i)), 0.0);
    }
  }

  /// As `moments_fold` does.
  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    const double n = elements.num_counted();
    if (n == 0) return;
    const auto add = [](double& sum, double other) { sum += other; };
    const double mean =
        fold_lanes_at(
            strip.size, 0.0,
            [&](double& sum, index_t i) { sum += static_cast<double>(elements.value(i)); }, add) /
        n;
    const double squares = fold_lanes_at(
        strip.size, 0.0,
        [&](double& sum, index_t i) {
          const double distance =
              one_of(elements.counts(i), static_cast<double>(elements.element(i)) - mean, 0.0);
          sum += distance * distance;
        },
        add);
    states(planes).merge(0, n, mean, squares);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    const states s(planes);
    const counted_strip<T, How> elements(strip);
    for_each_at(strip, at, [&](index_t state, index_t i) {
      s.merge(state, elements.counts(i) ? 1.0 : 0.0, static_cast<double>(elements.value(i)), 0.0);
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
    const double* const mean = typed<double>(planes[0]);
    const double* const squares = typed<double>(planes[1]);
    const double* const count = typed<double>(planes[2]);
    for (index_t i = 0; i < size; ++i) {
      const double divisor = std::max(count[i] - correction, 0.0);
      typed<output>(outputs[0])[i] =
          static_cast<output>(Op::finish(squares_around(mean[i], squares[i]) / divisor));
    }
  }

 private:
  class states {
   public:
    explicit states(std::byte* const* planes)
        : mean_(typed<double>(planes[0])),
          squares_(typed<double>(planes[1])),
          count_(typed<double>(planes[2])) {}

    /// As `moments_merge`; what does not count has a `mean` of no meaning. Choices in place of
    /// branches, so that loops become vectors.
    void merge(index_t i, double count, double mean, double squares) const {
      const double all = count_[i] + count;
      const double weight = count / one_of(all == 0, 1.0, all);
      const double difference = one_of(count == 0, mean_[i], mean) - mean_[i];
      squares_[i] += squares + difference * difference * (count_[i] * weight);
      mean_[i] += difference * weight;
      count_[i] = all;
    }

   private:
    double* __restrict mean_;
    double* __restrict squares_;
    double* __restrict count_;
  };
};

}  // namespace tessera::detail
