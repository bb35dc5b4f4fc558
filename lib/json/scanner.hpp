// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Splits JSON into the texts of its members, in one pass and without parsing values.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A member of a JSON object.
struct json_member {
  std::string name;
  /// The name as it stands in the text, in its quotes.
  std::string_view name_text;
  std::string_view value_text;
};

/// Returns the members of `text`, a JSON object, in their order; names may occur twice. `NaN`,
/// `Infinity` and `-Infinity` may stand bare, as Python writes them; names and strings need not be
/// Unicode. Messages call the text `document`.
///
/// Throws: zarr_error <- `text` is no JSON object, or is nested more than 64 deep.
[[nodiscard]] std::vector<json_member> members_of(std::string_view text, std::string_view document);

/// Takes the texts of a member: its name, in its quotes, and its value.
using member_visitor = std::function<void(std::string_view name, std::string_view value)>;

/// Calls `visit` with each member of `text`, as `members_of` returns them, in any number.
void for_each_member(std::string_view text, std::string_view document, const member_visitor& visit);

/// Returns the number of members of `text`, a JSON object. Throws: zarr_error <- as `members_of`.
[[nodiscard]] std::size_t count_members(std::string_view text, std::string_view document);

/// Returns the name of a member, by the text `name` in its quotes; without the quotes alone if it
/// is no Unicode text.
[[nodiscard]] std::string name_of_member(std::string_view name);

/// Returns the elements of `text`, a JSON list.
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view text,
                                                        std::string_view document);

/// Throws zarr_error unless `text` is a single JSON value, in the dialect of `members_of`.
void require_json(std::string_view text, std::string_view document);

/// Tells whether a string of the JSON `text` may contain `part`. False is certain; the cost is one
/// search of the text.
[[nodiscard]] bool may_hold(std::string_view text, std::string_view part);

/// Returns the beginning of untrusted text, in quotes, for a message.
[[nodiscard]] std::string excerpt(std::string_view text);

/// Returns at most the first 80 characters of an untrusted name, for a message.
[[nodiscard]] std::string shortened(std::string_view name);

}  // namespace tessera::detail
