// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The hash of objects behind an interface.

#include <cstddef>

namespace tessera {

/// The interface of classes whose objects compare, as by `array_source::is_same`. A table of hashes
/// finds equal objects among very many.
class hashed {
 public:
  /// Returns a number that is equal for equal values, and rarely equal for different ones.
  [[nodiscard]] virtual std::size_t hash() const = 0;

 protected:
  ~hashed() = default;
};

}  // namespace tessera
