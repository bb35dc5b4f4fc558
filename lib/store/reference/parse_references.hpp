// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The JSON of reference documents.
///
/// A document of version 1 is an object with the members "version", "refs" and, in older ones,
/// "templates" and "gen". The members of "refs" are the references. A document of version 0 is the
/// object of references alone. A reference is a string, which is the value itself or its base64
/// after "base64:"; a list [url] or [url, offset, length]; or an object, which is the value as
/// JSON.
///
/// The parser keeps no tree: a document has millions of references.

#include "store/reference/reference_table.hpp"

#include <iosfwd>
#include <string_view>

namespace tessera::detail {

/// Returns the references of a document. `name` is the document's name for messages.
///
/// Throws: store_error <- the text is no reference document, a target is refused by `prefixes`, or
/// the document has templates or generated keys. Errors of the stream pass through.
[[nodiscard]] reference_table parse_references(std::istream& text, const target_prefixes& prefixes,
                                               std::string_view name);

}  // namespace tessera::detail
