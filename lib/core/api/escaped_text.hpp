// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Texts as parts of documents in other languages.

#include <string>
#include <string_view>

namespace tessera {

/// Returns `text` as the content of an element of HTML, SVG or XML.
[[nodiscard]] std::string markup_text(std::string_view text);

/// Returns `text` as a field of a table in CSV (RFC 4180): in quotes if it holds a comma, a quote
/// or the end of a line.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace tessera
