// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Takes JSON apart without making values of it: what stands where, in one pass over the text.

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

/// Returns the members of `text`, a JSON object, in its order; names may occur twice. `NaN`,
/// `Infinity` and `-Infinity` may stand bare, as Python writes them; names and strings need not be
/// Unicode. `what` names the text in errors.
///
/// Throws: zarr_error <- `text` is no JSON object, or is nested more than 64 deep.
[[nodiscard]] std::vector<json_member> members_of(std::string_view text, std::string_view what);

/// Returns the elements of `text`, a JSON list.
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view text,
                                                        std::string_view what);

/// Throws zarr_error unless `text` is one JSON value, as `members_of` takes it.
void require_json(std::string_view text, std::string_view what);

/// Tells whether a string of the JSON `text` may have `part` in it; false is certain, and costs no
/// more than looking for it.
[[nodiscard]] bool may_hold(std::string_view text, std::string_view part);

/// Returns the beginning of text that may be anything, in quotes, for a message.
[[nodiscard]] std::string excerpt(std::string_view text);

/// Returns a name that somebody else gave, at most its first 80 characters, for a message.
[[nodiscard]] std::string shortened(std::string_view name);

}  // namespace tessera::detail
