// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a codec's options become a configuration.

#include "tessera/codec/configuration.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera::codec {

/// Returns the choice that an object states, in which the option `open` may be null.
///
/// Throws: codec_error <- an option is out of range.
inline configuration chosen_by(const nlohmann::json& object, const char* open = nullptr) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  return configuration::from_json(object.dump(-1, ' ', true, replace), open);
}

/// Returns the name that NumPy has for a dtype of this machine's byte order, or null; codecs refuse
/// those of which they know nothing.
inline nlohmann::json text_of(std::optional<tessera::dtype> type) {
  if (!type) return nullptr;
  return std::string(name_of(*type));
}

}  // namespace tessera::codec
