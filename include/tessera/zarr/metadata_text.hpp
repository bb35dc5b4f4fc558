// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Metadata files as texts, of which no more is understood than is asked for.

#include "tessera/store/key_value_store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Returns `object`, a JSON object, with the JSON `value` as its member `name`; the other members
/// stay as they are, letter for letter.
///
/// Throws: zarr_error <- `object` is no JSON object.
[[nodiscard]] std::string with_member(std::string_view object, std::string_view name,
                                      std::string_view value);

/// Returns how the `.zmetadata` of `group` differs from the files of the nodes at `paths`, each
/// relative to the group and "" for itself: a sentence for each file. The order of members and what
/// zarr-python 3 adds do not count.
///
/// Throws: zarr_error <- it is malformed.
[[nodiscard]] std::vector<std::string> differences_of_consolidated(
    const key_value_store& store, const std::string& group, const std::vector<std::string>& paths);

}  // namespace tessera::detail
