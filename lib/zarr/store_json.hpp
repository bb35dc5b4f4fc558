// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores as JSON that nobody vouches for: what is missing or of another type throws
/// nlohmann::json::exception.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace tessera::detail {

[[nodiscard]] inline const std::string& text_of(const nlohmann::json& value) {
  return value.get_ref<const std::string&>();
}
[[nodiscard]] inline bool flag_of(const nlohmann::json& value) {
  return value.get_ref<const bool&>();
}

/// Returns the recipe of a store as JSON.
///
/// Throws: value_error <- other processes cannot open it: the message names `array`.
[[nodiscard]] nlohmann::json store_json(const std::string& array, const key_value_store& store);

/// Throws: value_error <- no such store is known; what the store throws.
[[nodiscard]] std::shared_ptr<key_value_store> parse_store(const nlohmann::json& value);

}  // namespace tessera::detail
