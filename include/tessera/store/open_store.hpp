// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stores that this program can open by their location.

#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Makes the store that a recipe describes: one whose keys are in the folder `place`. It may be
/// called for each folder above an array, and touches nothing. It may throw value_error,
/// store_error.
using store_factory = std::function<std::shared_ptr<key_value_store>(const store_recipe&)>;

/// The rules of the locations "scheme://place" of a scheme.
struct location_rules {
  /// The number of leading names of a place that are no folders, such as a host and a bucket. No
  /// store is looked for above them.
  std::size_t root_names = 0;
  /// If not empty, the root names end instead with the first name that ends in this text, ".json"
  /// for a store in a file.
  std::string root_ending = {};
  /// The names of the options. "a" and "b" stand behind the last "?" of "scheme://place?a&b=value".
  /// The recipe has their text. If there are none, a "?" is a part of the place.
  std::vector<std::string> option_names = {};
};

/// Makes stores known by `scheme`, and returns true: `const bool is_known = register_store(...);`
/// at namespace scope. Registering a scheme again replaces it. "file" and "memory" are the
/// library's.
bool register_store(const std::string& scheme, store_factory make, location_rules rules = {});

/// Returns the number of leading names of `place` that are no folders, 0 if the scheme is not
/// known. Names are separated by one or more slashes.
[[nodiscard]] std::size_t root_names_of(const std::string& scheme, std::string_view place = {});

/// Returns the store that `recipe` describes.
///
/// Throws: value_error <- no such scheme is known, the message says which are; the errors of the
/// store.
[[nodiscard]] std::shared_ptr<key_value_store> open_store(const store_recipe& recipe);

/// Returns the store at `location`: "scheme://place" or "scheme://place?options", with a scheme as
/// in RFC 3986, or the path of a directory, which has no options.
///
/// Throws: as for a recipe. value_error <- an option is unknown; the message lists the known ones.
[[nodiscard]] std::shared_ptr<key_value_store> open_store(const std::string& location);

/// Returns the recipe of the store at `location`. Its place is in the store's own form: absolute
/// for a directory.
///
/// Throws: as `open_store`.
[[nodiscard]] store_recipe recipe_of_store(const std::string& location);

}  // namespace tessera
