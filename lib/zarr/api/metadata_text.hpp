// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Metadata files as texts, of which no more is understood than is asked for.

#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns `object`, a JSON object, with the JSON `value` as its member `name`; the other members
/// stay as they are, letter for letter.
///
/// Throws: zarr_error <- `object` is no JSON object.
[[nodiscard]] std::string with_member(std::string_view object, std::string_view name,
                                      std::string_view value);

}  // namespace tessera::detail
