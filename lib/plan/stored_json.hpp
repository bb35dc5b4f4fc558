// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stored arrays as JSON: those that are read, and those that are to be made.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/stored_text.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <nlohmann/json.hpp>

namespace tessera {

/// Returns as JSON where `array` is and how it is read.
///
/// Requires: other processes can open its store.
[[nodiscard]] nlohmann::json stored_json(const zarr_array& array);

/// Opens the array that `json` describes.
///
/// Throws: value_error <- it has other metadata than it says. Else as opening an array does.
[[nodiscard]] zarr_array parse_stored(const nlohmann::json& json);

/// Returns `to` as JSON. Requires: other processes can open its store.
[[nodiscard]] nlohmann::json destination_json(const zarr_destination& to);

/// Returns the destination that `json` describes. Throws: as parsing its metadata does.
[[nodiscard]] zarr_destination parse_destination(const nlohmann::json& json);

}  // namespace tessera
