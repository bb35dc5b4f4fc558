// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of this host.

#include "tessera/core/bytes.hpp"

namespace tessera {

/// Returns the memory that this process may use on its host: what is installed, or the limit of its
/// control groups (versions 1 and 2) where that is less.
[[nodiscard]] bytes host_memory();

}  // namespace tessera
