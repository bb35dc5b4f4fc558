// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks of events as bytes. Times are in microseconds, cut off, so that all figures of a record
/// are sums of whole microseconds.

#include "observe/api/run_log.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The most events of a block.
inline constexpr std::size_t max_block_events = 4096;
/// The longest text of an event, in bytes. Longer ones lose their ends.
inline constexpr std::size_t max_event_text = 1024;

/// Returns the bytes of a block with `events`, at most `max_block_events`.
[[nodiscard]] std::string encode_events(std::span<const run_event> events);

/// Returns the events of a block; nullopt if `block` is none.
[[nodiscard]] std::optional<std::vector<run_event>> decode_events(std::string_view block);

}  // namespace tessera
