// SPDX-License-Identifier: Apache-2.0
#include "c/handles.hpp"

#include "tessera/core/error.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tessera::c {

namespace {

/// The open arrays. No two arrays of a process have the same handle.
struct open_arrays {
  std::mutex mutex;
  std::map<tessera_array, zarr_array> by_handle;
  tessera_array last = 0;

  /// Requires: `mutex` is held. Throws: value_error <- the handle is not open.
  [[nodiscard]] std::map<tessera_array, zarr_array>::iterator at(tessera_array handle) {
    const auto entry = by_handle.find(handle);
    if (entry != by_handle.end()) return entry;
    throw value_error(fmt::format("{} is no handle of an open array", handle));
  }
};

open_arrays& arrays() {
  static auto& open = *new open_arrays;
  return open;
}

std::string& last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

void set_last_error(const char* text) noexcept {
  try {
    last_error() = text;
  } catch (...) {  // no memory for the text
    last_error().clear();
  }
}

tessera_array add_handle(zarr_array array) {
  open_arrays& open = arrays();
  const std::lock_guard lock(open.mutex);
  open.by_handle.emplace(++open.last, std::move(array));
  return open.last;
}

zarr_array array_of(tessera_array handle) {
  open_arrays& open = arrays();
  const std::lock_guard lock(open.mutex);
  return open.at(handle)->second;
}

void replace_array(tessera_array handle, zarr_array array) {
  open_arrays& open = arrays();
  const std::lock_guard lock(open.mutex);
  open.at(handle)->second = std::move(array);
}

void remove_handle(tessera_array handle) {
  open_arrays& open = arrays();
  const std::lock_guard lock(open.mutex);
  open.by_handle.erase(open.at(handle));
}

void throw_null(const char* name) {
  throw value_error(fmt::format("the argument \"{}\" is null", name));
}

}  // namespace tessera::c

extern "C" const char* tessera_last_error(void) { return tessera::c::last_error().c_str(); }
