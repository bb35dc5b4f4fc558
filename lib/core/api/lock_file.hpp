// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Locks between processes, by files: they end with the process that holds them.

#include <filesystem>

namespace tessera {

/// Opens and locks `file`, which `flags` (O_CREAT) may make; returns its descriptor. Returns -1 if
/// another process holds the lock or the file cannot be opened. The lock ends with the descriptor,
/// and with the process however that ends. A file system without locks counts as free.
[[nodiscard]] int open_locked(const std::filesystem::path& file, int flags);

/// Makes, opens and locks `file`, and waits as long as somebody else holds it, be it another thread
/// of this process; returns its descriptor, or -1 with the error in errno. A holder that removes
/// the file does so before it closes the descriptor.
[[nodiscard]] int wait_locked(const std::filesystem::path& file);

/// Tells whether `opened` is still the file of this name: its last holder may have removed it.
[[nodiscard]] bool has_name(int opened, const std::filesystem::path& file);

/// Tells whether an error of `wait_locked` says that the file system has no locks.
[[nodiscard]] bool lacks_locks(int failure);

}  // namespace tessera
