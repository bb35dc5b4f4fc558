// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Processes of one group.

#include <sys/types.h>

namespace tessera::launchers {

/// Tells whether a process of a group runs on this host. Processes that have ended do not count,
/// whether or not a parent has waited.
[[nodiscard]] bool has_running_process(pid_t group);

}  // namespace tessera::launchers
