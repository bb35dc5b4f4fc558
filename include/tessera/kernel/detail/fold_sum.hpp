// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds by sums.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/fold_complex.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A sum kept in one plane: wrapping integers, and float32 in float64, whose 29 more bits lose
/// nothing that the result could hold before 2^29 roundings have added up.
template <class T>
struct plain_sum {
  using lane = accumulator<T>;

  static std::vector<dtype> planes() { return {dtype_of<lane>}; }

  static void start(std::byte* const* planes, index_t size, const void*) {
    std::fill_n(typed<lane>(planes[0]), size, lane{});
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    lane* __restrict const sum = typed<lane>(planes[0]);
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    for (index_t i = 0; i < strip.size; ++i) add(sum[i], x[i]);
  }

  static void take_layers(std::byte* const* planes, const fold_strip& strip) {
    lane* __restrict const sum = typed<lane>(planes[0]);
    for_each_of_layers<T>(strip, [sum](index_t i, auto... x) {
      lane all = sum[i];
      (add(all, x), ...);
      sum[i] = all;
    });
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const lane strip_sum = fold_lanes(
        typed<T>(strip.inputs[0]), strip.size, lane{}, [](lane& sum, T x) { add(sum, x); },
        [](lane& sum, lane other) { add(sum, other); });
    add(*typed<lane>(planes[0]), strip_sum);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    lane* const sum = typed<lane>(planes[0]);
    for_each_at(strip, at, [&, x = typed<T>(strip.inputs[0])](index_t state, index_t i) {
      add(sum[state], x[i]);
    });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size, index_t,
                    index_t, const void*) {
    lane* __restrict const sum = typed<lane>(planes[0]);
    const lane* __restrict const other = typed<lane>(others[0]);
    for (index_t i = 0; i < size; ++i) add(sum[i], other[i]);
  }

  static lane result(const std::byte* const* planes, index_t i) {
    return typed<lane>(planes[0])[i];
  }

  template <class X>
  static void add(lane& sum, X x) {
    if constexpr (std::floating_point<lane>) {
      sum += static_cast<lane>(x);
    } else {
      sum = static_cast<lane>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(x));
    }
  }
};

/// A float64 sum kept in two planes, the sum and its error.
///
/// Within a strip that folds into one state, lanes and then pairs of lanes are added plainly, as a
/// pairwise sum of that length does: what compensation costs there is three times the sum itself.
template <class T>
struct compensated_sum {
  static std::vector<dtype> planes() { return {dtype::float64, dtype::float64}; }

  static void start(std::byte* const* planes, index_t size, const void*) {
    std::fill_n(typed<double>(planes[0]), size, 0.0);
    std::fill_n(typed<double>(planes[1]), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    double* __restrict const sum = typed<double>(planes[0]);
    double* __restrict const error = typed<double>(planes[1]);
    const T* __restrict const x = typed<T>(strip.inputs[0]);
    for (index_t i = 0; i < strip.size; ++i)
      add_exactly(sum[i], error[i], static_cast<double>(x[i]));
  }

  static void take_layers(std::byte* const* planes, const fold_strip& strip) {
    double* __restrict const sum = typed<double>(planes[0]);
    double* __restrict const error = typed<double>(planes[1]);
    for_each_of_layers<T>(strip, [sum, error](index_t i, auto... x) {
      double all = sum[i];
      double all_errors = error[i];
      (add_exactly(all, all_errors, static_cast<double>(x)), ...);
      sum[i] = all;
      error[i] = all_errors;
    });
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const auto add = [](double& sum, auto x) { sum += static_cast<double>(x); };
    const double strip_sum = fold_lanes(typed<T>(strip.inputs[0]), strip.size, 0.0, add, add);
    add_exactly(*typed<double>(planes[0]), *typed<double>(planes[1]), strip_sum);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    double* const sum = typed<double>(planes[0]);
    double* const error = typed<double>(planes[1]);
    for_each_at(strip, at, [&, x = typed<T>(strip.inputs[0])](index_t state, index_t i) {
      add_exactly(sum[state], error[state], static_cast<double>(x[i]));
    });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size, index_t,
                    index_t, const void*) {
    double* __restrict const sum = typed<double>(planes[0]);
    double* __restrict const error = typed<double>(planes[1]);
    const double* __restrict const other_sum = typed<double>(others[0]);
    const double* __restrict const other_error = typed<double>(others[1]);
    for (index_t i = 0; i < size; ++i) {
      add_exactly(sum[i], error[i], other_sum[i]);
      error[i] += other_error[i];
    }
  }

  static double result(const std::byte* const* planes, index_t i) {
    return compensated(typed<double>(planes[0])[i], typed<double>(planes[1])[i]);
  }
};

/// Take the products of two elements, float32 or float64, into a sum, `plain_sum` or
/// `compensated_sum`. The library has them compiled: were a multiplication fused with the addition
/// behind it, bits would depend on who else needs the product.
void take_each_product_of_floats(std::byte* const* planes, const fold_strip& strip);
void take_each_product_of_doubles(std::byte* const* planes, const fold_strip& strip);
void take_layers_of_products_of_floats(std::byte* const* planes, const fold_strip& strip);
void take_layers_of_products_of_doubles(std::byte* const* planes, const fold_strip& strip);

/// How `Sum` takes products, where it does: a `fused_take` of a kernel yet to be named.
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

/// A fold of `T` that gives `Op::finish` of the sum, which `Sum`, one of the above or
/// `complex_sum`, keeps, and the number of elements.
template <class Op, class T, class Sum>
struct sum_fold : Sum {
  using input = T;
  using output = typename Op::template result<T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool needs_count = Op::needs_count;

  static std::vector<fused_take> fused() {
    if constexpr (requires { Op::template products<T>(fused_take{}); }) {
      if (const auto takes = takes_of_products<Sum>()) return Op::template products<T>(*takes);
    }
    return {};
  }

  static void finish(const std::byte* const* planes, std::byte* const* outputs, index_t size,
                     index_t taken, const void*) {
    for (index_t i = 0; i < size; ++i) {
      typed<output>(outputs[0])[i] =
          static_cast<output>(Op::finish(Sum::result(planes, i), static_cast<double>(taken)));
    }
  }
};

}  // namespace tessera::detail
