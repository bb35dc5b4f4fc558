// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds whose states count their elements, as some elements do not count, or as labels tell the
/// group of an element.
///
/// Counts are float64, which is exact up to 2^53, as loops over one kind of number become vectors.

#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// As `sum_fold`, with a state field of counts behind those of `Sum`.
template <class Op, class T, class Sum>
struct counted_sum_fold {
  using input = T;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static std::string name() { return counted_name<T, counting::every_element>(label); }

  static std::vector<dtype> state_fields() {
    std::vector<dtype> state_fields = sum_states::state_fields();
    state_fields.push_back(dtype::float64);
    return state_fields;
  }

  static void start(std::byte* const* state_fields, index_t size, const void* parameters) {
    sum_states::start(state_fields, size, parameters);
    std::fill_n(count_of(state_fields), size, 0.0);
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    sum_states::take_each(state_fields, strip);
    double* __restrict const count = count_of(state_fields);
    for (index_t i = 0; i < strip.size; ++i) count[i] += 1;
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    sum_states::take_all(state_fields, strip);
    *count_of(state_fields) += static_cast<double>(strip.size);
  }

  static void take_at(std::byte* const* state_fields, const fold_strip& strip, const index_t* at) {
    sum_states::take_at(state_fields, strip, at);
    double* const count = count_of(state_fields);
    for_each_at(strip, at, [&](index_t state, index_t) { count[state] += 1; });
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t num_taken, index_t other_taken, const void* parameters) {
    sum_states::merge(state_fields, others, size, num_taken, other_taken, parameters);
    double* __restrict const count = count_of(state_fields);
    const double* __restrict const added = typed<double>(others[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) count[i] += added[i];
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t /*num_taken*/, const void*) {
    const monoid_states<Sum> sums(state_fields);
    const double* const count = typed<double>(state_fields[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) {
      typed<output>(outputs[0])[i] = sum_statistic<Op, T, Sum>::finish(sums.get(i), count[i]);
    }
  }

 private:
  using sum_states = fold_by_monoid<Sum, T>;
  static constexpr std::size_t num_of_sum() { return monoid_states<Sum>::elements::size; }
  static double* count_of(std::byte* const* state_fields) {
    return typed<double>(state_fields[num_of_sum()]);
  }
};

/// As `sum_fold` of the elements that count, with a state field for the number of elements that do
/// not. If all of a strip count, which is soon seen, that state field rests.
template <class Op, class T, class Sum, counting How>
struct valid_sum_fold {
  using inputs = counted_inputs<T, How>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool needs_count = true;

  static std::string name() { return counted_name<T, How>(label); }

  static std::vector<dtype> state_fields() {
    std::vector<dtype> state_fields = sum_states::state_fields();
    state_fields.push_back(dtype::float64);
    return state_fields;
  }

  static void start(std::byte* const* state_fields, index_t size, const void* parameters) {
    sum_states::start(state_fields, size, parameters);
    std::fill_n(missing_of(state_fields), size, 0.0);
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    with_elements(elements,
                  [&](const fold_strip& masked) { sum_states::take_each(state_fields, masked); });
    if (elements.all_count()) return;
    double* __restrict const missing = missing_of(state_fields);
    for (index_t i = 0; i < strip.size; ++i) missing[i] += elements.counts(i) ? 0.0 : 1.0;
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    with_elements(elements,
                  [&](const fold_strip& masked) { sum_states::take_all(state_fields, masked); });
    if (elements.all_count()) return;
    *missing_of(state_fields) += static_cast<double>(strip.size) - elements.num_counted();
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t num_taken, index_t other_taken, const void* parameters) {
    sum_states::merge(state_fields, others, size, num_taken, other_taken, parameters);
    double* __restrict const missing = missing_of(state_fields);
    const double* __restrict const added = typed<double>(others[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) missing[i] += added[i];
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t num_taken, const void*) {
    const monoid_states<Sum> sums(state_fields);
    const double* const missing = typed<double>(state_fields[num_of_sum()]);
    for (index_t i = 0; i < size; ++i) {
      const double count = static_cast<double>(num_taken) - missing[i];
      typed<output>(outputs[0])[i] = sum_statistic<Op, T, Sum>::finish(sums.get(i), count);
    }
  }

 private:
  /// Calls `f` with a strip that has zero for elements that do not count.
  template <class F>
  static void with_elements(const counted_strip<T, How>& elements, F f) {
    fold_strip strip = elements.strip();
    const std::byte* in = elements.bytes();
    strip.inputs = &in;
    if (elements.all_count()) {
      f(strip);
      return;
    }
    std::array<T, max_strip> copy;
    for (index_t i = 0; i < strip.size; ++i) copy[static_cast<std::size_t>(i)] = elements.value(i);
    in = static_cast<const std::byte*>(static_cast<const void*>(copy.data()));
    f(strip);
  }

  using sum_states = fold_by_monoid<Sum, T>;
  static constexpr std::size_t num_of_sum() { return monoid_states<Sum>::elements::size; }
  static double* missing_of(std::byte* const* state_fields) {
    return typed<double>(state_fields[num_of_sum()]);
  }
};

/// As `moments_fold`, with a state field of counts behind its state fields.
template <class Op, class T, counting How>
struct counted_moments_fold {
  using inputs = counted_inputs<T, How>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;

  static std::string name() { return counted_name<T, How>(label); }
  static kernel_parameters restored(std::string_view identity) {
    return moments_fold<Op, T>::restored(identity);
  }

  static std::vector<dtype> state_fields() {
    return std::vector<dtype>(num_state_fields, dtype::float64);
  }

  static void start(std::byte* const* state_fields, index_t size, const void*) {
    for (std::size_t p = 0; p < num_state_fields; ++p)
      std::fill_n(typed<double>(state_fields[p]), size, 0.0);
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    double* const count = typed<double>(state_fields[num_moments]);
    if constexpr (How == counting::masked) {
      update_moments(
          state_fields, strip.size,
          [](moments& state, double& n, bool counts, T x) { take_one(state, n, counts, x); }, count,
          typed<bool>(strip.inputs[0]), typed<T>(strip.inputs[1]));
    } else {
      update_moments(
          state_fields, strip.size,
          [](moments& state, double& n, T x) {
            take_one(state, n, How == counting::every_element || !is_nan(x), x);
          },
          count, typed<T>(strip.inputs[0]));
    }
    if constexpr (std::is_same_v<T, double>) {
      const counted_strip<T, How> elements(strip);
      mend_overflown_states(state_fields, strip.size, [&elements](index_t i) {
        return !elements.counts(i) || std::isfinite(elements.element(i));
      });
    }
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    const counted_strip<T, How> elements(strip);
    const double n = elements.num_counted();
    if (n == 0) return;
    const auto distance_of = [&elements](index_t i, double mean) {
      return one_of(elements.counts(i), static_cast<double>(elements.element(i)) - mean, 0.0);
    };
    const moments of_strip =
        moments_of_strip(strip.size, n, static_cast<double>(elements.value(0)), distance_of);
    update_moments(
        state_fields, 1,
        [&](moments& state, double& count) {
          state = moments_merge(count, n)(state, of_strip);
          count += n;
        },
        typed<double>(state_fields[num_moments]));
  }

  static void take_at(std::byte* const* state_fields, const fold_strip& strip, const index_t* at) {
    const counted_strip<T, How> elements(strip);
    double* const origin = typed<double>(state_fields[0]);
    double* const offset = typed<double>(state_fields[1]);
    double* const squares = typed<double>(state_fields[2]);
    double* const count = typed<double>(state_fields[num_moments]);
    for_each_at(strip, at, [&](index_t state, index_t i) {
      moments total{origin[state], offset[state], squares[state]};
      take_one(total, count[state], elements.counts(i), elements.element(i));
      if (!total.is_finite()) {
        const bool has_overflown = std::isfinite(total.origin) && std::isfinite(offset[state]) &&
                                   std::isfinite(static_cast<double>(elements.element(i)));
        total = has_overflown ? overflown_moments(total.origin) : undefined_moments;
      }
      origin[state] = total.origin;
      offset[state] = total.offset;
      squares[state] = total.squares;
    });
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t /*num_taken*/, index_t /*other_taken*/, const void*) {
    update_moments(
        state_fields, size,
        [](moments& state, double& count, double other_count, double origin, double offset,
           double squares) {
          state = moments_merge(count, other_count)(state, {origin, offset, squares});
          count += other_count;
        },
        typed<double>(state_fields[num_moments]), typed<double>(others[num_moments]),
        typed<double>(others[0]), typed<double>(others[1]), typed<double>(others[2]));
  }

  /// If NaN is left out, a divisor that is not positive gives NaN, as in numpy.nanvar.
  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t /*num_taken*/, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    constexpr double least =
        How == counting::numbers ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    const double* const count = typed<double>(state_fields[num_moments]);
    for (index_t i = 0; i < size; ++i) {
      const double divisor = count[i] > correction ? count[i] - correction : least;
      const double squares = squares_around_mean(moments_at(state_fields, i));
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(squares / divisor));
    }
  }

 private:
  static constexpr std::size_t num_state_fields = num_moments + 1;

  /// Takes `x` into the moments of `count` elements if it `counts`. Choices in place of branches,
  /// so that loops become vectors.
  static void take_one(moments& state, double& count, bool counts, T x) {
    const auto element = static_cast<double>(x);
    state.origin = one_of(and_without_branch(counts, count == 0), element, state.origin);
    const double distance = one_of(counts, state.distance_to(element), 0.0);
    count += static_cast<double>(static_cast<int>(counts));
    const double step = distance / one_of(count == 0, 1.0, count);
    state.squares += distance * (distance - step);
    state.offset += step;
  }
};

}  // namespace tessera::detail
