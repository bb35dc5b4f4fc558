// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Locks that tell whether somebody works in a folder.

#include <filesystem>

namespace tessera {

/// Opens and locks `file`, which `flags` (O_CREAT) may make; returns its descriptor, or -1 where
/// somebody else holds it or it cannot be opened. The lock ends with the descriptor, and with the
/// process however that ends.
[[nodiscard]] int open_locked(const std::filesystem::path& file, int flags);

}  // namespace tessera
