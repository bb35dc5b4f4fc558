// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The monoids of sums: plain, compensated and complex.
///
/// Folds, scans, windows and groups take sums by these. The building block of the latter two is
/// `add_exactly`: a sum and its rounding error are two numbers, `sum + error`, so that the sum of
/// many elements is as exact as the sum of two.

#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/monoid.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera::detail {

/// Adds `x` to `sum` and the rounding error of that to `error`, exactly.
///
/// Source: Knuth's TwoSum, "The Art of Computer Programming" volume 2, 4.2.2; no branch, unlike
/// Neumaier's variant, so that it vectorises.
inline void add_exactly(double& sum, double& error, double x) {
  const double next = sum + x;
  const double added = next - sum;
  error += (sum - (next - added)) + (x - added);
  sum = next;
}

/// Adds `x` to `sum` as `add_exactly`. The rounding of a sum that is not finite is no number and
/// does not count; `error` may hold elements, which stay.
inline void add_compensated(double& sum, double& error, double x) {
  double rounding = 0;
  add_exactly(sum, rounding, x);
  error += std::fabs(sum) <= std::numeric_limits<double>::max() ? rounding : 0.0;
}

/// Adds `error`, the plain sum of a group, to `sum`, and leaves the error of this addition.
inline void add_group(double& sum, double& error) {
  const double group = error;
  error = 0;
  add_compensated(sum, error, group);
}

/// The elements that a sum adds plainly, one after the other, before it compensates. NumPy's
/// pairwise sum begins with as many in a row: blocks of 128 elements in 8 lanes.
inline constexpr index_t plain_additions = 16;
static_assert(plain_additions % layers_at_once == 0);

/// Tells whether the last of `num_strips` strips, the first of which is `strip`, ends a group of
/// `plain_additions` strips of their states.
///
/// A sum of float64 adds the strips of a group plainly to the error of its state, then the error to
/// the sum exactly. Groups are counted from the first element of a state, so that bits do not
/// depend on the blocks that the elements come in. States that labels choose have no groups.
inline bool ends_group(const fold_strip& strip, std::size_t num_strips = 1) {
  return (strip.num_taken + static_cast<index_t>(num_strips)) % plain_additions == 0;
}

/// The elements that a sum adds plainly if they go into one state.
inline constexpr index_t plain_elements = plain_additions * num_lanes;

/// Adds a sum of which `added_error` is the error, as `add_exactly`.
inline void merge_exactly(double& sum, double& error, double added, double added_error) {
  add_exactly(sum, error, added);
  error += added_error;
}

/// The value of a compensated sum; the error of an infinite one is NaN and does not count.
inline double compensated(double sum, double error) {
  return std::fabs(sum) <= std::numeric_limits<double>::max() ? sum + error : sum;
}

/// A sum in one number: wrapping integers, complex numbers, and float32 in float64, whose 29 more
/// bits lose nothing that the result could hold before 2^29 roundings have added up.
template <class T>
struct plain_sum {
  using state = accumulator<T>;
  static constexpr bool commutes = true;
  static constexpr state identity{};

  static constexpr T neutral() { return T(0); }
  static state take(state sum, T x) { return plus(sum, static_cast<state>(x)); }
  static state merge(state a, state b) { return plus(a, b); }
  static state value(state sum) { return sum; }
};

/// A float64 sum in two numbers, the sum and its error.
///
/// Compensation of each element takes three times as long as the sum itself. So strips are added
/// plainly in short groups, and compensated between groups. If a strip folds into one state,
/// `plain_elements` of it are a group, added in lanes and then in pairs of lanes. If a strip folds
/// each element into its own state, `plain_additions` strips are a group (`ends_group`).
/// A group loses a few roundings of its own partial sums. A pairwise sum loses more with each
/// doubling of the number of elements; this one does not.
template <class T>
struct compensated_sum {
  using state = std::tuple<double, double>;
  static constexpr bool commutes = true;
  static constexpr state identity{0.0, 0.0};

  static state take(const state& s, T x) {
    auto [sum, error] = s;
    add_compensated(sum, error, static_cast<double>(x));
    return {sum, error};
  }
  /// Ends the groups of both states first. So a state that was merged into an identity gives the
  /// bits that it gives itself.
  static state merge(const state& a, const state& b) {
    auto [sum, error] = a;
    auto [added, added_error] = b;
    add_group(added, added_error);
    add_group(sum, error);
    add_compensated(sum, error, added);
    error += added_error;
    add_group(sum, error);
    return {sum, error};
  }
  static double value(const state& s) {
    auto [sum, error] = s;
    add_group(sum, error);
    return sum + error;
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    double* __restrict const sum = typed<double>(state_fields[0]);
    double* __restrict const error = typed<double>(state_fields[1]);
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    if (strip.num_taken == unknown_count) {
      for (index_t i = 0; i < strip.size; ++i) {
        add_compensated(sum[i], error[i], static_cast<double>(x[i]));
      }
      return;
    }
    for (index_t i = 0; i < strip.size; ++i) error[i] += static_cast<double>(x[i]);
    if (!ends_group(strip)) return;
    for (index_t i = 0; i < strip.size; ++i) add_group(sum[i], error[i]);
  }

