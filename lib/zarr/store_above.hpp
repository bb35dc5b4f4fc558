// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folders that a store lies in, as stores.

#include "tessera/store/key_value_store.hpp"

#include <optional>
#include <string_view>

namespace tessera::detail {

/// Returns the recipe of the folder in which a store lies; nothing for the outermost.
[[nodiscard]] std::optional<store_recipe> store_above(const store_recipe& store);

/// Tells whether the store of a recipe holds `key`: one that must not be looked at holds nothing.
///
/// Throws: store_error <- it cannot be told now, and may be on the next try.
[[nodiscard]] bool holds(const store_recipe& store, std::string_view key);

}  // namespace tessera::detail
