// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Variances of complex numbers.
///
/// The mean of `|x - mean(x)|^2` is the sum of the variances of the two parts. So a strip is split
/// into its real and its imaginary parts, which the folds of real numbers take, each into moments
/// of its own, and are as accurate as these.

#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_counted.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// As `moments_fold<Op, T>` of complex `T`, or as `counted_moments_fold<Op, T, How>`.
template <class Op, class T, bool IsCounted, counting How = counting::every_element>
struct complex_moments_fold {
  using inputs = counted_inputs<T, How>;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool needs_count = !IsCounted;

  static std::string name() {
    return IsCounted ? counted_name<T, How>(label)
                     : fold_name(label, elements_of<inputs>::dtypes());
  }
  static kernel_parameters restored(std::string_view identity) {
    return part_fold::restored(identity);
  }

  static std::vector<dtype> state_fields() {
    return std::vector<dtype>(2 * num_part_fields, dtype::float64);
  }
  static void start(std::byte* const* state_fields, index_t size, const void* parameters) {
    part_fold::start(state_fields, size, parameters);
    part_fold::start(state_fields + num_part_fields, size, parameters);
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    take_parts(state_fields, strip, &part_fold::take_each);
  }
  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    take_parts(state_fields, strip, &part_fold::take_all);
  }
  static void take_at(std::byte* const* state_fields, const fold_strip& strip, const index_t* at) {
    take_parts(state_fields, strip, [at](std::byte* const* of_part, const fold_strip& part) {
      part_fold::take_at(of_part, part, at);
    });
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t num_taken, index_t other_taken, const void* parameters) {
    for (const std::size_t first : {std::size_t{0}, num_part_fields}) {
      part_fold::merge(state_fields + first, others + first, size, num_taken, other_taken,
                       parameters);
    }
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t num_taken, const void* parameters) {
    const double correction = parameters == nullptr ? 0.0 : *static_cast<const double*>(parameters);
    constexpr double least =
        How == counting::numbers ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    for (index_t i = 0; i < size; ++i) {
      const double count =
          IsCounted ? typed<double>(state_fields[num_moments])[i] : static_cast<double>(num_taken);
      const double divisor = count > correction ? count - correction : least;
      const double squares =
          squares_of(state_fields, i) + squares_of(state_fields + num_part_fields, i);
      typed<output>(outputs[0])[i] = static_cast<output>(Op::finish(squares / divisor));
    }
  }

 private:
  using part = real_t<T>;
  /// A mask says which parts count, as those of one element do so together.
  static constexpr counting part_counting =
      How == counting::every_element ? counting::every_element : counting::masked;
  using part_fold = std::conditional_t<IsCounted, counted_moments_fold<Op, part, part_counting>,
                                       moments_fold<Op, part>>;
  static constexpr std::size_t num_part_fields = num_moments + (IsCounted ? 1 : 0);

  static double squares_of(const std::byte* const* state_fields, index_t i) {
    return squares_around_mean(moments_at(state_fields, i));
  }

  /// Calls `take` with the state fields and the strip of the real parts, then of the imaginary
  /// ones.
  template <class Take>
  static void take_parts(std::byte* const* state_fields, const fold_strip& strip, Take take) {
    const counted_strip<T, How> elements(strip);
    std::array<bool, max_strip> counts;
    std::array<part, max_strip> parts;
    const auto bytes_of_array = [](const auto& array) {
      return static_cast<const std::byte*>(static_cast<const void*>(array.data()));
    };
    const std::array masked{bytes_of_array(counts), bytes_of_array(parts)};
    fold_strip of_part = strip;
    of_part.inputs = part_counting == counting::masked ? masked.data() : &masked[1];
    if constexpr (part_counting == counting::masked) {
      for (index_t i = 0; i < strip.size; ++i)
        counts[static_cast<std::size_t>(i)] = elements.counts(i);
    }
    for (const bool is_real : {true, false}) {
      for (index_t i = 0; i < strip.size; ++i) {
        const T x = elements.element(i);
        parts[static_cast<std::size_t>(i)] = is_real ? x.real() : x.imag();
      }
      take(is_real ? state_fields : state_fields + num_part_fields, of_part);
    }
  }
};

}  // namespace tessera::detail
