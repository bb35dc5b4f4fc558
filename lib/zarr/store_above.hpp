// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The parent folders of a store, as stores.

#include "tessera/store/key_value_store.hpp"

#include "zarr/api/node_format.hpp"

#include <cstddef>
#include <optional>

namespace tessera::detail {

/// Returns the number of names in a place, which are joined by "/".
[[nodiscard]] std::size_t count_names(std::string_view place);

/// Returns the recipe of the parent folder of a store, or nullopt for the outermost folder: the
/// root names of a scheme, such as a bucket, are no folders.
[[nodiscard]] std::optional<store_recipe> store_above(const store_recipe& store);

/// Tells whether the root of a recipe's store is a node of `kind`. A store without permission to
/// read holds no node.
///
/// Throws: store_error <- the store fails for now; a later call may succeed.
[[nodiscard]] bool holds(const store_recipe& store, node_kind kind);

}  // namespace tessera::detail
