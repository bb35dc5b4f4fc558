// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tells the signal handlers that a computation is running.

namespace tessera {

/// Tells the signal handlers that a computation is running, for the lifetime of the object.
///
/// The end of the last running computation clears the request to stop.
class interruptible_scope {
 public:
  interruptible_scope() noexcept;
  interruptible_scope(const interruptible_scope&) = delete;
  interruptible_scope& operator=(const interruptible_scope&) = delete;
  ~interruptible_scope();
};

}  // namespace tessera
