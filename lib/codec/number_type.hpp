// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The types of numbers in the options of filters, and NumPy's conversions between them.

#include "tessera/codec/codec_elements.hpp"
#include "tessera/core/float16.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera::detail {

/// A type of numbers as NumPy writes it: "<f4", "|u1".
struct number_type {
  char kind = 'u';  ///< b, i, u or f
  std::size_t size = 1;
  std::endian byte_order = std::endian::little;

  /// Returns the type of the name `text`, "<f4" or "float32", or nullopt if it is no real number.
  [[nodiscard]] static std::optional<number_type> parse(std::string_view text);

  /// Returns the number type of `elements`; times are counts of ticks. Returns nullopt if they are
  /// no real numbers.
  [[nodiscard]] static std::optional<number_type> of(const codec_elements& elements);

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] bool is_swapped() const { return size > 1 && byte_order != std::endian::native; }
  [[nodiscard]] codec_elements elements() const { return {size, kind, byte_order}; }
  [[nodiscard]] bool operator==(const number_type&) const = default;
};

/// The length of a filter's strips: their buffers fit in the first-level cache.
inline constexpr std::size_t numbers_at_a_time = 1024;

/// Calls `f` with a value of the C++ type of `type`.
template <class F>
decltype(auto) visit_number(const number_type& type, F f) {
  if (type.kind == 'f') {
    if (type.size == 2) return f(float16{});
    return type.size == 4 ? f(float{}) : f(double{});
  }
  if (type.kind == 'b') return f(bool{});
  if (type.kind == 'i') {
    if (type.size == 1) return f(std::int8_t{});
    if (type.size == 2) return f(std::int16_t{});
    return type.size == 4 ? f(std::int32_t{}) : f(std::int64_t{});
  }
  if (type.size == 1) return f(std::uint8_t{});
  if (type.size == 2) return f(std::uint16_t{});
  return type.size == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

/// The unsigned integer of the size of `T`.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class Bits>
[[nodiscard]] Bits reversed(Bits bits) {
  Bits result = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    result = static_cast<Bits>((std::uint64_t{result} << 8) | (bits & 0xFF));
    bits = static_cast<Bits>(std::uint64_t{bits} >> 8);
  }
  return result;
}

/// Reads `out.size()` numbers, which may be unaligned and of either byte order.
template <class T>
void read_numbers(const std::byte* in, bool is_swapped, std::span<T> out) {
  for (T& value : out) {
    bits_of<T> bits;
    std::memcpy(&bits, in, sizeof bits);
    in += sizeof bits;
    if (is_swapped) bits = reversed(bits);
    // Reading a bool of another value than 0 and 1 is undefined behaviour.
    if constexpr (std::is_same_v<T, bool>) {
      value = bits != 0;
    } else {
      value = std::bit_cast<T>(bits);
    }
  }
}

/// Writes numbers: the inverse of `read_numbers`.
template <class T>
void write_numbers(std::span<const T> in, bool is_swapped, std::byte* out) {
  for (const T& value : in) {
    auto bits = std::bit_cast<bits_of<T>>(value);
    if (is_swapped) bits = reversed(bits);
    std::memcpy(out, &bits, sizeof bits);
    out += sizeof bits;
  }
}

/// Converts `count` numbers as NumPy's `astype` does.
void convert_numbers(const std::byte* in, const number_type& from, std::size_t count,
                     const number_type& to, std::byte* out);

/// Returns the type of `T` in this machine's byte order.
template <class T>
[[nodiscard]] constexpr number_type native_type() {
  constexpr bool is_float = std::is_same_v<T, float16> || std::is_floating_point_v<T>;
  constexpr char kind = is_float                  ? 'f'
                        : std::is_same_v<T, bool> ? 'b'
                        : std::is_signed_v<T>     ? 'i'
                                                  : 'u';
  return {kind, sizeof(T), std::endian::native};
}

/// Calls `f` with the index of the first number and with a buffer for each strip of `count`
/// numbers.
template <class T, class F>
void for_each_strip(std::size_t count, F f) {
  std::array<T, numbers_at_a_time> strip;
  for (std::size_t done = 0; done < count; done += strip.size()) {
    f(done, std::span(strip).first(std::min(strip.size(), count - done)));
  }
}

}  // namespace tessera::detail
