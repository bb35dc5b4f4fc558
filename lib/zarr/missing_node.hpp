// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The error of a path without an array or a group.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Throws zarr_error: there is no `wanted`, "array" or "group", at `path`. The message describes
/// the file or node that is there instead.
[[noreturn]] void throw_no_node(const std::shared_ptr<key_value_store>& store,
                                const std::string& path, std::string_view wanted);

}  // namespace tessera::detail
