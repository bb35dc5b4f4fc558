// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An element as bytes, of any data type.

#include "tessera/core/dtype.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace tessera {

/// One element as raw bytes in this machine's byte order. Behind the bytes that it was made of come
/// zeros, as many as are asked for: the default is the zero of every data type.
class element_bytes {
 public:
  element_bytes() : bytes_(least_size) {}
  template <element T>
  element_bytes(T value) : bytes_(least_size) {
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  explicit element_bytes(std::span<const std::byte> bytes);

  /// Makes sure that there are at least `size` bytes.
  void reserve(std::size_t size);

  /// Returns the number of bytes that `data()` has: at least 16.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] std::byte* data() { return bytes_.data(); }

  /// Returns the element, for the `T` that it was made from.
  template <element T>
  [[nodiscard]] T as() const {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

  /// Compares bit for bit: a NaN equals itself, 0.0 differs from -0.0.
  [[nodiscard]] bool operator==(const element_bytes& rhs) const;

 private:
  static constexpr std::size_t least_size = 16;

  std::vector<std::byte> bytes_;
};

}  // namespace tessera
