// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of an array that a run writes, while the rest stays as it is.

#include "tessera/core/index.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include <string>
#include <vector>

namespace tessera::detail {

/// Changes the extents of an array from `old_shape` to the extents of the handle `longer`.
///
/// Throws: zarr_error <- another writer has changed the extents meanwhile.
void commit_append(const zarr_array& longer, const index_vector& old_shape);

/// Returns the identities in the marks of appends that meet `box`.
[[nodiscard]] std::vector<std::string> marked_appends(const key_value_store& store,
                                                      const std::string& path, const region& box);

/// Removes the marks of earlier runs, of the array or of a part, that meet `box`: such a run cannot
/// be continued once another writer changes its elements. The caller has claimed `box`, so that
/// these runs have ended.
void erase_marks(key_value_store& store, const std::string& path, const region& box);

/// Prepares the part `within` of `array` for the run `identity`: removes the marks of other runs
/// and the chunks that the run changes as a whole. A later presence of such a chunk then proves
/// that this run wrote it. A run without an identity is never continued, and overwrites the chunks.
void clear_region(const zarr_array& array, const zarr_region& within, const std::string& identity);

/// Throws zarr_error unless `array`, the stored array of `to`, has the planned metadata and shape.
/// The caller has claimed it.
void require_as_planned(const zarr_destination& to, const zarr_array& array);

}  // namespace tessera::detail
