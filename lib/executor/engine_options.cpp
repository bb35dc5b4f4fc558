// SPDX-License-Identifier: Apache-2.0
#include "executor/engine_options.hpp"

#include "tessera/core/error.hpp"

#include "core/api/nearest_name.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

namespace tessera {

namespace {

std::string list_of(std::span<const std::string_view> keys) {
  return fmt::format("{} and {}", fmt::join(keys.first(keys.size() - 1), ", "), keys.back());
}

std::string complaint_about(std::string_view part, const option_syntax& syntax,
                            const option_taker& take) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string_view key = part.substr(0, equals);
  const std::string value(part.substr(std::min(equals + 1, part.size())));
  if (value.empty()) return fmt::format("\"{}\" has no value", part);
  if (std::ranges::find(syntax.keys, key) == syntax.keys.end()) {
    return fmt::format("\"{}\" is no option{}", key, did_you_mean(key, syntax.keys));
  }
  return take(key, value);
}

}  // namespace

void read_engine_options(std::string_view name, const option_syntax& syntax,
                         const option_taker& take) {
  std::string_view rest = name.substr(std::min(name.find(':'), name.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::string complaint = complaint_about(part, syntax, take);
    if (!complaint.empty()) {
      throw value_error(fmt::format("executor \"{}\": {}; options are {}, as in \"{}\"", name,
                                    complaint, list_of(syntax.keys), syntax.example));
    }
    rest.remove_prefix(part.size());
  }
}

std::string take_count(const std::string& value, std::string_view things, std::size_t& count) {
  const char* const end = value.data() + value.size();
  const auto [stop, failure] = std::from_chars(value.data(), end, count);
  if (failure == std::errc{} && stop == end && count > 0) return {};
  return fmt::format("\"{}\" is no number of {}", value, things);
}

}  // namespace tessera
