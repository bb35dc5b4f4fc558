// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The value of an attribute as JSON.

#include "tessera/zarr/attributes.hpp"

#include "zarr/json_document.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the members of an object whose names are not among `known`.
[[nodiscard]] attributes parse_members(const json_document& object,
                                       std::span<const std::string_view> known = {});

/// Returns a value as JSON; doubles that JSON does not have become strings.
[[nodiscard]] std::string format_attribute(const attribute_value& value);

}  // namespace tessera::detail
