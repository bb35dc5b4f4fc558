// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of some values of a folder: of an array without the chunks behind its end.

#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Tells whether a value counts, by its key without the folder.
using counted_key = std::function<bool(std::string_view)>;

/// A store that knows the state of some values of a folder without a look at the others.
class partial_states {
 public:
  /// Returns the state of the values in `folder` and below it for which `counts`, as
  /// `key_value_store::state`.
  [[nodiscard]] virtual std::string state_of(std::string_view folder,
                                             const counted_key& counts) const = 0;

 protected:
  ~partial_states() = default;
};

/// Returns the state of the files in and below `folder`, a directory, for which `counts`.
///
/// Throws: store_error <- the directory cannot be listed.
[[nodiscard]] std::string state_of_files(const std::string& folder, const counted_key& counts);

}  // namespace tessera::detail
