// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file of a log: magic, records, and the header as JSON.

#include "observe/api/run_log.hpp"
#include "observe/record/event_block.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

inline constexpr std::string_view run_log_magic = "tessera-run-log\n";
/// The size and the hash before the content of a record.
inline constexpr std::size_t record_head_size = 12;
/// The events after which a block is written.
inline constexpr std::size_t written_block_events = 2048;

/// Returns the bytes of a record with `content`.
[[nodiscard]] std::string record_of(std::string_view content);

/// Returns the header as JSON, and back.
///
/// Throws: value_error <- `text` is no header.
[[nodiscard]] std::string header_text(const run_header& header);
[[nodiscard]] run_header parse_header(const std::string& text);

/// Writes a log.
class run_log_writer {
 public:
  /// Throws: store_error <- the file is there, or cannot be created.
  run_log_writer(std::string path, const run_header& header);

  /// Adds an event, which is in the file after `flush` or when a block is full.
  ///
  /// Throws: store_error <- the file cannot be written.
  void add(run_event event);
  /// Writes the events that were added as a block.
  void flush();

 private:
  void write(std::string_view content);

  std::string path_;
  std::ofstream file_;
  std::vector<run_event> events_;
  event_encoder encoder_;
};

}  // namespace tessera
