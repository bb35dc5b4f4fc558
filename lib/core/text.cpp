// SPDX-License-Identifier: Apache-2.0
#include "core/api/text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tessera {

namespace {

constexpr std::string_view gap = " ... ";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Returns the end of the number that begins at `at`.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const bool is_exponent =
        (text[at] == 'e') && at + 1 < text.size() &&
        (is_digit(text[at + 1]) || ((text[at + 1] == '-' || text[at + 1] == '+') &&
                                    at + 2 < text.size() && is_digit(text[at + 2])));
    if (is_exponent) {
      at += 2;
    } else if (is_digit(text[at]) || text[at] == '.') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

/// Texts that differ in their numbers alone.
struct likes {
  std::string pattern;
  std::string first;
  std::size_t count = 0;
  bool are_equal = true;
};

std::vector<likes> grouped(const std::vector<std::string>& parts) {
  std::vector<likes> groups;
  for (const std::string& part : parts) {
    const std::string pattern = pattern_of(part);
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const likes& group) { return group.pattern == pattern; });
    if (group == groups.end()) {
      groups.push_back({pattern, part, 1, true});
    } else {
      ++group->count;
      group->are_equal = group->are_equal && group->first == part;
    }
  }
  return groups;
}

}  // namespace

std::string with_commas(index_t count) {
  std::string digits = std::to_string(count);
  const std::ptrdiff_t first = count < 0 ? 1 : 0;
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > first; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  }
  return digits;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  const std::size_t kept = width - std::min(width, gap.size());
  // No character of UTF-8 is cut: its further bytes begin with the bits 10.
  const auto is_inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t head = kept - kept / 3;
  std::size_t tail = text.size() - kept / 3;
  while (head > 0 && is_inside(head)) --head;
  while (is_inside(tail)) ++tail;
  return fmt::format("{}{}{}", text.substr(0, head), gap, text.substr(tail));
}

std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_negative = text[at] == '-' && at + 1 < text.size() && is_digit(text[at + 1]) &&
                             (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(');
    if (is_negative || is_digit(text[at])) {
      pattern += '#';
      at = end_of_number(text, at + 1);
    } else {
      pattern += text[at++];
    }
  }
  return pattern;
}

std::string times(std::string_view first, std::size_t count, bool are_equal, std::size_t width) {
  if (count < 2) return shortened(first, width);
  const std::string suffix = fmt::format("{} x {}", are_equal ? "" : ", ...", count);
  return shortened(first, width - std::min(width, suffix.size())) + suffix;
}

std::string listed(const std::vector<std::string>& parts, std::string_view separator,
                   std::size_t width) {
  std::string text;
  for (const likes& group : grouped(parts)) {
    const std::string part = times(group.first, group.count, group.are_equal, width);
    if (!text.empty() && text.size() + separator.size() + part.size() > width) {
      return text.append(separator).append("...");
    }
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace tessera
