// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Libraries that keep memory for good once they have been used, such as BLAS.

#include <cstdint>
#include <vector>

namespace tessera {

/// A library that keeps memory for good once it has been used.
struct resident_library {
  /// Returns an address of its code, or 0 while it is not loaded.
  std::uintptr_t (*address)() = nullptr;
  /// Lets it take what it keeps.
  void (*prepare)() = nullptr;
};

/// Makes a library known, and returns true: `const bool is_known =
/// register_resident_library(...);` at namespace scope.
bool register_resident_library(const resident_library& library);

/// Returns the libraries that are known.
[[nodiscard]] const std::vector<resident_library>& resident_libraries();

/// Lets each of them take what it keeps: before the memory of a process is measured or limited, as
/// under a limit that leaves no room for it OpenBLAS would try for ever.
void prepare_resident_libraries();

}  // namespace tessera
