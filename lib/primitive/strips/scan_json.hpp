// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans as JSON.

#include "tessera/primitive/strips.hpp"

#include <nlohmann/json.hpp>

namespace tessera::detail {

[[nodiscard]] nlohmann::json scan_json(const scan_sink& scan);
[[nodiscard]] scan_sink parse_scan(const nlohmann::json& value);

}  // namespace tessera::detail
