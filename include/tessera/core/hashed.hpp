// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values behind an interface that numbers tell apart.

#include <cstddef>

namespace tessera {

/// What a class implements beside an interface that compares, as `array_source::is_same` does, so
/// that equals among very many are found by a table.
class hashed {
 public:
  /// Returns a number that is equal for values that are, and for few others.
  [[nodiscard]] virtual std::size_t hash() const = 0;

 protected:
  ~hashed() = default;
};

}  // namespace tessera
