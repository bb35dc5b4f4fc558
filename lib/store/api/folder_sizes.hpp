// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sizes of values and folders of stores.

#include "tessera/core/bytes.hpp"
#include "tessera/store/key_value_store.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace tessera::detail {

/// Takes a key and the size of its value in bytes.
using size_visitor = std::function<void(std::string_view key, std::uint64_t size)>;

/// A store whose lists tell sizes: it need not be asked for each value.
class lists_of_sizes {
 public:
  virtual ~lists_of_sizes() = default;
  /// Calls `visit` with each key in `folder` and below it, in any order.
  virtual void for_each_size(std::string_view folder, const size_visitor& visit) const = 0;
};

/// Returns the size of all values of a store.
[[nodiscard]] bytes size_of_values(const key_value_store& store);

}  // namespace tessera::detail
