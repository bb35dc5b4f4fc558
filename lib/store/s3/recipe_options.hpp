// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of a store as text in its location and its recipe.

#include "tessera/store/s3.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::s3 {

/// Returns the names of the options in locations. Keys of access are none.
[[nodiscard]] std::vector<std::string> option_names();

/// Returns the options that are not the default, as "name=value&name": values are encoded as in
/// URLs. Keys of access are left out.
[[nodiscard]] std::string text_of(const s3_options& options);

/// Returns the options of a text. Throws: value_error <- a name or a value is malformed.
[[nodiscard]] s3_options parse_options(std::string_view text);

}  // namespace tessera::s3
