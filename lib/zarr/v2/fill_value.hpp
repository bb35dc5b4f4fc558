// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The member "fill_value" of `.zarray`, in the forms of all known writers.

#include "tessera/core/dtype.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera::detail {

/// Returns the element of the JSON `value`, or nullopt for null.
///
/// Integers may be written 0.0 or "0" (zarr-python accepts both, n5-zarr and z5 wrote them), floats
/// as integers, numeric strings, "NaN", "Infinity" or "-Infinity", booleans as 0 and 1.
///
/// Throws: zarr_error <- `value` has another type, or is out of the dtype's range.
[[nodiscard]] std::optional<element_bytes> parse_fill_value(const nlohmann::json& value,
                                                            dtype type);

/// Returns the JSON of a fill value: floats as the shortest decimal text that rounds to them.
[[nodiscard]] std::string format_fill_value(const std::optional<element_bytes>& value, dtype type);

}  // namespace tessera::detail
