// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop of a worker process.

#include "executor/descriptor.hpp"

namespace tessera {

/// Runs the batches in the mailbox `page` until the peer of `socket` is gone. Returns the exit code
/// of the process.
[[nodiscard]] int worker_main(descriptor socket, descriptor page);

}  // namespace tessera
