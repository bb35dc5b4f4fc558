// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernels of random arrays beside `generator::uniform` and `generator::normal`.
///
/// A value depends on the seed and on the element's position alone.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <concepts>
#include <cstdint>

namespace tessera::generator {

/// Returns the generator of exponentially distributed values.
/// Source: Philox4x32-10 as in `uniform`; the inverse of the distribution.
template <std::floating_point T>
[[nodiscard]] const generator_kernel& exponential();

/// Returns the parameters of `exponential<T>()`. Throws: value_error <- `scale` is negative or not
/// finite.
template <std::floating_point T>
[[nodiscard]] kernel_parameters exponential_parameters(std::uint64_t seed, T scale);

/// Returns the generator of whole numbers that are spread evenly over `[low, low + range)`.
///
/// Unbiased: words that would favour some numbers are drawn again.
/// Source: Lemire, "Fast random integer generation in an interval", 2019.
template <std::integral T>
[[nodiscard]] const generator_kernel& integers(std::uint64_t range);

/// Returns the parameters of `integers<T>(range)`; a `range` of 0 stands for 2^64.
template <std::integral T>
[[nodiscard]] kernel_parameters integers_parameters(std::uint64_t seed, std::int64_t low,
                                                    std::uint64_t range);

/// Returns the generator of Poisson's distribution, int64.
/// Source: the inverse if `mean` is below 10; else Hoermann, "The transformed rejection method for
///         generating Poisson random variables", 1993.
[[nodiscard]] const generator_kernel& poisson();

/// Returns the parameters of `poisson()`. Throws: value_error <- `mean` is negative or above 1e18.
[[nodiscard]] kernel_parameters poisson_parameters(std::uint64_t seed, double mean);

/// Returns the generator of the binomial distribution, int64.
/// Source: the inverse if `n p` is below 10; else Hoermann, "The generation of binomial random
///         variates", 1993.
[[nodiscard]] const generator_kernel& binomial();

/// Returns the parameters of `binomial()`. Throws: value_error <- `n` is negative or above 2^53, or
/// `p` is not in [0, 1].
[[nodiscard]] kernel_parameters binomial_parameters(std::uint64_t seed, double n, double p);

/// Returns the generator of the gamma distribution, float64.
/// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
[[nodiscard]] const generator_kernel& gamma();

/// Returns the parameters of `gamma()`. Throws: value_error <- `shape` or `scale` is negative or
/// not finite.
[[nodiscard]] kernel_parameters gamma_parameters(std::uint64_t seed, double shape, double scale);

// clang-format off
extern template const generator_kernel& exponential<float>();
extern template const generator_kernel& exponential<double>();
extern template kernel_parameters exponential_parameters<float>(std::uint64_t, float);
extern template kernel_parameters exponential_parameters<double>(std::uint64_t, double);
extern template const generator_kernel& integers<std::int8_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::int8_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::int16_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::int16_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::int32_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::int32_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::int64_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::int64_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::uint8_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::uint8_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::uint16_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::uint16_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::uint32_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::uint32_t>(std::uint64_t, std::int64_t, std::uint64_t);
extern template const generator_kernel& integers<std::uint64_t>(std::uint64_t);
extern template kernel_parameters integers_parameters<std::uint64_t>(std::uint64_t, std::int64_t, std::uint64_t);
// clang-format on

}  // namespace tessera::generator
