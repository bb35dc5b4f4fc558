// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens Zarr arrays: the format that functions of the room find at a path.

#include "tessera/array/any_array.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/times.hpp"
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "array/storage_formats.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera {
namespace detail {
namespace {

std::shared_ptr<const stored_array> with_options(const zarr_array& opened,
                                                 const open_options& options) {
  return as_source(
      opened.with({.missing = options.missing, .separator = options.dimension_separator}));
}

}  // namespace

bool register_storage_formats() { return zarr_arrays_are_known(); }

std::shared_ptr<const stored_array> open_stored(const std::string& path,
                                                const open_options& options) {
  return with_options(zarr_array::open(path), options);
}

std::shared_ptr<const stored_array> open_stored(std::shared_ptr<key_value_store> store,
                                                std::string_view path,
                                                const open_options& options) {
  return with_options(zarr_array::open(std::move(store), path), options);
}

}  // namespace detail

const zarr_metadata& any_array::metadata() const {
  if (const zarr_array* const array = zarr_array_of(stored())) return array->metadata();
  throw value_error(
      fmt::format("any_array: {} is no Zarr array, and has no metadata of one", stored().name()));
}

time_axis read_times(const zarr_array& axis) { return read_times(*as_source(axis)); }

}  // namespace tessera
