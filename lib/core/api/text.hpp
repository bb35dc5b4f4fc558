// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Short forms of texts, which keep tables, pictures and errors to a line.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The longest that the words for an operation or an array are.
inline constexpr std::size_t longest_words = 64;

/// Returns a count for people: "1,234,567".
[[nodiscard]] std::string with_commas(index_t count);

/// Returns `text` with its middle left out as "..." if it is longer than `width`.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width = longest_words);

/// Returns `text` with "#" for each number: the common pattern of similar texts.
[[nodiscard]] std::string pattern_of(std::string_view text);

/// Returns a text for `count` similar texts, of which `first` is one: "sum x 50" if they are equal,
/// else "x + 1, ... x 50".
[[nodiscard]] std::string times(std::string_view first, std::size_t count, bool are_equal,
                                std::size_t width = longest_words);

/// Returns `parts` in a row, those that are alike as one, as many as fit: "mean(u), sum x 9, ...".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts,
                                 std::string_view separator = ", ",
                                 std::size_t width = longest_words);

}  // namespace tessera
