// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The location of an array or a group: the store, and the path in it.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>

namespace tessera {

/// The location of an array or a group.
struct zarr_location {
  std::shared_ptr<key_value_store> store;
  /// The path in the store; "" is the store itself.
  std::string path;
};

/// Returns the location of the array or the group at `location`, a path or "scheme://place"; it
/// need not exist.
///
/// Its store is the outermost folder above it whose name ends in ".zarr", or the outermost one
/// from which groups lead to it, or itself: the groups above a node belong to it.
/// Throws: value_error <- as `open_store`.
[[nodiscard]] zarr_location locate(const std::string& location);

}  // namespace tessera
