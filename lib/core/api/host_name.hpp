// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The name of this host.

#include <string>

namespace tessera {

/// Returns the name of this host, "unknown-host" if the system does not tell it.
[[nodiscard]] std::string host_name();

}  // namespace tessera
