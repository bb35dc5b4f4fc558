// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sizes in memory and in storage: literals, text and printing.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera {

/// A number or a text: no size before its unit is told.
template <class T>
concept unitless = std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string_view>;
/// A number that can count bytes.
template <class T>
concept byte_count = unitless<T> && std::is_integral_v<T>;

/// A size in bytes.
class bytes {
 public:
  constexpr bytes() = default;
  /// Throws: value_error <- `count` is negative.
  template <byte_count I>
  constexpr explicit bytes(I count) : count_(static_cast<std::uint64_t>(count)) {
    if (std::is_signed_v<I> && count < 0) throw_negative();
  }
  // clang-format off
  template <unitless T>
  constexpr bytes(T) = delete;  // tessera::bytes: say the unit: 500_MB, or bytes{500}, or bytes::parse("500MB")
  // clang-format on

  /// Returns the size that `text` states: "200MB", "1.5 GiB", "4096".
  ///
  /// Throws: value_error <- `text` is not a number followed by B, kB, MB, GB, TB, KiB, MiB, GiB,
  /// TiB or nothing.
  [[nodiscard]] static bytes parse(std::string_view text);

  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  constexpr auto operator<=>(const bytes&) const = default;

  constexpr bytes& operator+=(bytes rhs) { return count_ += rhs.count_, *this; }
  friend constexpr bytes operator+(bytes a, bytes b) { return bytes{a.count_ + b.count_}; }
  friend constexpr bytes operator-(bytes a, bytes b) { return bytes{a.count_ - b.count_}; }
  friend constexpr bytes operator*(bytes a, std::uint64_t n) { return bytes{a.count_ * n}; }

 private:
  [[noreturn]] static void throw_negative();

  std::uint64_t count_ = 0;
};

/// Returns a size for people: `1.2 GB`, `999 B`.
[[nodiscard]] std::string format_short(bytes size);

/// Returns a size for people and exactly: `1.2 GB (1,200,000,000 B)`, `999 B`.
[[nodiscard]] std::string format(bytes size);

/// Prints `format(size)`.
std::ostream& operator<<(std::ostream& out, bytes size);

/// The units of sizes, by their SI and IEC names: 1 kB is 1000 bytes, with a small k, 1 KiB 1024.
namespace literals {

// clang-format off
constexpr bytes operator""_B(unsigned long long n) { return bytes{n}; }
constexpr bytes operator""_kB(unsigned long long n) { return bytes{n * 1'000}; }
constexpr bytes operator""_KB(unsigned long long n) = delete;  // tessera: 200_kB is 200,000 bytes, 200_KiB is 204,800
constexpr bytes operator""_MB(unsigned long long n) { return bytes{n * 1'000'000}; }
constexpr bytes operator""_GB(unsigned long long n) { return bytes{n * 1'000'000'000}; }
constexpr bytes operator""_TB(unsigned long long n) { return bytes{n * 1'000'000'000'000}; }
constexpr bytes operator""_KiB(unsigned long long n) { return bytes{n << 10}; }
constexpr bytes operator""_MiB(unsigned long long n) { return bytes{n << 20}; }
constexpr bytes operator""_GiB(unsigned long long n) { return bytes{n << 30}; }
constexpr bytes operator""_TiB(unsigned long long n) { return bytes{n << 40}; }
// clang-format on

}  // namespace literals
}  // namespace tessera
