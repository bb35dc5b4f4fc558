// SPDX-License-Identifier: Apache-2.0
/// \file
/// Blocks of logs of version 3, which are read and not written any more.
#include "observe/record/event_block.hpp"
#include "observe/record/event_row.hpp"
#include "observe/record/varint.hpp"

#include <utility>

namespace tessera {

namespace {

/// Tells whether a column holds the numbers themselves.
constexpr bool is_plain(std::size_t column) {
  return column == worker_column || column == duration_column;
}

/// Takes a text, which follows its size, from the front of a block.
std::optional<std::string> take_text(std::string_view& block) {
  const std::optional<std::uint64_t> size = take_varint(block);
  if (!size || *size > max_event_text || *size > block.size()) return std::nullopt;
  std::string text(block.substr(0, *size));
  block.remove_prefix(*size);
  return text;
}

/// Fills a column of `rows` from the front of a block. Returns false if it is not whole.
bool take_column(std::string_view& block, std::size_t column, std::vector<event_row>& rows) {
  std::uint64_t value = 0;
  for (event_row& numbers : rows) {
    const std::optional<std::uint64_t> number = take_varint(block);
    if (!number) return false;
    value = is_plain(column) ? *number : value + from_zigzag(*number);
    numbers[column] = value;
  }
  return true;
}

}  // namespace

std::optional<std::vector<run_event>> decode_block_3(std::string_view block) {
  const std::optional<std::uint64_t> count = take_varint(block);
  const std::optional<std::uint64_t> mask = take_varint(block);
  if (!count || !mask || *count > max_block_events || *mask >> (num_event_columns + 1) != 0) {
    return std::nullopt;
  }
  const auto has_column = [&mask](std::size_t column) { return (*mask >> column & 1) != 0; };
  std::vector<event_row> rows(*count);
  for (std::size_t column = 0; column < num_event_columns; ++column) {
    if (has_column(column) && !take_column(block, column, rows)) return std::nullopt;
  }
  std::vector<run_event> events;
  for (const event_row& numbers : rows) {
    std::optional<run_event> event = event_of(numbers);
    if (!event) return std::nullopt;
    events.push_back(std::move(*event));
  }
  for (std::size_t i = 0; has_column(text_column) && i < events.size(); ++i) {
    std::optional<std::string> text = take_text(block);
    if (!text) return std::nullopt;
    events[i].text = std::move(*text);
  }
  if (!block.empty()) return std::nullopt;
  return events;
}

}  // namespace tessera
