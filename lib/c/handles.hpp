// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Handles of open arrays, and the function that stops exceptions before they reach C.

#include "tessera/c/tessera.h"
#include "tessera/zarr/zarr_array.hpp"

#include <exception>

namespace tessera::c {

/// Makes `text` the last error of this thread.
void set_last_error(const char* text) noexcept;

/// Returns a new handle on an array.
[[nodiscard]] tessera_array add_handle(zarr_array array);
/// Returns the array of a handle. Throws: value_error <- it is closed, or was never open.
[[nodiscard]] zarr_array array_of(tessera_array handle);
/// Gives a handle another state of its array. Throws: as `array_of`.
void replace_array(tessera_array handle, zarr_array array);
/// Throws: as `array_of`.
void remove_handle(tessera_array handle);

/// Throws value_error: the argument `name` is null.
[[noreturn]] void throw_null(const char* name);

/// Returns `pointer`. Throws: value_error <- it is null; the message calls it `name`.
template <class T>
[[nodiscard]] T* required(T* pointer, const char* name) {
  if (pointer == nullptr) throw_null(name);
  return pointer;
}

/// Calls `action`. Returns 0, or -1 after an exception, which becomes the last error.
template <class F>
int guarded(F&& action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception& failure) {
    set_last_error(failure.what());
  } catch (...) {
    set_last_error("an exception of an unknown type");
  }
  return -1;
}

}  // namespace tessera::c
