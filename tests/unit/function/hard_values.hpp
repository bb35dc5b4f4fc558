// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values that are hard on functions: zeros of both signs, the least and the greatest numbers,
/// infinities, NaN, integers beyond 2^53, one element and no element. Programs print results of
/// each function for them in chunks of one, of two and of all, for hard_values.py to compare with
/// NumPy.

#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/meta/promotion.hpp"

#include "unit/function/print_arrays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tessera::testing {

template <class T>
std::vector<std::vector<T>> hard_values() {
  using limits = std::numeric_limits<T>;
  const T zero{0};
  const T unit{1};
  if constexpr (floating_element<T>) {
    const T least = limits::denorm_min();
    const T infinity = limits::infinity();
    const T nan = limits::quiet_NaN();
    // Its square is beyond the greatest number, its distance from other values is not.
    const T great = limits::max() / 4;
    return {{zero, -zero, least, -least, limits::min()},
            {great, unit, -unit},
            {-great, great},
            {limits::max()},
            {infinity, unit, limits::max()},
            {infinity, -infinity, unit},
            {unit, -infinity, nan, infinity, zero},
            {nan, nan, unit},
            {nan},
            {unit},
            {}};
  } else {
    const auto odd = static_cast<T>(sizeof(T) == 8 ? (std::int64_t{1} << 53) + 1 : 101);
    return {{limits::min(), limits::max(), zero, odd, unit},
            {limits::max(), unit, odd},
            {static_cast<T>(zero - unit), odd},
            {unit},
            {}};
  }
}

/// Prints elements, lazy or computed, which `python` is to give in each bit.
template <class X>
void same(const std::string& python, const X& x) {
  if constexpr (array_expression<X>) {
    print_array("same", python, x.compute());
  } else {
    print_array("same", python, x);
  }
}

/// Prints elements, lazy or computed, which `python` is to give to within some roundings.
template <class X>
void near(const std::string& python, const X& x) {
  if constexpr (array_expression<X>) {
    print_array("near", python, x.compute());
  } else {
    print_array("near", python, x);
  }
}

template <class T>
bool are_finite(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](T value) { return std::isfinite(static_cast<double>(value)); });
}

/// Returns the values of one axis in chunks of `chunk`, which Python calls x.
template <class T>
array<T, 1> line_of(const std::vector<T>& values, index_t chunk) {
  const auto x = asarray(values, {.chunks = {chunk}});
  print_array("let", "x", x.compute());
  return x;
}

/// Returns the values as one row, and backwards as another one, which Python calls m.
template <class T>
array<T, 2> rows_of(const std::vector<T>& values, index_t chunk) {
  std::vector<T> elements = values;
  elements.insert(elements.end(), values.rbegin(), values.rend());
  const ndarray<T, 2> rows({2, std::ssize(values)}, elements);
  print_array("let", "m", rows);
  return asarray(rows, {.chunks = {chunk, chunk}});
}

/// Calls `print(values, chunk)` of each table of hard values in chunks of one, of two and of all.
template <class T, class F>
void for_each_hard_case(const F& print) {
  for (const std::vector<T>& values : hard_values<T>()) {
    for (const index_t chunk : {index_t{1}, index_t{2}, index_t{8}}) print(values, chunk);
  }
}

/// Calls `print` with the tag of each of the dtypes, and of four that all programs have.
template <class... Dtypes, class F>
void for_each_hard_dtype(const F& print) {
  (print(type_tag<Dtypes>()), ...);
  print(type_tag<float>());
  print(type_tag<double>());
  print(type_tag<std::int64_t>());
  print(type_tag<std::uint64_t>());
}

}  // namespace tessera::testing
