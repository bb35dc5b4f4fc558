// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a worker process does.

#include "executor/descriptor.hpp"

namespace tessera {

/// Runs the batches that are queued in the page in `page` until the other end of `socket` is gone,
/// and returns the process's exit code.
[[nodiscard]] int worker_main(descriptor socket, descriptor page);

}  // namespace tessera
