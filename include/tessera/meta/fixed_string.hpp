// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Texts as template arguments: `apply_gufunc<"(i)->()">(...)`.

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tessera {

/// A text that the compiler knows.
template <std::size_t Size>
struct fixed_string {
  consteval fixed_string(const char (&literal)[Size]) { std::copy_n(literal, Size, characters); }

  [[nodiscard]] constexpr std::string_view view() const { return {characters, Size - 1}; }

  char characters[Size]{};
};

}  // namespace tessera
