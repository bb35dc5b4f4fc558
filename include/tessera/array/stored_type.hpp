// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stored data type of the numbers of an open array: points in time, for example.

#include "tessera/array/array.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/storage/data_type.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tessera {

/// The value for "not a time" (NaT) among times.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

namespace detail {

[[nodiscard]] data_type stored_type_of(const array_view& view);

}  // namespace detail

/// Returns the stored data type of an array that was opened. For times, which are int64 in the
/// array, it has the unit of the counts: `unit()` and `multiple()`.
///
/// Example: `if (ts::stored_type(t).unit() == "ns") { ... }`
/// Throws:  value_error <- `x` is not stored.
template <element T, std::size_t N>
[[nodiscard]] data_type stored_type(const array<T, N>& x) {
  return detail::stored_type_of(x.view());
}

}  // namespace tessera
