// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An element of any data type as JSON: the member "fill_value" of `.zarray`.

#include "tessera/zarr/zarr_metadata.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace tessera::detail {

/// Returns the element that `value`, which is not null, stands for.
///
/// Numbers as `parse_fill_value`; times are a number of ticks or "NaT"; strings of bytes, raw bytes
/// and records are their stored bytes in base64, strings without the NULs behind them too; texts
/// are strings.
///
/// Throws: zarr_error <- it is something else, or does not fit.
[[nodiscard]] element_bytes parse_element(const nlohmann::json& value, const data_type& type);

/// Returns the JSON of an element.
///
/// Throws: zarr_error <- a text that is not Unicode.
[[nodiscard]] std::string format_element(const element_bytes& element, const data_type& type);

}  // namespace tessera::detail
