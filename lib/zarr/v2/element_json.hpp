// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An element of any data type as JSON: the member "fill_value" of `.zarray`.

#include "tessera/zarr/zarr_metadata.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace tessera::detail {

/// Returns the element of the JSON `value`, which is not null.
///
/// Numbers are as in `parse_fill_value`. Times are a number of ticks or "NaT". Strings of bytes,
/// raw bytes and records are their stored bytes in base64; strings may lack the NULs at their end.
/// Texts are strings.
///
/// Throws: zarr_error <- `value` has another type, or does not fit.
[[nodiscard]] element_bytes parse_element(const nlohmann::json& value, const data_type& type);

/// Returns the JSON of an element.
///
/// Throws: zarr_error <- a text is not Unicode.
[[nodiscard]] std::string format_element(const element_bytes& element, const data_type& type);

}  // namespace tessera::detail
