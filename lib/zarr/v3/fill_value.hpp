// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The member "fill_value" of `zarr.json`.

#include "tessera/zarr/zarr_metadata.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail::v3 {

/// Returns the element of the JSON `value`, in this machine's byte order; `path` is its JSON path
/// in messages.
///
/// Floats are a number, "NaN", "Infinity", "-Infinity", or "0x" and all bits. Times are an integer
/// or "NaT". Records are an object, or their little-endian bytes in base64. `name` is the data
/// type's name in the document.
///
/// Throws: zarr_error <- `value` has another type, or is out of range.
/// Source: the Zarr v3 specification, "Fill value"; zarr-extensions, `data-types`.
[[nodiscard]] element_bytes parse_fill(const nlohmann::json& value, const data_type& type,
                                       const std::string& path, std::string_view name = {});

/// Returns the JSON of an element. Numbers are the shortest text that rounds to them; a NaN of
/// other bits than the quiet positive one is its bits. `name` is the data type's name in the
/// document.
///
/// Throws: zarr_error <- a text is not Unicode.
[[nodiscard]] std::string format_fill(const element_bytes& element, const data_type& type,
                                      std::string_view name = {});

/// Returns the fill value of an array for which no one is given: 0, false, "", or "not a time".
[[nodiscard]] element_bytes default_fill(const data_type& type);

}  // namespace tessera::detail::v3
