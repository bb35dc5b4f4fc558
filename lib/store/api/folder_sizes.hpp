// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sizes of folders of stores.

#include "tessera/core/bytes.hpp"
#include "tessera/store/key_value_store.hpp"

#include <string_view>

namespace tessera::detail {

/// A store whose lists tell sizes: it need not be asked for each value.
class lists_of_sizes {
 public:
  virtual ~lists_of_sizes() = default;
  /// Returns the size of all values in `folder` and below it.
  [[nodiscard]] virtual bytes size_below(std::string_view folder) const = 0;
};

/// Returns the size of all values of a store.
[[nodiscard]] bytes size_of_values(const key_value_store& store);

}  // namespace tessera::detail
