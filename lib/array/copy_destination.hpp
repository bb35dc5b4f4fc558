// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Destinations of copies of arrays of any data type.

#include "tessera/array/any_array.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the destination at `path` of a copy of `x` with all of its metadata.
[[nodiscard]] std::shared_ptr<const array_destination> copy_destination(const any_array& x,
                                                                        const std::string& path);
[[nodiscard]] std::shared_ptr<const array_destination> copy_destination(
    const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path);

/// Returns the destination at `path` of a copy of `x` in the format of `options`.
[[nodiscard]] std::shared_ptr<const array_destination> copy_destination(
    const any_array& x, const std::string& path, const store_options& options);

}  // namespace tessera::detail
