// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores as untrusted JSON: a member that is missing or of another type throws
/// nlohmann::json::exception.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace tessera::detail {

/// Returns the recipe of a store as JSON.
///
/// Throws: value_error <- other processes cannot open the store; the message names `array`.
[[nodiscard]] nlohmann::json store_json(const std::string& array, const key_value_store& store);

/// Throws: value_error <- the scheme is unknown. Passes on errors of the store.
[[nodiscard]] std::shared_ptr<key_value_store> parse_store(const nlohmann::json& value);

}  // namespace tessera::detail
