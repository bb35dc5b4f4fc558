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

/// Exists only if bytes become an `F`: in a constant expression pointers and references do not come
/// out of bytes.
template <class F,
          bool =
              (static_cast<void>(__builtin_bit_cast(F, std::array<std::byte, sizeof(F)>{})), true)>
struct out_of_bytes {};

/// The largest function object that is looked into.
inline constexpr std::size_t max_plain_size = 4096;

/// Returns the reason why the bytes of an `F` are not its value in any process, or null if they
/// are.
template <class F>
consteval const char* obstacle_to_bytes() {
  if constexpr (element<F>) {
    return nullptr;
  } else if constexpr (std::is_empty_v<F>) {
    return std::is_default_constructible_v<F> ? nullptr : "has no default constructor";
  } else if constexpr (!std::is_trivially_copyable_v<F>) {
    return "holds a member that owns memory, as a std::vector and a std::string do";
  } else if constexpr (sizeof(F) > max_plain_size) {
    return "holds more than 4096 bytes";
  } else if constexpr (!requires { typename out_of_bytes<F>; }) {
    return "holds a pointer, a reference or a union";
  } else {
    return nullptr;
  }
}

/// A variable, because it is worked out once: GCC 12 takes no lambda for trivially copyable any
/// more once it has been in a tuple.
template <class F>
inline constexpr const char* bytes_obstacle = obstacle_to_bytes<F>();

/// Whether the bytes of an `F`, but for its padding, are its value in any process; an empty one is
/// its type.
template <class F>
inline constexpr bool is_plain_bytes = bytes_obstacle<F> == nullptr;

#if !__has_builtin(__builtin_clear_padding)
/// Tells of each byte of a `T` whether it is part of the value: padding is no constant.
template <class T>
consteval std::array<bool, sizeof(T)> bytes_of_value() {
  using bytes = std::array<std::byte, sizeof(T)>;
  const bytes value = __builtin_bit_cast(bytes, __builtin_bit_cast(T, bytes{}));
  std::array<bool, sizeof(T)> is_value{};
  for (std::size_t i = 0; i < sizeof(T); ++i) is_value[i] = __builtin_constant_p(value[i]);
  return is_value;
}
#endif

/// Returns the bytes of `value`, with zeros in its padding. Requires: `is_plain_bytes<T>`.
template <class T>
std::string bytes_of(const T& value) {
#if __has_builtin(__builtin_clear_padding)
  T copy = value;
  __builtin_clear_padding(&copy);
  return {reinterpret_cast<const char*>(&copy), sizeof(T)};
#else
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof(T));
  if constexpr (!element<T>) {
    static constexpr std::array<bool, sizeof(T)> is_value = bytes_of_value<T>();
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (!is_value[i]) bytes[i] = 0;
    }
  }
  return bytes;
#endif
}

/// Takes values, one after the other, out of untrusted bytes.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  /// Throws: value_error <- fewer than `size` bytes are left.
  [[nodiscard]] std::string_view take_bytes(std::size_t size);

  /// Returns the value of `T` from its `bytes_of`. Throws: value_error <- too few bytes are left.
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
