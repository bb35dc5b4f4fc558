// SPDX-License-Identifier: Apache-2.0
/// \file
/// Uniform, normal and exponential numbers of floating-point types.
///
/// Each block of four 32-bit words of Philox 4x32 has a counter: the position of its elements in
/// the array. A block gives `lanes` elements, 4 of float32 or 2 of float64, by the same arithmetic
/// whatever the chunk: the value depends on seed and position alone.
///
///     uniform:      low + u * (high - low), below `high` after rounding
///     normal:       Box and Muller's pairs
///     exponential:  -scale * log(u), u > 0
#include "tessera/core/error.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/random_generators.hpp"

#include "kernel/box_muller.hpp"
#include "kernel/philox.hpp"
#include "kernel/random_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

using detail::block_range;
using detail::known_distribution;
using detail::philox_words;
using detail::throw_refused;
using detail::unit_interval;

template <class T>
struct uniform_distribution {
  using value_type = T;
  using parameter = T;
  static constexpr const char* label = "uniform";
  static constexpr std::size_t lanes = 16 / sizeof(T);

  std::uint64_t seed;
  T low;
  T scale;
  T greatest;  // the value before `high`, to which rounding may lead

  static constexpr auto parameters = &generator::uniform_parameters<T>;
};

template <class T>
struct normal_distribution {
  using value_type = T;
  using parameter = T;
  static constexpr const char* label = "normal";
  static constexpr std::size_t lanes = 16 / sizeof(T);

  std::uint64_t seed;
  T mean;
  T stddev;

  static constexpr auto parameters = &generator::normal_parameters<T>;
};

template <class T>
struct exponential_distribution {
  using value_type = T;
  using parameter = T;
  static constexpr const char* label = "exponential";
  static constexpr std::size_t lanes = 16 / sizeof(T);

  std::uint64_t seed;
  T scale;

  static kernel_parameters parameters(std::uint64_t seed, T scale, T /*unused*/) {
    return generator::exponential_parameters<T>(seed, scale);
  }
};

void fill(const uniform_distribution<float>& d, const block_range& blocks, float* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      const float value = d.low + unit_interval(random.words[j][k]) * d.scale;
      out[4 * k + j] = value < d.greatest ? value : d.greatest;
    }
  }
}

void fill(const uniform_distribution<double>& d, const block_range& blocks, double* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      const double unit = unit_interval(random.words[2 * j][k], random.words[2 * j + 1][k]);
      const double value = d.low + unit * d.scale;
      out[2 * k + j] = value < d.greatest ? value : d.greatest;
    }
  }
}

void fill(const normal_distribution<float>& d, const block_range& blocks, float* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      // 31 bits and a half, in (0, 1]: small values give the tails.
      const auto bits = static_cast<std::int32_t>(random.words[2 * j][k] >> 1);
      float x = (static_cast<float>(bits) + 0.5F) * 0x1p-31F;
      float y = unit_interval(random.words[2 * j + 1][k]);
      detail::box_muller(x, y);
      out[4 * k + 2 * j] = d.mean + d.stddev * x;
      out[4 * k + 2 * j + 1] = d.mean + d.stddev * y;
    }
  }
}

void fill(const normal_distribution<double>& d, const block_range& blocks, double* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    double x = unit_interval(random.words[0][k], random.words[1][k]) + 0x1p-54;
    double y = unit_interval(random.words[2][k], random.words[3][k]);
    detail::box_muller(x, y);
    out[2 * k] = d.mean + d.stddev * x;
    out[2 * k + 1] = d.mean + d.stddev * y;
  }
}

void fill(const exponential_distribution<float>& d, const block_range& blocks, float* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      // As the radius of `normal`: small values give the tail.
      const auto bits = static_cast<std::int32_t>(random.words[j][k] >> 1);
      const float unit = (static_cast<float>(bits) + 0.5F) * 0x1p-31F;
      out[4 * k + j] = -d.scale * detail::fast_log(unit);
    }
  }
}

void fill(const exponential_distribution<double>& d, const block_range& blocks, double* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      const double unit =
          unit_interval(random.words[2 * j][k], random.words[2 * j + 1][k]) + 0x1p-54;
      out[2 * k + j] = -d.scale * detail::fast_log(unit);
    }
  }
}

}  // namespace

namespace generator {

template <std::floating_point T>
const generator_kernel& uniform() {
  return known_distribution<uniform_distribution<T>>();
}

template <std::floating_point T>
kernel_parameters uniform_parameters(std::uint64_t seed, T low, T high) {
  const T scale = high - low;
  if (!(scale >= 0 && std::isfinite(scale))) {
    throw_refused("uniform", "low, high", low, high,
                  "low must not exceed high, and both and their difference must be finite");
  }
  return {uniform_distribution<T>{seed, low, scale, std::nextafter(high, low)},
          detail::bytes_of(seed) + detail::bytes_of(low) + detail::bytes_of(high)};
}

template <std::floating_point T>
const generator_kernel& normal() {
  return known_distribution<normal_distribution<T>>();
}

template <std::floating_point T>
kernel_parameters normal_parameters(std::uint64_t seed, T mean, T stddev) {
  if (!(stddev >= 0 && std::isfinite(stddev) && std::isfinite(mean))) {
    throw_refused("normal", "mean, stddev", mean, stddev,
                  "both must be finite, and stddev must not be negative");
  }
  return {normal_distribution<T>{seed, mean, stddev},
          detail::bytes_of(seed) + detail::bytes_of(mean) + detail::bytes_of(stddev)};
}

template <std::floating_point T>
const generator_kernel& exponential() {
  return known_distribution<exponential_distribution<T>>();
}

template <std::floating_point T>
kernel_parameters exponential_parameters(std::uint64_t seed, T scale) {
  if (!(scale >= 0 && std::isfinite(scale))) {
    detail::throw_refused("exponential", "scale", scale, "it must be finite and not negative");
  }
  return {exponential_distribution<T>{seed, scale},
          detail::bytes_of(seed) + detail::bytes_of(scale) + detail::bytes_of(T{})};
}

template const generator_kernel& exponential<float>();
template const generator_kernel& exponential<double>();
template kernel_parameters exponential_parameters<float>(std::uint64_t, float);
template kernel_parameters exponential_parameters<double>(std::uint64_t, double);
template const generator_kernel& uniform<float>();
template const generator_kernel& uniform<double>();
template kernel_parameters uniform_parameters<float>(std::uint64_t, float, float);
template kernel_parameters uniform_parameters<double>(std::uint64_t, double, double);
template const generator_kernel& normal<float>();
template const generator_kernel& normal<double>();
template kernel_parameters normal_parameters<float>(std::uint64_t, float, float);
template kernel_parameters normal_parameters<double>(std::uint64_t, double, double);

}  // namespace generator
}  // namespace tessera
