// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Creates the files of an array in a store, and removes the files of the array that it replaces.

#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <string>

namespace tessera::detail {

struct zarr_array_state;

/// Tells whether a new array with `metadata` replaces an array at `path`.
///
/// Throws: zarr_error <- `policy` keeps the old array, or a file that stays is in the way of a
/// chunk of the new one (zarr/api/array_files.hpp).
bool require_replaceable(key_value_store& store, const std::string& path,
                         const zarr_metadata& metadata, existing policy);

/// Creates an array at `path`, as `zarr_array::create` does, for a writer that has claimed it.
[[nodiscard]] std::shared_ptr<const zarr_array_state> create_array(
    const std::shared_ptr<key_value_store>& store, const std::string& path,
    const zarr_metadata& metadata, const attributes& values, existing policy);

}  // namespace tessera::detail
