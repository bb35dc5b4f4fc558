// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The indices between the parentheses of `x(...)`, and the lengths of chunks.

#include "tessera/core/index.hpp"

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

namespace tessera {

/// The type of `whole`.
struct whole_t {
  explicit whole_t() = default;
};
/// The whole axis: as an index, or as the length of a chunk.
inline constexpr whole_t whole{};

/// The type of `newaxis`.
struct newaxis_t {
  explicit newaxis_t() = default;
};
/// A new axis of extent 1.
inline constexpr newaxis_t newaxis{};

/// The type of `ellipsis`.
struct ellipsis_t {
  explicit ellipsis_t() = default;
};
/// As many whole axes as the other indices leave.
inline constexpr ellipsis_t ellipsis{};

/// The type of `none`.
struct none_t {
  explicit none_t() = default;
};
/// A bound of a slice that is left out: `slice(none, 10)` is Python's `:10`.
inline constexpr none_t none{};

/// A bound or the step of a slice: an integer, or `none`.
class slice_bound {
 public:
  constexpr slice_bound(none_t) {}
  constexpr slice_bound(index_t value) : value_(value) {}
  [[nodiscard]] constexpr const std::optional<index_t>& value() const { return value_; }

 private:
  std::optional<index_t> value_;
};

/// Python's slice: from `start` to before `stop`, in steps of `step`; negative bounds count from
/// the end, bounds beyond the ends are cut off.
struct slice {
  std::optional<index_t> start;
  std::optional<index_t> stop;
  std::optional<index_t> step;

  /// Python's `:`.
  constexpr slice(whole_t) {}
  /// Python's `:stop`.
  constexpr explicit slice(slice_bound stop_) : stop(stop_.value()) {}
  template <std::convertible_to<std::string_view> Text>
  explicit slice(const Text&) {
    static_assert(std::is_void_v<Text>,
                  "tessera::slice(text): requires numbers: slice(0, 10, 2) is Python's 0:10:2, "
                  "slice(none, 10) its :10, slice(3, none) its 3:");
  }
  /// Python's `start:stop:step`.
  constexpr slice(slice_bound start_, slice_bound stop_, slice_bound step_ = none)
      : start(start_.value()), stop(stop_.value()), step(step_.value()) {}
};

}  // namespace tessera
