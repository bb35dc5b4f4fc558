// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Destinations with a first claim in a process that takes long.

namespace tessera {

/// A destination in a store that tests its server before the first claim of a process.
class claimed_destination {
 public:
  /// Tests the server now, in several round trips: once in a process, beside other requests.
  virtual void prepare_claim() const = 0;

 protected:
  ~claimed_destination() = default;
};

}  // namespace tessera
