// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Strip programs as JSON.

#include "tessera/kernel/strip_program.hpp"

#include <nlohmann/json.hpp>

namespace tessera::detail {

[[nodiscard]] nlohmann::json program_json(const strip_program& program);

/// Throws: as `json/fields.hpp` for malformed fields; value_error <- a kernel is not known.
[[nodiscard]] strip_program parse_program(const nlohmann::json& value);

}  // namespace tessera::detail
