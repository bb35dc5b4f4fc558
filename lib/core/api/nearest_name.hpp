// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The name that somebody may have meant.

#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Returns ` (did you mean "threads"?)` with the name among `names` that is nearest to `text` and
/// `prefix` before it, or nothing if none is near. A near name begins with the text, or comes of it
/// by two mistakes, in longer texts by one for three letters. A mistake is a letter that is
/// missing, too much, another, or exchanged with its neighbour.
[[nodiscard]] std::string did_you_mean(std::string_view text,
                                       std::span<const std::string_view> names,
                                       std::string_view prefix = {});

}  // namespace tessera
