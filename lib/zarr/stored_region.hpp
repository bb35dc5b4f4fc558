// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of an array that a run writes, while the rest stays as it is.

#include "tessera/core/index.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include <string>

namespace tessera::detail {

/// Gives the array, which a run has found with the extents `found`, those of the handle `longer`.
///
/// Throws: zarr_error <- somebody else has given it others meanwhile.
void commit_append(const zarr_array& longer, const index_vector& found);

/// Removes the marks of earlier runs that wrote any of `box`, an array's or a part's: they cannot
/// be continued once another writer changes it. The caller has claimed `box`, so that these runs
/// have ended.
void erase_marks(key_value_store& store, const std::string& path, const region& box);

/// Makes room for what the run `identity` writes of `array`: chunks that it changes as a whole and
/// marks of other runs go, so that whatever such chunk is there later is of this run. A run without
/// an identity is never continued, and writes over the chunks that are there.
void clear_region(const zarr_array& array, const zarr_region& within, const std::string& identity);

/// Throws zarr_error unless the array that is at the place of `to`, which the caller has claimed,
/// is the one that it was planned for.
void require_as_planned(const zarr_destination& to, const zarr_array& found);

}  // namespace tessera::detail
