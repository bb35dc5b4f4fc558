// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores that test their servers before they claim.

namespace tessera::detail {

/// A store that tests the conditional writes of its server, in several round trips, before the
/// first claim of a process.
class prepares_claims {
 public:
  /// Tests the server now. Later claims do not. Throws: store_error <- the server fails.
  virtual void prepare_claims() = 0;

 protected:
  ~prepares_claims() = default;
};

}  // namespace tessera::detail
