// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Documents of Zarr version 3 in which a member is exchanged.

#include "tessera/core/error.hpp"

#include "zarr/v3/array_document.hpp"

#include <string>
#include <utility>

namespace tessera::testing {

/// Returns the document of an array in which `name` has another value; an empty value leaves the
/// member out.
inline std::string document_with(const std::string& name, const std::string& value) {
  const std::pair<const char*, const char*> members[] = {
      {"zarr_format", "3"},
      {"node_type", "\"array\""},
      {"shape", "[10, 20]"},
      {"data_type", "\"float64\""},
      {"chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [4, 6]}})"},
      {"chunk_key_encoding", R"({"name": "default"})"},
      {"fill_value", "0.0"},
      {"codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])"}};
  std::string text;
  bool is_known = false;
  for (const auto& [known, usual] : members) {
    const std::string content = known == name ? value : usual;
    is_known = is_known || known == name;
    if (content.empty()) continue;
    text += (text.empty() ? "\"" : ", \"") + std::string(known) + "\": " + content;
  }
  if (!is_known) text += ", \"" + name + "\": " + value;
  return "{" + text + "}";
}

inline detail::v3::array_document parsed(const std::string& name, const std::string& value) {
  return detail::v3::array_document::parse(document_with(name, value));
}

/// Returns the message that refuses a document, or "accepted".
inline std::string refusal_of_text(const std::string& text) {
  try {
    static_cast<void>(detail::v3::array_document::parse(text));
  } catch (const zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

inline std::string refusal_of(const std::string& name, const std::string& value) {
  return refusal_of_text(document_with(name, value));
}

}  // namespace tessera::testing
