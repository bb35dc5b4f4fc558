// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of random numbers: the value of an element depends on the seed and its position alone,
/// never on chunks, executors or machines.
///
/// Unlike NumPy's generators, arrays have no state that draws go on from: arrays of one seed hold
/// the same numbers if they have one distribution, and dependent numbers if not. A program gives
/// each of its arrays a seed of its own.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/exponential.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/random_generators.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera::random {

/// Options of `uniform`.
struct uniform_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
  double low = 0;
  double high = 1;
};

/// Returns an array of random values spread evenly over `[low, high)`.
///
/// Memory: nothing is stored; a task generates the elements that it needs.
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
[[nodiscard]] array<T, N> uniform(const index_argument (&shape)[N], uniform_options options = {}) {
  return uniform<T>(tessera::detail::to_indices(shape), options);
}

/// Options of `normal`.
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
[[nodiscard]] array<T, N> normal(const index_argument (&shape)[N], normal_options options = {}) {
  return normal<T>(tessera::detail::to_indices(shape), options);
}

/// Options of the functions without options of their own.
struct options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
};

/// Options of `integers`.
struct integers_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
  bool endpoint = false;  ///< whether `high` is drawn as well
};

namespace detail {

/// Returns the number of whole numbers in `[low, high)`, or in `[low, high]`; 0 is 2^64.
///
/// Throws: value_error <- none is, or one is not in `[least, most]`.
[[nodiscard]] std::uint64_t integer_range(index_t low, index_t high, bool endpoint, index_t least,
                                          index_t most);

/// Returns `p`. Throws: value_error <- it is not in [0, 1].
[[nodiscard]] double checked_probability(double p);

/// Returns a random array of `shape`.
template <element T, fixed_extents Shape>
auto drawn(std::string_view name, const Shape& shape, const chunk_lengths& chunks,
           const std::optional<spec>& limits, const generator_kernel& kernel,
           kernel_parameters parameters) {
  const auto extents = tessera::detail::extents_of(name, shape);
  return tessera::detail::generated_array<T, std::tuple_size_v<decltype(extents)>>(
      name, tessera::detail::to_vector(extents), {chunks, limits}, kernel, std::move(parameters));
}

}  // namespace detail

/// Returns an array of random whole numbers, spread evenly over `[low, high)`.
///
/// Requires: `T` is an integer type.
/// Throws: as `full`; value_error <- there is no such number, or one that is no `T`.
/// Source: Philox4x32-10 as in `uniform`; Lemire, "Fast random integer generation in an interval",
///         2019, without bias.
template <integer_element T = std::int64_t, fixed_extents Shape>
[[nodiscard]] auto integers(index_t low, index_t high, const Shape& shape,
                            const integers_options& options = {}) {
  using limits = std::numeric_limits<T>;
  constexpr index_t most = std::in_range<index_t>(limits::max())
                               ? static_cast<index_t>(limits::max())
                               : std::numeric_limits<index_t>::max();
  const std::uint64_t range =
      detail::integer_range(low, high, options.endpoint, static_cast<index_t>(limits::min()), most);
  return detail::drawn<T>("integers", shape, options.chunks, options.spec,
                          generator::integers<T>(range),
                          generator::integers_parameters<T>(options.seed, low, range));
}
template <integer_element T = std::int64_t, std::size_t N>
[[nodiscard]] array<T, N> integers(index_t low, index_t high, const index_argument (&shape)[N],
                                   const integers_options& options = {}) {
  return integers<T>(low, high, tessera::detail::to_indices(shape), options);
}

/// Returns an array that is true with probability `p` at each element.
///
/// Throws: as `full`; value_error <- `p` is not in [0, 1].
template <fixed_extents Shape>
[[nodiscard]] auto bernoulli(double p, const Shape& shape, const options& settings = {}) {
  return uniform<double>(
             shape, {.chunks = settings.chunks, .spec = settings.spec, .seed = settings.seed}) <
         detail::checked_probability(p);
}
template <std::size_t N>
[[nodiscard]] auto bernoulli(double p, const index_argument (&shape)[N],
                             const options& settings = {}) {
  return bernoulli(p, tessera::detail::to_indices(shape), settings);
}

