// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From a codec's options to a configuration.

#include "tessera/codec/configuration.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera::codec {

/// Returns the configuration of a JSON object, in which the option `open` may be null.
///
/// Throws: codec_error <- an option is out of range.
inline configuration chosen_by(const nlohmann::json& object, const char* open = nullptr) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  return configuration::from_json(object.dump(-1, ' ', true, replace), open);
}

/// Returns NumPy's name of a dtype in this machine's byte order, or null. Codecs refuse names of
/// unsupported types.
inline nlohmann::json text_of(std::optional<tessera::dtype> type) {
  if (!type) return nullptr;
  return std::string(name_of(*type));
}

}  // namespace tessera::codec
