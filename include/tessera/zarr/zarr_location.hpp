// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where an array or a group is: in which store, and at which path in it.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>

namespace tessera {

/// Where an array or a group is.
struct zarr_location {
  std::shared_ptr<key_value_store> store;
  /// The path in the store; "" is the store itself.
  std::string path;
};

/// Returns where the array or the group at `where`, a path or "scheme://place", is or would be.
///
/// Its store is the outermost folder above it whose name ends in ".zarr", or the outermost one
/// from which groups lead to it, or itself: the groups above a node belong to it.
/// Throws: value_error <- as `open_store`.
[[nodiscard]] zarr_location locate(const std::string& where);

}  // namespace tessera