  static void take_layers(std::byte* const* state_fields, const fold_strip& strip) {
    double* __restrict const error = typed<double>(state_fields[1]);
    if (!ends_group(strip, layers_at_once)) {
      for_each_of_layers<T>(strip, [error](index_t i, auto... x) {
        double group = error[i];
        ((group += static_cast<double>(x)), ...);
        error[i] = group;
      });
      return;
    }
    double* __restrict const sum = typed<double>(state_fields[0]);
    for_each_of_layers<T>(strip, [sum, error](index_t i, auto... x) {
      double group = error[i];
      ((group += static_cast<double>(x)), ...);
      double total = sum[i];
      add_group(total, group);
      sum[i] = total;
      error[i] = group;
    });
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    const auto add = [](double& sum, auto x) { sum += static_cast<double>(x); };
    const T* const x = typed<T>(strip.inputs[0]);
    for (index_t first = 0; first < strip.size; first += plain_elements) {
      const index_t size = std::min(plain_elements, strip.size - first);
      add_compensated(*typed<double>(state_fields[0]), *typed<double>(state_fields[1]),
                      fold_lanes(x + first, size, 0.0, add, add));
    }
  }
};

/// As `compensated_sum`, but each element is compensated and no error holds a group, which halves
/// the time of a merge. Elements are finite, as integers are.
template <class T>
struct ungrouped_sum {
  using state = std::tuple<double, double>;
  static constexpr bool commutes = true;
  static constexpr state identity{0.0, 0.0};

  static state take(const state& s, T x) { return merge(s, {static_cast<double>(x), 0.0}); }
  static state merge(const state& a, const state& b) {
    auto [sum, error] = a;
    merge_exactly(sum, error, std::get<0>(b), std::get<1>(b));
    return {sum, error};
  }
  static double value(const state& s) { return compensated(std::get<0>(s), std::get<1>(s)); }
};

/// A complex sum in four numbers: the sums of both parts, and their errors.
template <class T>
struct complex_sum {
  using state = std::tuple<double, double, double, double>;
  static constexpr bool commutes = true;
  static constexpr state identity{0.0, 0.0, 0.0, 0.0};

  static state take(const state& s, const T& z) {
    return merge(s, {static_cast<double>(z.real()), static_cast<double>(z.imag()), 0.0, 0.0});
  }
  static state merge(const state& a, const state& b) {
    auto [real, imag, real_error, imag_error] = a;
    merge_exactly(real, real_error, std::get<0>(b), std::get<2>(b));
    merge_exactly(imag, imag_error, std::get<1>(b), std::get<3>(b));
    return {real, imag, real_error, imag_error};
  }
  static complex128 value(const state& s) {
    const auto& [real, imag, real_error, imag_error] = s;
    return {compensated(real, real_error), compensated(imag, imag_error)};
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    using parts = std::array<double, 2>;
    const monoid_states<complex_sum> states(state_fields);
    const T* const x = typed<T>(strip.inputs[0]);
    for (index_t first = 0; first < strip.size; first += plain_elements) {
      const index_t size = std::min(plain_elements, strip.size - first);
      const parts group = fold_lanes(
          x + first, size, parts{},
          [](parts& sum, const T& z) {
            sum[0] += static_cast<double>(z.real());
            sum[1] += static_cast<double>(z.imag());
          },
          [](parts& sum, const parts& lane) {
            for (std::size_t p = 0; p < 2; ++p) sum[p] += lane[p];
          });
      states.set(0, merge(states.get(0), {group[0], group[1], 0.0, 0.0}));
    }
  }
};

/// Take the products of two elements, float32 or float64, into a sum, `plain_sum` or
/// `compensated_sum`. The library has them compiled: were a multiplication fused with the addition
/// behind it, bits would depend on who else needs the product.
void take_each_product_of_floats(std::byte* const* state_fields, const fold_strip& strip);
void take_each_product_of_doubles(std::byte* const* state_fields, const fold_strip& strip);
void take_layers_of_products_of_floats(std::byte* const* state_fields, const fold_strip& strip);
void take_layers_of_products_of_doubles(std::byte* const* state_fields, const fold_strip& strip);

/// Returns `takes`, which takes two elements, for the kernel `product` of two operands and the
/// kernel `square` of one.
[[nodiscard]] std::vector<fused_take> takes_of_kernels(const fused_take& takes,
                                                       std::string_view product,
                                                       std::string_view square);

/// How `Sum` takes products, if it can: a `fused_take` of a kernel yet to be named.
template <class Sum>
std::optional<fused_take> takes_of_products() {
  return std::nullopt;
}
template <>
inline std::optional<fused_take> takes_of_products<plain_sum<float>>() {
  return fused_take{{}, {}, &take_each_product_of_floats, &take_layers_of_products_of_floats};
}
template <>
inline std::optional<fused_take> takes_of_products<compensated_sum<double>>() {
  return fused_take{{}, {}, &take_each_product_of_doubles, &take_layers_of_products_of_doubles};
}

/// The statistic `Op` of a sum of elements of `T`, which the monoid `Sum` takes: `Op::finish` of
/// the sum and the number of elements.
template <class Op, class T, class Sum>
struct sum_statistic : Sum {
  static constexpr std::string_view name = Op::name;
  using result = typename Op::template result<T>;

  static result finish(const typename Sum::state& s) requires(!Op::needs_count) {
    return static_cast<result>(Op::finish(Sum::value(s), 0.0));
  }
  static result finish(const typename Sum::state& s, double count) requires(Op::needs_count) {
    return static_cast<result>(Op::finish(Sum::value(s), count));
  }

  static std::vector<fused_take> fused() {
    if constexpr (requires { Op::template products<T>(fused_take{}); }) {
      if (const auto takes = takes_of_products<Sum>()) return Op::template products<T>(*takes);
    }
    return {};
  }
};

/// The fold of the statistic `Op` of a sum.
template <class Op, class T, class Sum>
using sum_fold = statistic_fold<sum_statistic<Op, T, Sum>, T>;

}  // namespace tessera::detail
