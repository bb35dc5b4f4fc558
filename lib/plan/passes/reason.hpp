// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Why passes leave operations as they are.

#include "tessera/core/bytes.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera {

/// Why a rewrite may not be made; null: it may.
///
/// Cheap to make, as most are asked for by nobody: its figures become text when they are.
class reason {
 public:
  reason(std::nullptr_t = nullptr) {}
  reason(const char* why) : why_(why) {}
  /// `figures` has a "{}" for each of two sizes, and may say what to do.
  reason(const char* why, const char* figures, bytes first, bytes second)
      : why_(why), figures_(figures), first_(first), second_(second) {}

  [[nodiscard]] explicit operator bool() const { return why_ != nullptr; }
  [[nodiscard]] bool operator==(std::nullptr_t) const { return why_ == nullptr; }

  [[nodiscard]] std::string_view why() const { return why_ == nullptr ? "" : why_; }
  /// Returns it with its figures: "more would be read: 45.6 GB in place of 30.4 GB".
  [[nodiscard]] std::string text() const {
    if (figures_ == nullptr) return std::string(why());
    return fmt::format(
        "{}: {}", why(),
        fmt::format(fmt::runtime(figures_), format_short(first_), format_short(second_)));
  }

 private:
  const char* why_ = nullptr;
  const char* figures_ = nullptr;
  bytes first_;
  bytes second_;
};

/// The reason of every pass once the search is over.
inline constexpr const char* search_is_over =
    "planning has priced as many operands as it may (100,000, and 400 for each array and "
    "operation)";

}  // namespace tessera
