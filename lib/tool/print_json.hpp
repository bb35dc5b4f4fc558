// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints JSON for programs.

#include <iostream>
#include <nlohmann/json.hpp>

namespace tessera::tool {

/// Prints `value` with indentation and a line end. Names that are no UTF-8 have their wrong bytes
/// replaced.
inline void print_json(const nlohmann::ordered_json& value) {
  constexpr int indentation = 2;
  std::cout << value.dump(indentation, ' ', false, nlohmann::json::error_handler_t::replace)
            << '\n';
}

}  // namespace tessera::tool
