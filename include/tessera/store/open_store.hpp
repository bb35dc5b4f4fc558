// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stores that this program can open by what they are called.

#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <memory>
#include <string>

namespace tessera {

/// Makes the store that a recipe describes: one whose keys are in the folder `place`. It may be
/// called for each folder above an array, and touches nothing. It may throw value_error,
/// store_error.
using store_factory = std::function<std::shared_ptr<key_value_store>(const store_recipe&)>;

/// Makes stores known by `scheme`, and returns true: `const bool is_known = register_store(...);`
/// at namespace scope. Registering a scheme again replaces it. "file" is the library's.
bool register_store(const std::string& scheme, store_factory make);

/// Returns the store that `recipe` describes.
///
/// Throws: value_error <- no such scheme is known, the message says which are; what the store
/// throws.
[[nodiscard]] std::shared_ptr<key_value_store> open_store(const store_recipe& recipe);

/// Returns the store at `where`: "scheme://place", with a scheme as in RFC 3986, or a path, which
/// is that of a directory.
///
/// Throws: as for a recipe.
[[nodiscard]] std::shared_ptr<key_value_store> open_store(const std::string& where);

/// Returns the recipe of the store at `where`, whose place is as the store itself says it: absolute
/// for a directory.
///
/// Throws: as `open_store`.
[[nodiscard]] store_recipe recipe_of_store(const std::string& where);

}  // namespace tessera
