// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of a store as text in its recipe.

#include "tessera/store/http.hpp"

#include <string>
#include <string_view>

namespace tessera::http {

/// Returns the options that are not the default, as "name=value&name": values are encoded as in
/// URLs.
[[nodiscard]] std::string text_of(const http_options& options);

/// Returns the options of a text. Throws: value_error <- a name or a value is malformed.
[[nodiscard]] http_options parse_options(std::string_view text);

}  // namespace tessera::http
