// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The numbers of an event, which are the columns of blocks.

#include "observe/api/run_log.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// The columns that blocks do not hold as they are.
inline constexpr std::size_t kind_column = 0;
inline constexpr std::size_t operation_column = 1;
inline constexpr std::size_t first_column = 2;
inline constexpr std::size_t count_column = 3;
inline constexpr std::size_t worker_column = 4;
inline constexpr std::size_t ended_column = 6;
inline constexpr std::size_t duration_column = 7;
inline constexpr std::size_t num_event_columns = 18;
/// The number of the column of texts in the mask of a block.
inline constexpr std::size_t text_column = num_event_columns;

using event_row = std::array<std::uint64_t, num_event_columns>;

/// Times are in microseconds, cut off.
[[nodiscard]] event_row row_of(const run_event& event);

/// Returns the event of `numbers`, or nullopt if they are out of range.
[[nodiscard]] std::optional<run_event> event_of(const event_row& numbers);

/// Tells whether the event is an attempt of a batch on a worker.
[[nodiscard]] bool is_row_of_attempt(const event_row& numbers);

}  // namespace tessera
