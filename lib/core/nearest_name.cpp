// SPDX-License-Identifier: Apache-2.0
#include "core/api/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the optimal string alignment distance: insertions, deletions, substitutions, and swaps
/// of neighbouring letters.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      const bool is_exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names,
                         std::string_view prefix) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string_view name : names) {
    const bool is_beginning = text.size() > 1 && name.starts_with(text);
    const std::size_t away = is_beginning ? 1 : distance(text, name);
    // A name without a common letter is no suggestion.
    if (away < least && away < std::max(text.size(), name.size())) {
      nearest = name;
      least = away;
    }
  }
  return nearest.empty() ? std::string()
                         : fmt::format(" (did you mean \"{}{}\"?)", prefix, nearest);
}

}  // namespace tessera
