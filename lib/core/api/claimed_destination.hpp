// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Destinations of which the first claim in a process takes long.

namespace tessera {

/// The interface of a destination whose store may have to be asked how its claims work.
class claimed_destination {
 public:
  /// Asks now, in several round trips: once in a process, beside other requests.
  virtual void prepare_claim() const = 0;

 protected:
  ~claimed_destination() = default;
};

}  // namespace tessera
