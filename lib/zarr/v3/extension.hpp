// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extension points of `zarr.json`, and checked members of their configurations.

#include "tessera/core/index.hpp"

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail::v3 {

/// A value of an extension point: a data type, a grid, a key encoding, a codec.
struct extension {
  std::string name;
  /// An object; empty if the document has none.
  nlohmann::json configuration;
  /// The JSON path of the extension point.
  std::string path;

  /// Returns the path of a member of the configuration.
  [[nodiscard]] std::string path_of(std::string_view member) const;

  /// Returns a member of the configuration, or null if it is absent.
  [[nodiscard]] const nlohmann::json& find(std::string_view member) const;

  /// Throws: zarr_error <- the configuration has a member that is not in `known`.
  void require_members(std::initializer_list<std::string_view> known) const;
};

/// Throws zarr_error: the value at `path` must be `expected`.
[[noreturn]] void refuse(std::string_view path, std::string_view expected,
                         const nlohmann::json& value);

/// Returns the extension of `value`: a name, or an object of "name", "configuration" and
/// "must_understand".
///
/// Throws: zarr_error <- `value` is neither; the message has `path`.
[[nodiscard]] extension parse_extension(const nlohmann::json& value, const std::string& path);

/// Returns the JSON of an extension point. `configuration` is the text of an object.
[[nodiscard]] std::string format_extension(std::string_view name, std::string_view configuration);

/// Returns the integer `value`.
///
/// Throws: zarr_error <- it is no integer in [least, greatest].
[[nodiscard]] index_t parse_integer(const nlohmann::json& value, const std::string& path,
                                    index_t least, index_t greatest);

/// Returns the extents of the list `value`, each at least `least`.
///
/// Throws: zarr_error <- `value` is no list of at most 32 such integers below 2^63.
[[nodiscard]] index_vector parse_extents(const nlohmann::json& value, const std::string& path,
                                         index_t least);

/// Returns `order`, the permutation of a transpose of `rank` axes.
///
/// Throws: zarr_error <- `value` is no permutation of 0 to `rank` - 1.
[[nodiscard]] index_vector parse_permutation(const nlohmann::json& value, const std::string& path,
                                             std::size_t rank);

/// Returns extents as a JSON list.
[[nodiscard]] std::string format_extents(const index_vector& extents);

/// Throws: zarr_error <- an array of `extents` has more than 2^63 - 1 elements or bytes.
void require_count(std::string_view path, const index_vector& extents, std::size_t itemsize);

}  // namespace tessera::detail::v3
