// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The member "data_type" of `zarr.json`.

#include "tessera/storage/data_type.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail::v3 {

/// The data type whose elements are float32 in memory and the upper half of it in storage.
inline constexpr std::string_view bfloat16_name = "bfloat16";

/// A data type with its name in the document.
struct named_type {
  /// All components are little-endian: the codec "bytes" has the byte order.
  data_type type = dtype::float64;
  /// Distinguishes names of one type: "raw_bytes" from "r24", "struct" from "structured",
  /// "bfloat16" from "float32".
  std::string name;

  [[nodiscard]] bool operator==(const named_type&) const = default;
};

/// Returns the data type of the JSON `value`; `path` is its JSON path in messages.
///
/// Throws: zarr_error <- it is malformed, or not supported.
[[nodiscard]] named_type parse_data_type(const nlohmann::json& value, const std::string& path);

/// Returns the JSON of a data type. `name` selects one of several names, of raw bytes, records and
/// float32.
///
/// Throws: zarr_error <- version 3 has no such type: a field is an array, or has no name.
[[nodiscard]] std::string format_data_type(const data_type& type, std::string_view name = {});

/// Returns the type with all components in `order`.
[[nodiscard]] data_type with_byte_order(const data_type& type, std::endian order);

/// Tells whether a component of an element has more than one byte, so that byte order matters.
[[nodiscard]] bool has_byte_order(const data_type& type);

}  // namespace tessera::detail::v3
