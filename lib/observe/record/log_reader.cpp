// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"
#include "observe/api/run_log.hpp"
#include "observe/record/event_block.hpp"
#include "observe/record/log_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <utility>

namespace tessera {

struct run_log_reader::state {
  explicit state(const std::string& path);

  [[nodiscard]] std::optional<std::string> next_record();
  [[nodiscard]] std::uint64_t size_now();

  std::ifstream file;
  std::uint64_t position = 0;  ///< of the next record
  bool has_ended = false;      ///< a block was read that is none
  run_header header;
  event_decoder decoder;
};

namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

/// Tells whether a header has the worker, the operation and the tasks of an event.
bool is_known(const run_event& event, const run_header& header) {
  const bool has_operation = event.kind <= run_event_kind::backup_started;
  if (event.worker > header.num_workers) return false;
  if (!has_operation) return true;
  return event.operation < header.operations.size() &&
         event.first + event.count <= header.operations[event.operation].num_tasks;
}

}  // namespace

run_log_reader::state::state(const std::string& path) : file(path, std::ios::binary) {
  if (!file) {
    throw store_error(
        fmt::format("report: cannot read the log of a run \"{}\": {}", path, std::strerror(errno)));
  }
  std::string magic(run_log_magic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (!file || magic != run_log_magic) {
    throw value_error(fmt::format("report: \"{}\" is no log of a run", path));
  }
  position = magic.size();
  const std::optional<std::string> text = next_record();
  if (!text) {
    throw value_error(
        fmt::format("report: the log \"{}\" has no whole header; the run ended "
                    "before it was written",
                    path));
  }
  header = parse_header(*text);
  decoder = event_decoder(header.version);
}

/// Returns the content of the next record; nullopt if it is not whole, or not yet.
std::optional<std::string> run_log_reader::state::next_record() {
  const std::uint64_t num_unread = size_now() - position;
  std::array<char, record_head_size> head{};
  if (num_unread < head.size()) return std::nullopt;
  file.seekg(static_cast<std::streamoff>(position));
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::uint64_t size = little_endian({head.data(), 4});
  if (!file || size > num_unread - head.size()) return std::nullopt;
  std::string content(size, '\0');
  file.read(content.data(), static_cast<std::streamsize>(size));
  const std::uint64_t hash = little_endian({head.data() + 4, 8});
  if (!file || fingerprint::words_of(content)[1] != hash) return std::nullopt;
  position += head.size() + size;
  return content;
}

/// Returns the size of the file, at least `position`: a log that is written grows.
std::uint64_t run_log_reader::state::size_now() {
  file.clear();
  file.seekg(0, std::ios::end);
  return std::max(position, static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0)));
}

run_log_reader::run_log_reader(const std::string& path) : state_(std::make_unique<state>(path)) {}
run_log_reader::~run_log_reader() = default;

const run_header& run_log_reader::header() const { return state_->header; }

std::optional<std::vector<run_event>> run_log_reader::next_block() {
  if (state_->has_ended) return std::nullopt;
  const std::optional<std::string> content = state_->next_record();
  if (!content) return std::nullopt;
  std::optional<std::vector<run_event>> events = state_->decoder.decode(*content);
  const auto is_unknown = [&](const run_event& event) { return !is_known(event, state_->header); };
  if (!events || std::ranges::any_of(*events, is_unknown)) {
    state_->has_ended = true;
    return std::nullopt;
  }
  return events;
}

}  // namespace tessera
