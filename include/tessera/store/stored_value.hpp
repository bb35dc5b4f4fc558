// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts and versions of stored values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

/// A range of the bytes of a value: `count` bytes from byte `first` on, or the last `count` bytes
/// if `from_end` is set. The default is the whole value.
struct byte_range {
  static constexpr std::uint64_t everything = ~std::uint64_t{0};

  std::uint64_t first = 0;
  std::uint64_t count = everything;
  /// Whether the range is a suffix; `first` is ignored then.
  bool from_end = false;

  [[nodiscard]] bool operator==(const byte_range&) const = default;
};

/// Returns the bytes of `range` that a value of `value_size` bytes has, as a range from the front.
[[nodiscard]] constexpr byte_range clip_range(const byte_range& range, std::uint64_t value_size) {
  if (range.from_end) {
    const std::uint64_t count = std::min(range.count, value_size);
    return {value_size - count, count};
  }
  const std::uint64_t first = std::min(range.first, value_size);
  return {first, std::min(range.count, value_size - first)};
}

/// The version of a value: a text that no other value of the same key has, such as an ETag.
///
/// The version is unknown if the store has no versions, or if the text has more than 79 characters.
/// An object is trivially copyable and allocates nothing.
class value_version {
 public:
  static constexpr std::size_t max_size = 79;

  /// The unknown version.
  constexpr value_version() = default;
  constexpr explicit value_version(std::string_view text) {
    if (text.size() > max_size) return;
    std::copy(text.begin(), text.end(), text_);
    size_ = static_cast<std::uint8_t>(text.size());
  }

  [[nodiscard]] constexpr bool is_known() const { return size_ > 0; }
  /// Returns the text of the version, "" if it is unknown.
  [[nodiscard]] constexpr std::string_view text() const { return {text_, size_}; }

  [[nodiscard]] constexpr bool operator==(const value_version& version) const {
    return text() == version.text();
  }

 private:
  char text_[max_size] = {};
  std::uint8_t size_ = 0;
};

/// The part of a value that was read: `size` bytes, which are in the front of the buffer.
struct value_part {
  /// The position in the value of the first byte of the part.
  std::uint64_t first = 0;
  std::size_t size = 0;
  /// The size of the whole value.
  std::uint64_t value_size = 0;
  value_version version = {};

  [[nodiscard]] bool operator==(const value_part&) const = default;
};

}  // namespace tessera
