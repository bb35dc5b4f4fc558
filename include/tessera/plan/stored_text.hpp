// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stored arrays as text: those that are read, and those that are to be made.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera {

/// Throws value_error, which names the array, unless other processes can open its store.
void check_store(const std::string& array, const std::shared_ptr<key_value_store>& store);

/// Returns as text where `array` is and how it is read.
///
/// Requires: other processes can open its store.
[[nodiscard]] std::string stored_text(const zarr_array& array);

/// Opens the array that `text` describes.
///
/// Throws: value_error <- it has other metadata than it says. Else as opening an array does.
[[nodiscard]] zarr_array parse_stored_text(std::string_view text);

/// Returns `to` as text. Requires: other processes can open its store.
[[nodiscard]] std::string destination_text(const zarr_destination& to);

/// Returns the destination that `text` describes. Throws: as parsing its metadata does.
[[nodiscard]] zarr_destination parse_destination_text(std::string_view text);

}  // namespace tessera