/// Options of `exponential`.
struct exponential_options {
  chunk_lengths chunks = {};
  std::optional<tessera::spec> spec = std::nullopt;
  std::uint64_t seed = 0;
  double scale = 1;  ///< the mean
};

/// Returns an array of random values of the exponential distribution.
///
/// Throws: as `full`; value_error <- `scale` is negative or not finite.
template <std::floating_point T = double, fixed_extents Shape>
[[nodiscard]] auto exponential(const Shape& shape, const exponential_options& options = {}) {
  return detail::drawn<T>(
      "exponential", shape, options.chunks, options.spec, generator::exponential<T>(),
      generator::exponential_parameters<T>(options.seed, static_cast<T>(options.scale)));
}
template <std::floating_point T = double, std::size_t N>
[[nodiscard]] array<T, N> exponential(const index_argument (&shape)[N],
                                      const exponential_options& options = {}) {
  return exponential<T>(tessera::detail::to_indices(shape), options);
}

/// Returns an array of random values with logarithms as `normal` draws them.
///
/// Throws: as `normal`.
template <std::floating_point T = double, fixed_extents Shape>
[[nodiscard]] auto lognormal(const Shape& shape, const normal_options& options = {}) {
  return exp(normal<T>(shape, options));
}
template <std::floating_point T = double, std::size_t N>
[[nodiscard]] auto lognormal(const index_argument (&shape)[N], const normal_options& options = {}) {
  return lognormal<T>(tessera::detail::to_indices(shape), options);
}

/// Returns an array of random counts of the Poisson distribution, int64.
///
/// Throws: as `full`; value_error <- `mean` is not in [0, 1e18].
/// Source: Hoermann, "The transformed rejection method for generating Poisson random variables",
///         1993; for `mean` below 10 the inverse of the distribution.
template <fixed_extents Shape>
[[nodiscard]] auto poisson(double mean, const Shape& shape, const options& settings = {}) {
  return detail::drawn<std::int64_t>("poisson", shape, settings.chunks, settings.spec,
                                     generator::poisson(),
                                     generator::poisson_parameters(settings.seed, mean));
}
template <std::size_t N>
[[nodiscard]] array<std::int64_t, N> poisson(double mean, const index_argument (&shape)[N],
                                             const options& settings = {}) {
  return poisson(mean, tessera::detail::to_indices(shape), settings);
}

/// Returns an array of the number of successes of `n` trials with probability `p` each,
/// int64.
///
/// Throws: as `full`; value_error <- `n` is not in [0, 2^53], or `p` not in [0, 1].
/// Source: Hoermann, "The generation of binomial random variates", 1993; for `n p` below 10 the
///         inverse of the distribution.
template <fixed_extents Shape>
[[nodiscard]] auto binomial(index_t n, double p, const Shape& shape, const options& settings = {}) {
  return detail::drawn<std::int64_t>(
      "binomial", shape, settings.chunks, settings.spec, generator::binomial(),
      generator::binomial_parameters(settings.seed, static_cast<double>(n), p));
}
template <std::size_t N>
[[nodiscard]] array<std::int64_t, N> binomial(index_t n, double p, const index_argument (&shape)[N],
                                              const options& settings = {}) {
  return binomial(n, p, tessera::detail::to_indices(shape), settings);
}

/// Returns an array of random values of the gamma distribution of shape `k`; its mean is `k *
/// scale`.
///
/// Throws: as `full`; value_error <- `k` or `scale` is negative or not finite.
/// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
template <fixed_extents Shape>
[[nodiscard]] auto gamma(double k, const Shape& shape, const exponential_options& options = {}) {
  return detail::drawn<double>("gamma", shape, options.chunks, options.spec, generator::gamma(),
                               generator::gamma_parameters(options.seed, k, options.scale));
}
template <std::size_t N>
[[nodiscard]] array<double, N> gamma(double k, const index_argument (&shape)[N],
                                     const exponential_options& options = {}) {
  return gamma(k, tessera::detail::to_indices(shape), options);
}

}  // namespace tessera::random
