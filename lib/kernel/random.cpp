// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/generator.hpp"

#include "kernel/box_muller.hpp"
#include "kernel/philox.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {
namespace {

using detail::philox_batch;
using detail::philox_words;

template <class T>
struct uniform_distribution {
  using value_type = T;
  static constexpr const char* label = "uniform";

  std::uint64_t seed;
  T low;
  T scale;
  T greatest;  // the value before `high`, to which rounding may lead

  static constexpr auto parameters = &generator::uniform_parameters<T>;
};

template <class T>
struct normal_distribution {
  using value_type = T;
  static constexpr const char* label = "normal";

  std::uint64_t seed;
  T mean;
  T stddev;

  static constexpr auto parameters = &generator::normal_parameters<T>;
};

/// The values that one block of four words makes.
template <class T>
constexpr std::size_t lanes = 16 / sizeof(T);

/// Blocks by number: `first`, `first + step`, ...; `count` of them.
struct block_range {
  std::uint64_t first;
  std::uint64_t step;
  std::size_t count;
};

/// Returns the upper 24 bits as a multiple of 2^-24 in [0, 1).
[[gnu::always_inline]] inline float unit_interval(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24F;
}

/// Returns 53 bits of two words as a multiple of 2^-53 in [0, 1).
[[gnu::always_inline]] inline double unit_interval(std::uint32_t high, std::uint32_t low) {
  const auto upper = static_cast<double>(static_cast<std::int32_t>(high >> 5));
  const auto lower = static_cast<double>(static_cast<std::int32_t>(low >> 6));
  return (upper * 0x1p26 + lower) * 0x1p-53;
}

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
      // 31 bits and a half, in (0, 1]: small values are what the tails come from.
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

/// Writes the values of elements `first`, `first + 1`, ...
template <class Distribution, class T>
void fill_run(const Distribution& d, T* out, std::size_t size, std::uint64_t first) {
  constexpr std::size_t batch = philox_batch * lanes<T>;
  std::array<T, batch> values;
  std::uint64_t block = first / lanes<T>;
  std::size_t skip = first % lanes<T>;
  while (size > 0) {
    if (skip == 0 && size >= batch) {
      fill(d, {block, 1, philox_batch}, out);
      out += batch;
      size -= batch;
    } else {
      const std::size_t stop = std::min(skip + size, batch);
      fill(d, {block, 1, (stop + lanes<T> - 1) / lanes<T>}, values.data());
      out = std::copy(&values[skip], &values[0] + stop, out);
      size -= stop - skip;
      skip = 0;
    }
    block += philox_batch;
  }
}

/// Writes the values of elements `first`, `first + step`, ...
///
/// Elements that are a multiple of `lanes` apart here stand in blocks that are evenly spaced,
/// always in the same lane.
template <class Distribution, class T>
void fill_strided(const Distribution& d, T* out, std::size_t size, std::uint64_t first,
                  std::uint64_t step) {
  std::array<T, philox_batch * lanes<T>> values;
  for (std::size_t start = 0; start < std::min(size, lanes<T>); ++start) {
    const std::uint64_t element = first + start * step;
    const std::size_t lane = element % lanes<T>;
    const std::size_t num_blocks = (size - start + lanes<T> - 1) / lanes<T>;
    for (std::size_t done = 0; done < num_blocks; done += philox_batch) {
      const std::size_t count = std::min(num_blocks - done, philox_batch);
      fill(d, {element / lanes<T> + done * step, step, count}, values.data());
      for (std::size_t k = 0; k < count; ++k) {
        out[start + (done + k) * lanes<T>] = values[k * lanes<T> + lane];
      }
    }
  }
}

template <class Distribution>
void run(std::byte* out, index_t size, index_t first, index_t step, const void* parameters) {
  using T = typename Distribution::value_type;
  const auto& distribution = *static_cast<const Distribution*>(parameters);
  T* const values = static_cast<T*>(static_cast<void*>(out));
  const auto count = static_cast<std::size_t>(size);
  if (step == 1) {
    fill_run(distribution, values, count, static_cast<std::uint64_t>(first));
  } else {
    fill_strided(distribution, values, count, static_cast<std::uint64_t>(first),
                 static_cast<std::uint64_t>(step));
  }
}

template <class Distribution>
kernel_parameters restore(std::string_view identity) {
  using T = typename Distribution::value_type;
  detail::byte_reader bytes(identity);
  const auto seed = bytes.take<std::uint64_t>();
  const T first = bytes.take<T>();
  const T second = bytes.take<T>();
  bytes.require_end();
  return Distribution::parameters(seed, first, second);
}

template <class Distribution>
const generator_kernel& known_kernel() {
  static_cast<void>(&detail::known_at_start<&known_kernel<Distribution>>::is_known);
  static const dtype type = dtype_of<typename Distribution::value_type>;
  static const std::string name =
      std::string(Distribution::label) + "<" + std::string(name_of(type)) + ">";
  static const generator_kernel kernel{name, Distribution::label, type, &run<Distribution>,
                                       &restore<Distribution>};
  static const generator_kernel& known = register_kernel(kernel);
  return known;
}

template <class T>
[[noreturn]] void throw_refused(const char* function, const char* names, T a, T b,
                                const char* rule) {
  throw value_error(std::string(function) + ": found " + names + " = " + std::to_string(a) + ", " +
                    std::to_string(b) + "; " + rule);
}

}  // namespace

namespace generator {

template <std::floating_point T>
const generator_kernel& uniform() {
  return known_kernel<uniform_distribution<T>>();
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
  return known_kernel<normal_distribution<T>>();
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
