// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of random numbers: the value of an element depends on the seed and its position alone,
/// never on chunks, executors or machines.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/kernel/generator.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera::random {

/// How `uniform` draws.
struct uniform_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
  double low = 0;
  double high = 1;
};

/// Returns an array of random values spread evenly over `[low, high)`.
///
/// Memory: nothing is stored; a task makes the elements that it needs.
/// Throws: as `full`; value_error <- not `low <= high`, both finite.
/// Source: Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
template <std::floating_point T = double, std::size_t... N, class Shape>
[[nodiscard]] auto uniform(const Shape& shape, uniform_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::random::uniform<T>(shape): requires a rank that the compiler knows: "
                "uniform<T>({m, n}), or uniform<T, 2>(v) for a vector v");
  const auto extents = detail::extents_of<Shape, N...>("uniform", shape);
  return detail::generated_array<T, std::tuple_size_v<decltype(extents)>>(
      "uniform", detail::to_vector(extents), {options.chunks, options.spec},
      generator::uniform<T>(),
      generator::uniform_parameters<T>(options.seed, static_cast<T>(options.low),
                                       static_cast<T>(options.high)));
}
template <std::floating_point T = double, std::size_t N>
[[nodiscard]] array<T, N> uniform(const index_t (&shape)[N], uniform_options options = {}) {
  return uniform<T>(std::to_array(shape), options);
}

/// How `normal` draws.
struct normal_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
  double mean = 0;
  double stddev = 1;
};

/// Returns an array of random values of the normal distribution.
///
/// Throws: as `full`; value_error <- `stddev` is negative, or either is not finite.
/// Source: Philox4x32-10 as in `uniform`, and the transformation of Box and Muller.
template <std::floating_point T = double, std::size_t... N, class Shape>
[[nodiscard]] auto normal(const Shape& shape, normal_options options = {}) {
  static_assert(is_rank_known<Shape, N...>,
                "tessera::random::normal<T>(shape): requires a rank that the compiler knows: "
                "normal<T>({m, n}), or normal<T, 2>(v) for a vector v");
  const auto extents = detail::extents_of<Shape, N...>("normal", shape);
  return detail::generated_array<T, std::tuple_size_v<decltype(extents)>>(
      "normal", detail::to_vector(extents), {options.chunks, options.spec}, generator::normal<T>(),
      generator::normal_parameters<T>(options.seed, static_cast<T>(options.mean),
                                      static_cast<T>(options.stddev)));
}
template <std::floating_point T = double, std::size_t N>
[[nodiscard]] array<T, N> normal(const index_t (&shape)[N], normal_options options = {}) {
  return normal<T>(std::to_array(shape), options);
}

}  // namespace tessera::random
