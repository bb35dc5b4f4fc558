// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Libraries that keep memory for good once they have been used, such as BLAS.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A library that keeps memory for good once it has been used.
struct resident_library {
  /// Returns an address of its code, or 0 while it is not loaded.
  std::uintptr_t (*address)() = nullptr;
  /// Allocates the memory that the library keeps.
  void (*prepare)() = nullptr;
};

/// Registers a library, and returns true: `const bool is_known = register_resident_library(...);`
/// at namespace scope. Registering a name again replaces the library. Thread-safe.
bool register_resident_library(std::string_view name, const resident_library& library);

/// Returns the registered libraries, in the order of their names. Thread-safe.
[[nodiscard]] std::vector<resident_library> resident_libraries();

/// Returns the names of the registered libraries that are loaded, in order. Thread-safe.
[[nodiscard]] std::vector<std::string> loaded_resident_libraries();

/// Lets each library allocate the memory that it keeps. It is called before the memory of a process
/// is measured or limited: under a limit without room for it OpenBLAS would try for ever.
void prepare_resident_libraries();

/// As above, of the registered libraries with these names, separated by commas.
void prepare_resident_libraries(std::string_view names);

/// Sets a function that is called before a library is loaded, as by a plan that a task makes: a
/// worker lifts its limit there. Thread-safe.
void set_before_library_load(std::function<void()> function);

/// Calls the function that was set, if any. A library is loaded by the caller.
void announce_library_load();

}  // namespace tessera
