// SPDX-License-Identifier: Apache-2.0
#include "json/values.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::fields {

namespace {

constexpr std::size_t greatest_depth = 4096;

}  // namespace

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t greatest = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      if (c == '\\') ++i;
      is_string = c != '"';
    } else if (c == '"') {
      is_string = true;
    } else if (c == '[' || c == '{') {
      greatest = std::max(greatest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return greatest;
}

json parse(std::string_view text) {
  if (depth_of(text) > greatest_depth) {
    throw value_error(fmt::format("found JSON that is nested more than {} deep", greatest_depth));
  }
  return json::parse(text);
}

json parse_or_discard(std::string_view text) {
  if (depth_of(text) > greatest_depth) return json::value_t::discarded;
  return json::parse(text, nullptr, false);
}

index_t integer(const json& value) {
  if (const std::optional<std::int64_t> number = integer_if(value)) return *number;
  throw value_error(fmt::format("found {} where an integer of 64 bits belongs", value.dump()));
}

index_t integer_in(const json& value, index_t low, index_t high) {
  const index_t number = integer(value);
  if (low <= number && number <= high) return number;
  throw value_error(fmt::format("found {}, which is not from {} to {}", number, low, high));
}

std::size_t count(const json& value) {
  return static_cast<std::size_t>(integer_in(value, 0, std::numeric_limits<index_t>::max()));
}

std::size_t number_below(const json& value, std::size_t limit) {
  const std::size_t number = count(value);
  if (number < limit) return number;
  throw value_error(fmt::format(
      "found the number {}, but there are only {} to choose from, counted from 0", number, limit));
}

double real(const json& value) { return value.get<double>(); }

const std::string& text(const json& value) { return value.get_ref<const std::string&>(); }

bool flag(const json& value) { return value.get_ref<const bool&>(); }

const json::array_t& list(const json& value) { return value.get_ref<const json::array_t&>(); }

json of(const index_vector& values) { return std::vector<index_t>(values.begin(), values.end()); }

index_vector indices(const json& value) {
  index_vector values;
  for (const json& item : list(value)) values.push_back(integer(item));
  return values;
}

std::vector<std::size_t> counts(const json& value) {
  std::vector<std::size_t> values;
  for (const json& item : list(value)) values.push_back(count(item));
  return values;
}

}  // namespace tessera::fields
