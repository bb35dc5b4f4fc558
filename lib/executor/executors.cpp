// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executor.hpp"

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace tessera {

namespace {

constexpr std::size_t max_threads = 1024;

/// What `set_default_executor` was given, and what was made in its absence.
struct default_slot {
  std::mutex mutex;
  std::shared_ptr<executor> chosen;
  std::string fallback_name;
  std::shared_ptr<executor> fallback;
};

default_slot& defaults() {
  static default_slot slot;
  return slot;
}

std::size_t parse_count(std::string_view text, std::string_view count) {
  std::size_t value = 0;
  const char* end = count.data() + count.size();
  const auto [stop, failure] = std::from_chars(count.data(), end, value);
  if (failure != std::errc{} || stop != end || value < 1 || value > max_threads) {
    throw value_error("executor \"" + std::string(text) + "\": the number of workers is \"" +
                      std::string(count) + "\", which must be an integer from 1 to " +
                      std::to_string(max_threads) + ", as in \"threads:4\"");
  }
  return value;
}

}  // namespace

std::shared_ptr<executor> make_executor(std::string_view text) {
  constexpr std::string_view threads_with = "threads:";
  if (text == "serial") return executors::serial();
  if (text == "threads") return executors::threads();
  if (text.starts_with(threads_with)) {
    return executors::threads(parse_count(text, text.substr(threads_with.size())));
  }
  throw value_error("executor \"" + std::string(text) +
                    "\" does not exist; choose \"serial\", \"threads\" (one for each core) or "
                    "\"threads:<count>\"");
}

std::shared_ptr<executor> default_executor() {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  if (slot.chosen) return slot.chosen;
  const char* variable = std::getenv("TESSERA_EXECUTOR");
  const std::string name = variable != nullptr && *variable != '\0' ? variable : "threads";
  if (slot.fallback == nullptr || slot.fallback_name != name) {
    slot.fallback = make_executor(name);
    slot.fallback_name = name;
  }
  return slot.fallback;
}

std::shared_ptr<executor> set_default_executor(std::shared_ptr<executor> engine) {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  return std::exchange(slot.chosen, std::move(engine));
}

}  // namespace tessera
