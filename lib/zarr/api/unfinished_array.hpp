// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays that a run overwrites, and has read before.

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns `opened` with the metadata from before a run began to overwrite it, or `opened` itself
/// if there is no such run.
///
/// Throws: zarr_error <- the note of the run is malformed.
[[nodiscard]] zarr_array as_before_overwriting(zarr_array opened);

/// Leaves a note in the array at `path` that a copy, of the program `tessera`, writes an array with
/// `metadata` there and has not ended. `erase_note_of_copy` removes it.
void note_copy(key_value_store& store, const std::string& path, const zarr_metadata& metadata);
void erase_note_of_copy(key_value_store& store, const std::string& path);

/// Throws zarr_error if a run has begun to overwrite the array at `path` in `store` and has not
/// ended. `action` begins the message: "copy".
void refuse_unfinished(const key_value_store& store, const std::string& path,
                       std::string_view action);

}  // namespace tessera::detail
