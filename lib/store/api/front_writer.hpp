// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writers of values of which the first bytes are known last.

#include <cstddef>
#include <span>

namespace tessera::detail {

/// A writer whose first bytes can be replaced until the value is finished.
class front_writer {
 public:
  /// Replaces the first bytes of the value, which were appended before, by `front`.
  ///
  /// Throws: store_error <- the store fails; the value is discarded.
  virtual void write_front(std::span<const std::byte> front) = 0;

 protected:
  ~front_writer() = default;
};

}  // namespace tessera::detail
