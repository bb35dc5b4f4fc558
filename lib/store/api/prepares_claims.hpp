// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Claims that need to know the server.

namespace tessera::detail {

/// A store whose first claim in a process asks the server how it works, which takes several round
/// trips.
class prepares_claims {
 public:
  /// Asks now. Later claims do not ask again. Throws: store_error <- the server fails.
  virtual void prepare_claims() = 0;

 protected:
  ~prepares_claims() = default;
};

}  // namespace tessera::detail
