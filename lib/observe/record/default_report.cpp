// SPDX-License-Identifier: Apache-2.0
#include "observe/api/default_report.hpp"

#include <cstdlib>
#include <mutex>
#include <utility>

namespace tessera {

namespace {

std::mutex default_report_mutex;
std::optional<std::string> default_folder;

}  // namespace

std::string default_report() {
  const std::lock_guard lock(default_report_mutex);
  if (default_folder) return *default_folder;
  const char* const variable = std::getenv("TESSERA_REPORT");
  return variable == nullptr ? "" : variable;
}

std::optional<std::string> exchange_default_report(std::optional<std::string> folder) {
  const std::lock_guard lock(default_report_mutex);
  return std::exchange(default_folder, std::move(folder));
}

}  // namespace tessera
