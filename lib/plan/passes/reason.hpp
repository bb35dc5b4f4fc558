// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refusals: why passes leave operations as they are.

#include "tessera/core/bytes.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera {

/// Why a pass refuses to rewrite an operation; null: it does not refuse.
///
/// Cheap to create, as few refusals are printed: the figures become text on demand.
class reason {
 public:
  reason(std::nullptr_t = nullptr) {}
  reason(const char* why) : why_(why) {}
  /// `figures` has a "{}" for each of two sizes, and may name a remedy.
  reason(const char* why, const char* figures, bytes first, bytes second)
      : why_(why), figures_(figures), first_(first), second_(second) {}

  [[nodiscard]] explicit operator bool() const { return why_ != nullptr; }
  [[nodiscard]] bool operator==(std::nullptr_t) const { return why_ == nullptr; }

  [[nodiscard]] std::string_view why() const { return why_ == nullptr ? "" : why_; }
  /// Returns the refusal with its figures: "more would be read: 45.6 GB in place of 30.4 GB".
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

/// Refusals that several passes share. "It" is the operation that is left as it is.
inline constexpr const char* operand_is_requested = "its operand is a requested result";
inline constexpr const char* operand_has_other_readers = "its operand has other readers";
inline constexpr const char* producer_has_other_outputs = "its producer has other outputs";
inline constexpr const char* views_cannot_be_composed =
    "its view of the operand cannot be composed with the pieces of its producer";
inline constexpr const char* input_is_distributed =
    "an input lies in the memory of several processes";
inline constexpr const char* fewer_workers_busy = "fewer workers would have a task";
inline constexpr const char* no_repeated_reads = "no chunk is read twice";
inline constexpr const char* no_primitive_does_both = "no primitive does the work of both";

/// The refusal of every pass once the budget of the search is spent.
inline constexpr const char* search_is_over =
    "planning has priced as many operands as it may (100,000, and 400 for each array and "
    "operation)";

}  // namespace tessera
