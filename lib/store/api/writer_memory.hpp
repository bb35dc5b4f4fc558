// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of values that are written piece by piece to a server.

#include <cstddef>

namespace tessera::detail {

/// A store with writers that send pieces while further pieces are appended.
class sends_pieces {
 public:
  /// Returns the most memory that the writer of one value keeps, with that of its client.
  [[nodiscard]] virtual std::size_t writer_memory() const = 0;

 protected:
  ~sends_pieces() = default;
};

}  // namespace tessera::detail
