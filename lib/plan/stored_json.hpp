// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stored arrays as JSON: those that are read, and those that are to be made.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace tessera {

/// Throws value_error, which names the array, unless other processes can open its store.
void check_store(const std::string& array, const std::shared_ptr<key_value_store>& store);

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
