// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernels of virtual arrays, whose elements follow from their position.
///
/// Each kernel comes with the function that makes its parameters. If `T` is an argument, both must
/// be of the same `T`.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/generate.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"

#include <concepts>
#include <cstdint>

namespace tessera::generator {

/// Returns the generator of arrays that are the same everywhere: zeros, ones, full.
template <element T>
[[nodiscard]] const generator_kernel& constant() {
  return detail::known_generator<detail::constant_generator<T>>();
}

/// Returns the parameters of `constant<T>()`.
template <element T>
[[nodiscard]] kernel_parameters constant_parameters(T value) {
  return detail::generator_parameters(detail::constant_generator<T>{value});
}

/// Returns the generator of `start + i * step`, computed for each `i` alone; integers wrap.
template <element T>
[[nodiscard]] const generator_kernel& arange() {
  return detail::known_generator<detail::arange_generator<T>>();
}

/// Returns the parameters of `arange<T>()`.
template <element T>
[[nodiscard]] kernel_parameters arange_parameters(T start, T step) {
  return detail::generator_parameters(detail::arange_generator<T>{start, step});
}

/// Returns the generator of evenly spaced values over an interval.
template <std::floating_point T>
[[nodiscard]] const generator_kernel& linspace() {
  return detail::known_generator<detail::linspace_generator<T>>();
}

/// Returns the parameters of `linspace<T>()`: `num` values from `start` to `stop`, which is the
/// last value exactly if `endpoint`, and otherwise the first that is left out.
template <std::floating_point T>
[[nodiscard]] kernel_parameters linspace_parameters(T start, T stop, index_t num,
                                                    bool endpoint = true) {
  return detail::generator_parameters(
      detail::make_linspace_generator<T>(start, stop, num, endpoint));
}

/// Returns the generator of random values spread evenly over `[low, high)`.
///
/// A value depends on the seed and on the element's position alone, bit for bit on every machine.
/// It has 53 random bits (float64) or 24 (float32).
/// Source: Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
template <std::floating_point T>
[[nodiscard]] const generator_kernel& uniform();

/// Returns the parameters of `uniform<T>()`. Throws: value_error <- not `low <= high`, both finite.
template <std::floating_point T>
[[nodiscard]] kernel_parameters uniform_parameters(std::uint64_t seed, T low, T high);

/// Returns the generator of random values of the normal distribution.
///
/// A value depends on the seed and on the element's position alone, bit for bit on every machine.
/// Source: Philox4x32-10 as in `uniform`; Box and Muller, 1958.
template <std::floating_point T>
[[nodiscard]] const generator_kernel& normal();

/// Returns the parameters of `normal<T>()`. Throws: value_error <- `stddev` is negative, or either
/// is not finite.
template <std::floating_point T>
[[nodiscard]] kernel_parameters normal_parameters(std::uint64_t seed, T mean, T stddev);

// clang-format off
extern template const generator_kernel& uniform<float>();
extern template const generator_kernel& uniform<double>();
extern template kernel_parameters uniform_parameters<float>(std::uint64_t, float, float);
extern template kernel_parameters uniform_parameters<double>(std::uint64_t, double, double);
extern template const generator_kernel& normal<float>();
extern template const generator_kernel& normal<double>();
extern template kernel_parameters normal_parameters<float>(std::uint64_t, float, float);
extern template kernel_parameters normal_parameters<double>(std::uint64_t, double, double);
// clang-format on

}  // namespace tessera::generator
