// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Creates virtual arrays, which are never stored.

#include "tessera/array/array.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

/// Options of a new array. Without a spec, an array follows the arrays that it is computed with.
struct creation_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
};

namespace detail {

/// Returns the layout of a new array. Throws: as `chunk_lengths::resolve`; shape_error <- an extent
/// is negative, or as `require_countable`.
[[nodiscard]] array_layout new_layout(std::string_view function, const index_vector& shape,
                                      std::size_t item_size, const creation_options& options);

/// Returns a new array of the elements that `kernel` generates. Throws: as `new_layout`.
[[nodiscard]] shared_state<shown_array> show_generated(
    std::string_view name, const index_vector& shape, std::size_t item_size,
    const creation_options& options, const generator_kernel& kernel, kernel_parameters parameters);

/// Returns the number of values `start`, `start + step`, ... before `stop`.
[[nodiscard]] index_t arange_size(double start, double stop, double step);

/// Returns the number of steps of `step` that reach or pass `distance`.
[[nodiscard]] index_t arange_size(std::uint64_t distance, std::uint64_t step);

/// Returns the number of integers `start`, `start + step`, ... before `stop`, without rounding.
template <std::integral T>
index_t arange_size(T start, T stop, T step) {
  const auto distance = [](T from, T to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  if (step < T{0}) {
    return start > stop ? arange_size(distance(stop, start), distance(step, T{0})) : 0;
  }
  return arange_size(start < stop ? distance(start, stop) : 0, distance(T{0}, step));
}

template <std::size_t N>
index_vector to_vector(const std::array<index_t, N>& extents) {
  return {extents.begin(), extents.end()};
}

template <element T, std::size_t N>
array<T, N> generated_array(std::string_view name, const index_vector& shape,
                            const creation_options& options, const generator_kernel& kernel,
                            kernel_parameters parameters) {
  return array<T, N>(
      show_generated(name, shape, sizeof(T), options, kernel, std::move(parameters)));
}

template <element T, std::size_t N>
array<T, N> constant_array(std::string_view name, const std::array<index_t, N>& shape, T value,
                           const creation_options& options) {
  return generated_array<T, N>(name, to_vector(shape), options, generator::constant<T>(),
                               generator::constant_parameters<T>(value));
}

}  // namespace detail

/// Returns an array that is `value` everywhere.
///
/// Shape:   braces `{m, n}`, a `std::array`, one extent, or, with the rank as in
///          `full<T, 2>(v, 0)`, any list of extents.
/// Memory:  nothing is stored; a task generates the elements that it needs.
/// Throws:  shape_error <- an extent is negative, there are more than 2^63 - 1 elements, or the
///          chunks have another rank.
///          value_error <- a chunk is not positive.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> full(const index_argument (&shape)[N], T value,
                               creation_options options = {}) {
  return detail::constant_array("full", detail::to_indices(shape), value, options);
}
template <element T, std::size_t... N, class Shape>
[[nodiscard]] auto full(const Shape& shape, T value, creation_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::full<T>(shape): requires a rank that the compiler knows: "
                "full<T>({m, n}, value), or full<T, 2>(v, value) for a vector v");
  return detail::constant_array("full", detail::extents_of<Shape, N...>("full", shape), value,
                                options);
}

/// Returns an array of zeros. Otherwise as `full`.
template <element T = double, std::size_t N>
[[nodiscard]] array<T, N> zeros(const index_argument (&shape)[N], creation_options options = {}) {
  return detail::constant_array("zeros", detail::to_indices(shape), T{}, options);
}
template <element T = double, std::size_t... N, class Shape>
[[nodiscard]] auto zeros(const Shape& shape, creation_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::zeros<T>(shape): requires a rank that the compiler knows: "
                "zeros<T>({m, n}), or zeros<T, 2>(v) for a vector v");
  return detail::constant_array("zeros", detail::extents_of<Shape, N...>("zeros", shape), T{},
                                options);
}

