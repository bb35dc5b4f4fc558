// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of this process as the system describes it.

#include "tessera/core/bytes.hpp"

#include <string_view>

namespace tessera {

/// Returns the value of a line of /proc/self/status, "VmRSS:   1234 kB"; zero without the line.
[[nodiscard]] bytes read_process_status(std::string_view key);

}  // namespace tessera
