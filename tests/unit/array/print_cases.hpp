// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints arrays and results of functions, each with the NumPy expression that must give the same,
/// for cases.py to compare. A line: kind, dtype, extents, bytes of the elements, and the name or
/// the expression; separated by blanks.

#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/core/dtype.hpp"

#include "unit/array/number_of.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::testing {

/// Prints one line about `values`.
template <class T, std::size_t N>
void print_values(std::string_view kind, const ndarray<T, N>& values, std::string_view text) {
  std::string line = std::string(kind) + " " + std::string(name_of(dtype_of<T>)) + " (";
  for (const index_t extent : values.shape()) line += std::to_string(extent) + ",";
  line += ") ";
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.size()) * sizeof(T); ++i) {
    line += digits[bytes[i] / 16];
    line += digits[bytes[i] % 16];
  }
  if (values.size() == 0) line += "-";
  std::puts((line + " " + std::string(text)).c_str());
}

/// Gives the elements of `x` the name `name` in the expressions after it, and returns `x`.
template <array_expression X>
X named(std::string_view name, X x) {
  print_values("let", x.compute(), name);
  return x;
}

/// Prints `x` as equal to NumPy's `expression` in each bit.
template <array_expression X>
void same(std::string_view expression, const X& x) {
  print_values("same", x.compute(), expression);
}

/// Prints `x` as equal to NumPy's `expression` to within a few roundings.
template <array_expression X>
void near(std::string_view expression, const X& x) {
  print_values("near", x.compute(), expression);
}

/// Prints `x` as equal to NumPy's `expression` to within some roundings of the greatest element, as
/// of systems that are solved by matrices.
template <array_expression X>
void solved(std::string_view expression, const X& x) {
  print_values("solved", x.compute(), expression);
}

/// Returns an array of `shape` in `chunks` with small numbers of either sign, no two rows alike.
/// Complex ones have half of the numbers from the end as their imaginary parts.
template <element T, std::size_t N>
array<T, N> numbers(const index_t (&shape)[N], chunk_lengths chunks = automatic) {
  ndarray<T, N> values(std::to_array(shape));
  const auto number = [](index_t i) {
    return static_cast<double>(i * i * 7 % 31 - (std::is_unsigned_v<T> ? 0 : 12));
  };
  index_t next = 0;
  for (T& value : values.span()) {
    ++next;
    value = number_of<T>(number(next), number(values.size() + 1 - next) / 2);
  }
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

}  // namespace tessera::testing
