// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bytes of a value, which identify it, and the way back.

#include "tessera/core/dtype.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera::detail {

/// Exists only where the bytes of an `F` are its value. In a constant expression pointers and
/// references do not come out of bytes, and padding does not go into characters with a sign.
template <class F, std::array<signed char, sizeof(F)> = __builtin_bit_cast(
                       std::array<signed char, sizeof(F)>,
                       __builtin_bit_cast(F, std::array<std::byte, sizeof(F)>{}))>
struct through_bytes {};

template <class F>
concept goes_through_bytes = element<F> ||(sizeof(F) <= 4096 && std::is_trivially_copyable_v<F> &&
                                           requires { typename through_bytes<F>; });

/// Whether the bytes of an `F` are its value, in any process: there is no padding, no pointer and
/// no reference. False of types that the compiler cannot look into, and of very large ones.
///
/// A variable, because it is worked out once: GCC 12 takes no lambda for trivially copyable any
/// more once it has been in a tuple.
template <class F>
inline constexpr bool is_plain_bytes = goes_through_bytes<F>;

/// Returns the bytes of `value`. Requires: `is_plain_bytes<T>`.
template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

/// Takes values, one after the other, out of bytes that nobody vouches for.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  /// Throws: value_error <- fewer than `size` bytes are left.
  [[nodiscard]] std::string_view take_bytes(std::size_t size);

  /// Returns what `bytes_of` made bytes of. Throws: value_error <- too few bytes are left.
  template <class T>
  [[nodiscard]] T take() {
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), take_bytes(sizeof(T)).data(), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) {
      return bytes[0] != std::byte{};  // other bytes than 0 and 1 are no bool
    } else {
      return *std::launder(reinterpret_cast<const T*>(bytes.data()));
    }
  }

  /// Throws: value_error <- bytes are left.
  void require_end() const;

 private:
  std::string_view bytes_;
};

}  // namespace tessera::detail
