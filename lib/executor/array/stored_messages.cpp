// SPDX-License-Identifier: Apache-2.0
#include "executor/array/stored_messages.hpp"

#include "tessera/core/error.hpp"

#include "executor/array/look_timer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace tessera::job_arrays {

namespace {

/// A message is a plan's recipe or the order of an array at most.
constexpr std::size_t longest_message = std::size_t{256} << 20U;

void write_text(key_value_store& store, std::string_view key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

std::string text_of_bytes(std::span<const std::byte> value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

/// A value that is written once in a period.
class progress_value final : public progress_record {
 public:
  progress_value(std::shared_ptr<key_value_store> store, std::string_view key, index_t done,
                 std::string host, std::chrono::milliseconds period)
      : store_(std::move(store)), key_(key), host_(std::move(host)), timer_(period) {
    write(done);
  }
  void write(index_t done) override {
    if (!timer_.is_due(std::chrono::steady_clock::now())) return;
    try {
      write_text(*store_, key_, fmt::format("{} {}\n", done, host_));
    } catch (const store_error&) {
      return;
    }
  }

 private:
  std::shared_ptr<key_value_store> store_;
  std::string key_;
  std::string host_;
  look_timer timer_;
};

}  // namespace

void stored_messages::put(std::string_view key, const std::string& text) const {
  write_text(*store_, key, text);
}

std::optional<std::string> stored_messages::get(std::string_view key) const {
  const auto value = store_->read_all(key, longest_message);
  if (!value) return std::nullopt;
  return text_of_bytes(*value);
}

std::string stored_messages::get_end(std::string_view key, std::size_t limit) const {
  std::vector<std::byte> end(limit);
  const auto part = store_->read_part(key, {.count = limit, .from_end = true}, end);
  return part ? text_of_bytes(std::span(end).first(part->size)) : std::string();
}

bool stored_messages::exists(std::string_view key) const {
  try {
    return store_->exists(key);
  } catch (const store_error&) {
    return false;
  }
}

std::vector<std::string> stored_messages::names_in(std::string_view folder) const {
  return store_->list_folder(folder);
}

void stored_messages::remove_folder(std::string_view folder) const {
  try {
    store_->erase_all(folder);
  } catch (const store_error&) {
    return;
  }
}

std::unique_ptr<progress_record> stored_messages::begin_progress(std::string_view key, index_t done,
                                                                 const std::string& host) const {
  return std::make_unique<progress_value>(store_, key, done, host, periods_.progress);
}

}  // namespace tessera::job_arrays
