// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/default_observers.hpp"

#include "tessera/observe/progress_bar.hpp"

#include "observe/api/default_progress.hpp"
#include "observe/continuation_note.hpp"
#include "observe/live_progress.hpp"
#include "observe/timeout_note.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using namespace std::chrono_literals;

std::mutex default_mode_mutex;
std::optional<progress_mode> default_mode;

progress_mode mode_now() {
  const std::lock_guard lock(default_mode_mutex);
  if (default_mode) return *default_mode;
  const char* variable = std::getenv("TESSERA_PROGRESS");
  if (variable == nullptr || *variable == '\0') return progress_mode::automatic;
  return parse_progress_mode(variable);
}

progress_style style_for(progress_mode mode, bool is_terminal) {
  progress_style style = is_terminal ? progress_style::of_terminal() : progress_style::of_log();
  if (mode == progress_mode::always) {
    style.first = is_terminal ? 0s : 1s;
    style.period = std::min<session_time>(style.period, 1s);
  }
  return style;
}

}  // namespace

std::optional<progress_mode> exchange_default_progress(std::optional<progress_mode> mode) {
  const std::lock_guard lock(default_mode_mutex);
  return std::exchange(default_mode, mode);
}

std::vector<std::shared_ptr<observer>> default_observers() {
  const progress_mode mode = mode_now();
  if (mode == progress_mode::never) return {};
  std::vector<std::shared_ptr<observer>> observers{std::make_shared<timeout_note>(std::cerr),
                                                   std::make_shared<continuation_note>(std::cerr)};
  observers.push_back(
      std::make_shared<live_progress>(std::cerr, style_for(mode, isatty(STDERR_FILENO) == 1)));
  return observers;
}

}  // namespace tessera
