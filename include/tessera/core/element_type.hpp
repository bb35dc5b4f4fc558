// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The type of an array's elements: numbers, or opaque bytes, which are moved as they are.

#include "tessera/core/dtype.hpp"

#include <cstddef>
#include <string>

namespace tessera {

/// The type of an array's elements: numbers, or opaque bytes, which are moved as they are.
class element_type {
 public:
  /// Numbers.
  element_type(dtype number = dtype{}) : number_(number), size_(size_of(number)) {}

  /// Elements of `size` bytes that are no numbers. `text`, not empty, is the name of the type in
  /// storage, in this machine's byte order; storage creates arrays of the type by it.
  [[nodiscard]] static element_type opaque(std::string text, std::size_t size);

  [[nodiscard]] bool is_number() const { return text_.empty(); }
  /// Throws: dtype_error <- the elements are no numbers.
  [[nodiscard]] dtype number() const;
  /// Returns the bytes of an element.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns the type for people: "float32", `"|S3"`.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool operator==(const element_type&) const = default;

 private:
  dtype number_;
  std::size_t size_;
  /// Empty for numbers.
  std::string text_;
};

}  // namespace tessera
