// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/default_spec.hpp"

#include "tessera/core/error.hpp"

#include "core/api/spec_settings.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace tessera {

namespace {

/// The default spec of the program, if it has set it.
struct default_slot {
  std::mutex mutex;
  std::optional<spec> chosen;
  spec_settings options;
};

default_slot& defaults() {
  static default_slot slot;
  return slot;
}

/// Returns the value of an environment variable, or nullptr if it is not set or empty.
const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

bytes parse_allowed_memory(std::string_view source, std::string_view text) {
  try {
    const bytes memory = bytes::parse(text);
    if (memory.count() > 0) return memory;
  } catch (const value_error&) {
    // The message below tells more.
  }
  throw value_error(
      fmt::format("{}: \"{}\" is no memory for a task; write a positive size, as in 2GB or 512MiB",
                  source, text));
}

std::string parse_work_dir(std::string_view source, std::string_view text) {
  if (text.empty()) {
    throw value_error(
        fmt::format("{}: the folder's name is empty; name a folder that can be made, "
                    "as in /scratch/tessera-work",
                    source));
  }
  return std::string(text);
}

spec_settings with_environment(spec_settings settings) {
  const char* memory = variable("TESSERA_MEMORY");
  if (!settings.allowed_memory && memory != nullptr) {
    settings.allowed_memory = parse_allowed_memory("TESSERA_MEMORY", memory);
  }
  const char* folder = variable("TESSERA_WORK_DIR");
  if (!settings.work_dir && folder != nullptr) settings.work_dir = folder;
  return settings;
}

spec default_spec() {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  if (slot.chosen) return *slot.chosen;
  const spec_settings settings = with_environment(slot.options);
  spec value;
  if (settings.allowed_memory) value.allowed_memory = *settings.allowed_memory;
  if (settings.work_dir) value.work_dir = *settings.work_dir;
  return value;
}

std::optional<spec> set_default_spec(std::optional<spec> wanted) {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  return std::exchange(slot.chosen, std::move(wanted));
}

spec_settings exchange_spec_settings(spec_settings wanted) {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  return std::exchange(slot.options, std::move(wanted));
}

}  // namespace tessera
