// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of what a stored array holds.

#include "tessera/zarr/zarr_array.hpp"

#include <string>

namespace tessera {

/// Returns a text that tells the state of the chunks of an array in a directory: a hash of their
/// names, sizes and times, which changes when any of them is written, added or removed.
///
/// Complexity: a look at each file in the array's folder.
/// Requires: the store is a directory. Throws: store_error <- the folder cannot be listed.
[[nodiscard]] std::string state_of_chunks(const zarr_array& array);

}  // namespace tessera
