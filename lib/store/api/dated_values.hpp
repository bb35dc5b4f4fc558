// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The ages of values, by the clock of a server.

#include <chrono>
#include <optional>
#include <string_view>

namespace tessera::detail {

/// A store with the ages of values by the clock of its server.
class dated_values {
 public:
  /// Returns the time since the value of `key` was written, by the server's clock; nullopt if it is
  /// missing. A value has at most 64 KiB.
  ///
  /// Throws: store_error <- the server fails.
  [[nodiscard]] virtual std::optional<std::chrono::seconds> age_of(std::string_view key) const = 0;

 protected:
  ~dated_values() = default;
};

}  // namespace tessera::detail
