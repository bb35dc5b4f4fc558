// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files of claims in directories.

#include <string>
#include <string_view>

namespace tessera::detail {

/// Tells whether the key `name`, directly in the store of the directory `directory`, may have
/// claims. It has none if the result is false.
[[nodiscard]] bool may_have_claims(const std::string& directory, std::string_view name);

}  // namespace tessera::detail