/// Returns an array of ones. Otherwise as `full`.
template <element T = double, std::size_t N>
[[nodiscard]] array<T, N> ones(const index_argument (&shape)[N], creation_options options = {}) {
  return detail::constant_array("ones", detail::to_indices(shape), T{1}, options);
}
template <element T = double, std::size_t... N, class Shape>
[[nodiscard]] auto ones(const Shape& shape, creation_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::ones<T>(shape): requires a rank that the compiler knows: "
                "ones<T>({m, n}), or ones<T, 2>(v) for a vector v");
  return detail::constant_array("ones", detail::extents_of<Shape, N...>("ones", shape), T{1},
                                options);
}

/// Returns an array of unspecified elements; they are zeros. Otherwise as `full`.
template <element T = double, std::size_t N>
[[nodiscard]] array<T, N> empty(const index_argument (&shape)[N], creation_options options = {}) {
  return detail::constant_array("empty", detail::to_indices(shape), T{}, options);
}
template <element T = double, std::size_t... N, class Shape>
[[nodiscard]] auto empty(const Shape& shape, creation_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::empty<T>(shape): requires a rank that the compiler knows: "
                "empty<T>({m, n}), or empty<T, 2>(v) for a vector v");
  return detail::constant_array("empty", detail::extents_of<Shape, N...>("empty", shape), T{},
                                options);
}

/// Returns an array with the shape, dtype, chunks, spec and names of `x` that is `value`
/// everywhere.
template <array_expression X>
[[nodiscard]] auto full_like(const X& x, typename X::value_type value) {
  using type = typename X::value_type;
  const array_layout& layout = x.layout();
  return array<type, X::rank>(
      whole_of(make_generated("full_like", layout.shape, layout.chunks, generator::constant<type>(),
                              generator::constant_parameters<type>(value))),
      layout);
}

/// Returns an array of zeros with the shape, dtype, chunks, spec and names of `x`.
template <array_expression X>
[[nodiscard]] auto zeros_like(const X& x) {
  return full_like(x, typename X::value_type{});
}

/// Returns an array of ones with the shape, dtype, chunks, spec and names of `x`.
template <array_expression X>
[[nodiscard]] auto ones_like(const X& x) {
  return full_like(x, typename X::value_type{1});
}

/// Returns an array with the shape, dtype, chunks, spec and names of `x`; its elements are zeros.
template <array_expression X>
[[nodiscard]] auto empty_like(const X& x) {
  return zeros_like(x);
}

/// Returns the values `start`, `start + step`, ... before `stop`.
///
/// Shape:  (ceil((stop - start) / step),), or (0,) if that is negative.
/// Throws: value_error <- `step` is zero, or a bound is not finite. shape_error <- there are more
///         than 2^63 - 1 values.
template <element T>
requires(!std::same_as<T, bool>)
    [[nodiscard]] array<T, 1> arange(T start, std::type_identity_t<T> stop,
                                     std::type_identity_t<T> step = T{1},
                                     creation_options options = {}) {
  index_t size = 0;
  if constexpr (std::integral<T>) {
    size = detail::arange_size(start, stop, step);
  } else {
    size = detail::arange_size(static_cast<double>(start), static_cast<double>(stop),
                               static_cast<double>(step));
  }
  return detail::generated_array<T, 1>("arange", {size}, options, generator::arange<T>(),
                                       generator::arange_parameters<T>(start, step));
}

/// Returns the values 0, 1, ... before `stop`.
template <element T>
requires(!std::same_as<T, bool>)
    [[nodiscard]] array<T, 1> arange(T stop, creation_options options = {}) {
  return arange<T>(T{0}, stop, T{1}, std::move(options));
}

/// Options of `linspace`.
struct linspace_options {
  bool endpoint = true;  ///< whether `stop` is the last value
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
};

/// Returns `num` values that are evenly spaced from `start` to `stop`.
///
/// Shape:  (num,).
/// Throws: shape_error <- `num` is negative.
template <std::floating_point T = double>
[[nodiscard]] array<T, 1> linspace(std::type_identity_t<T> start, std::type_identity_t<T> stop,
                                   index_t num, linspace_options options = {}) {
  return detail::generated_array<T, 1>(
      "linspace", {num}, {options.chunks, options.spec}, generator::linspace<T>(),
      generator::linspace_parameters<T>(start, stop, num, options.endpoint));
}

}  // namespace tessera
