// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parses untrusted JSON and reads its values: the one place of the library that does.
///
/// A value that is missing or of another type throws nlohmann::json::exception; a value out of
/// range throws value_error. The documents of a format are read by `json/document.hpp`, in its
/// dialect and with messages that name the document.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::fields {

using nlohmann::json;

/// Returns the number of lists and objects of `text` that are open at once.
[[nodiscard]] std::size_t depth_of(std::string_view text);

/// Returns the value of `text`. Writing and destroying a value take as many calls as it is deep, so
/// that its depth is bounded.
///
/// Throws: json::exception <- `text` is no JSON; value_error <- it is nested more than 4096 deep.
[[nodiscard]] json parse(std::string_view text);

/// Returns the value of `text`, or a discarded value if `parse` would throw.
[[nodiscard]] json parse_or_discard(std::string_view text);

/// Returns an integer of the type `T`, or nullopt if the value is none or `T` cannot hold it.
template <class T>
[[nodiscard]] std::optional<T> integer_of_type(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
  }
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
}

/// Returns an integer of 64 bits, or nullopt if the value is none.
[[nodiscard]] inline std::optional<std::int64_t> integer_if(const json& value) {
  return integer_of_type<std::int64_t>(value);
}
[[nodiscard]] index_t integer(const json& value);
/// Returns an integer from `low` to `high`.
[[nodiscard]] index_t integer_in(const json& value, index_t low, index_t high);
/// Returns an integer that is not negative.
[[nodiscard]] std::size_t count(const json& value);
/// Returns an integer below `limit`.
[[nodiscard]] std::size_t number_below(const json& value, std::size_t limit);
/// Returns a number, integers included, as a double.
[[nodiscard]] double real(const json& value);
[[nodiscard]] const std::string& text(const json& value);
[[nodiscard]] bool flag(const json& value);
[[nodiscard]] const json::array_t& list(const json& value);

[[nodiscard]] json of(const index_vector& values);
[[nodiscard]] index_vector indices(const json& value);
[[nodiscard]] std::vector<std::size_t> counts(const json& value);

}  // namespace tessera::fields
