// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random integers of a range, without bias.
///
/// A random word times the range, divided by two to the word's length, is a number of the range.
/// A product with a lower half below `least` would make some numbers more frequent. Such words are
/// drawn again, from further counters of the element's block, so that the value still
/// depends on seed and position alone. At most half of the words are drawn again. For ranges up to
/// 2^32 the first pass has no branch.
/// Source: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
#include "tessera/core/error.hpp"
#include "tessera/kernel/random_generators.hpp"

#include "kernel/philox.hpp"
#include "kernel/random_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {
namespace {

using detail::block_range;
using detail::known_distribution;
using detail::philox_words;

constexpr std::uint64_t greatest_narrow = std::uint64_t{1} << 32;

bool is_narrow(std::uint64_t range) { return range != 0 && range <= greatest_narrow; }

/// Returns parameters that were read. Throws: value_error <- they are of the other kernel.
template <class T>
kernel_parameters checked_parameters(bool of_narrow, std::uint64_t seed, std::int64_t low,
                                     std::uint64_t range) {
  if (is_narrow(range) != of_narrow) {
    throw value_error("integers: found the range " + std::to_string(range) +
                      (of_narrow ? "; it must be in [1, 2^32]" : "; it must be above 2^32, or 0"));
  }
  return generator::integers_parameters<T>(seed, low, range);
}

/// Whole numbers below a range of at most 2^32, of one word each.
template <class T>
struct narrow_integers {
  using value_type = T;
  using parameter = std::int64_t;
  static constexpr const char* label = "integers";
  static constexpr std::size_t lanes = 4;

  std::uint64_t seed;
  std::int64_t low;
  std::uint64_t range;
  std::uint64_t least;  // a product with a lower half below it is drawn again

  static kernel_parameters parameters(std::uint64_t seed, std::int64_t low, std::int64_t range) {
    return checked_parameters<T>(true, seed, low, static_cast<std::uint64_t>(range));
  }
};

/// Whole numbers below a range of more than 2^32, of two words each.
template <class T>
struct wide_integers {
  using value_type = T;
  using parameter = std::int64_t;
  static constexpr const char* label = "wide_integers";
  static constexpr std::size_t lanes = 2;

  std::uint64_t seed;
  std::int64_t low;
  std::uint64_t range;  // 0: 2^64
  std::uint64_t least;

  static kernel_parameters parameters(std::uint64_t seed, std::int64_t low, std::int64_t range) {
    return checked_parameters<T>(false, seed, low, static_cast<std::uint64_t>(range));
  }
};

template <class T>
T shifted(std::int64_t low, std::uint64_t number) {
  return static_cast<T>(static_cast<std::uint64_t>(low) + number);
}

constexpr std::uint64_t lower_half = 0xffffffff;

/// Draws again until a word does; a range at most doubles the number of attempts.
std::uint64_t narrow_again(std::uint64_t seed, std::uint64_t block, std::size_t lane,
                           std::uint64_t range, std::uint64_t least) {
  std::uint64_t product = 0;
  for (std::uint64_t attempt = 1; attempt == 1 || (product & lower_half) < least; ++attempt) {
    product = detail::philox_attempt(seed, block, attempt).v[lane] * range;
  }
  return product >> 32;
}

template <class T>
void fill(const narrow_integers<T>& d, const block_range& blocks, T* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  bool again = false;
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint64_t product = random.words[j][k] * d.range;
      again |= (product & lower_half) < d.least;
      out[4 * k + j] = shifted<T>(d.low, product >> 32);
    }
  }
  if (!again) return;
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (((random.words[j][k] * d.range) & lower_half) >= d.least) continue;
      const std::uint64_t block = blocks.first + k * blocks.step;
      out[4 * k + j] = shifted<T>(d.low, narrow_again(d.seed, block, j, d.range, d.least));
    }
  }
}

__extension__ using wide_product = unsigned __int128;

template <class T>
void fill(const wide_integers<T>& d, const block_range& blocks, T* out) {
  philox_words random;
  make_philox_words(random, d.seed, blocks.first, blocks.step, blocks.count);
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      std::uint64_t word =
          (std::uint64_t{random.words[2 * j][k]} << 32) | random.words[2 * j + 1][k];
      const std::uint64_t block = blocks.first + k * blocks.step;
      for (std::uint64_t attempt = 1; word * d.range < d.least; ++attempt) {
        const auto words = detail::philox_attempt(d.seed, block, attempt);
        word = (std::uint64_t{words.v[2 * j]} << 32) | words.v[2 * j + 1];
      }
      const auto product = static_cast<wide_product>(word) * d.range;
      const auto number = d.range == 0 ? word : static_cast<std::uint64_t>(product >> 64);
      out[2 * k + j] = shifted<T>(d.low, number);
    }
  }
}

}  // namespace

namespace generator {

template <std::integral T>
const generator_kernel& integers(std::uint64_t range) {
  // Both are named, so that both are known from the start.
  const generator_kernel& narrow = known_distribution<narrow_integers<T>>();
  const generator_kernel& wide = known_distribution<wide_integers<T>>();
  return is_narrow(range) ? narrow : wide;
}

template <std::integral T>
kernel_parameters integers_parameters(std::uint64_t seed, std::int64_t low, std::uint64_t range) {
  const std::string identity =
      detail::bytes_of(seed) + detail::bytes_of(low) + detail::bytes_of(range);
  if (is_narrow(range)) {
    return {narrow_integers<T>{seed, low, range, (greatest_narrow - range) % range}, identity};
  }
  const std::uint64_t least = range == 0 ? 0 : (0 - range) % range;
  return {wide_integers<T>{seed, low, range, least}, identity};
}

template const generator_kernel& integers<std::int8_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::int8_t>(std::uint64_t, std::int64_t,
                                                            std::uint64_t);
template const generator_kernel& integers<std::int16_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::int16_t>(std::uint64_t, std::int64_t,
                                                             std::uint64_t);
template const generator_kernel& integers<std::int32_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::int32_t>(std::uint64_t, std::int64_t,
                                                             std::uint64_t);
template const generator_kernel& integers<std::int64_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::int64_t>(std::uint64_t, std::int64_t,
                                                             std::uint64_t);
template const generator_kernel& integers<std::uint8_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::uint8_t>(std::uint64_t, std::int64_t,
                                                             std::uint64_t);
template const generator_kernel& integers<std::uint16_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::uint16_t>(std::uint64_t, std::int64_t,
                                                              std::uint64_t);
template const generator_kernel& integers<std::uint32_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::uint32_t>(std::uint64_t, std::int64_t,
                                                              std::uint64_t);
template const generator_kernel& integers<std::uint64_t>(std::uint64_t);
template kernel_parameters integers_parameters<std::uint64_t>(std::uint64_t, std::int64_t,
                                                              std::uint64_t);

}  // namespace generator
}  // namespace tessera
