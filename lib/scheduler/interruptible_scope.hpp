// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Marks that a computation is running, for the handlers of signals.

namespace tessera {

/// Marks that a computation is running. The last one to end forgets the request to stop.
class interruptible_scope {
 public:
  interruptible_scope() noexcept;
  interruptible_scope(const interruptible_scope&) = delete;
  interruptible_scope& operator=(const interruptible_scope&) = delete;
  ~interruptible_scope();
};

}  // namespace tessera
