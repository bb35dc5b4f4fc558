// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Generators of random values: a distribution is a class with `value_type`, the type of its two
/// `parameter`s, a `label`, `lanes`, how many values a block of four words makes, and `parameters`;
/// `fill(distribution, blocks, out)` makes the values of some blocks.

#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/philox.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::detail {

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

/// Writes the values of elements `first`, `first + 1`, ...
template <class Distribution, class T>
void fill_run(const Distribution& d, T* out, std::size_t size, std::uint64_t first) {
  constexpr std::size_t lanes = Distribution::lanes;
  constexpr std::size_t batch = philox_batch * lanes;
  std::array<T, batch> values;
  std::uint64_t block = first / lanes;
  std::size_t skip = first % lanes;
  while (size > 0) {
    if (skip == 0 && size >= batch) {
      fill(d, {block, 1, philox_batch}, out);
      out += batch;
      size -= batch;
    } else {
      const std::size_t stop = std::min(skip + size, batch);
      fill(d, {block, 1, (stop + lanes - 1) / lanes}, values.data());
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
  constexpr std::size_t lanes = Distribution::lanes;
  std::array<T, philox_batch * lanes> values;
  for (std::size_t start = 0; start < std::min(size, lanes); ++start) {
    const std::uint64_t element = first + start * step;
    const std::size_t lane = element % lanes;
    const std::size_t num_blocks = (size - start + lanes - 1) / lanes;
    for (std::size_t done = 0; done < num_blocks; done += philox_batch) {
      const std::size_t count = std::min(num_blocks - done, philox_batch);
      fill(d, {element / lanes + done * step, step, count}, values.data());
      for (std::size_t k = 0; k < count; ++k) {
        out[start + (done + k) * lanes] = values[k * lanes + lane];
      }
    }
  }
}

template <class Distribution>
void run_distribution(std::byte* out, index_t size, index_t first, index_t step,
                      const void* parameters) {
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
kernel_parameters restore_distribution(std::string_view identity) {
  using parameter = typename Distribution::parameter;
  byte_reader bytes(identity);
  const auto seed = bytes.take<std::uint64_t>();
  const auto first = bytes.take<parameter>();
  const auto second = bytes.take<parameter>();
  bytes.require_end();
  return Distribution::parameters(seed, first, second);
}

template <class Distribution>
const generator_kernel& known_distribution() {
  static_cast<void>(&known_at_start<&known_distribution<Distribution>>::is_known);
  static const dtype type = dtype_of<typename Distribution::value_type>;
  static const std::string name =
      std::string(Distribution::label) + "<" + std::string(name_of(type)) + ">";
  static const generator_kernel kernel{name, Distribution::label, type,
                                       &run_distribution<Distribution>,
                                       &restore_distribution<Distribution>};
  static const generator_kernel& known = register_kernel(kernel);
  return known;
}

template <class T>
[[noreturn]] void throw_refused(const char* function, const char* name, T value, const char* rule) {
  throw value_error(std::string(function) + ": found " + name + " = " + std::to_string(value) +
                    "; " + rule);
}
template <class T>
[[noreturn]] void throw_refused(const char* function, const char* names, T a, T b,
                                const char* rule) {
  throw value_error(std::string(function) + ": found " + names + " = " + std::to_string(a) + ", " +
                    std::to_string(b) + "; " + rule);
}

}  // namespace tessera::detail
