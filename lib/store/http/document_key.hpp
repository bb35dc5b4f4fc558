// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The keys of documents, which are told from those of chunks by their names.

#include <string_view>

namespace tessera::http {

/// Tells whether a key is that of a document, and not of a chunk: its name, behind the last slash,
/// begins with a dot or ends in ".json".
[[nodiscard]] inline bool is_document_key(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return name.starts_with('.') || name.ends_with(".json");
}

}  // namespace tessera::http
