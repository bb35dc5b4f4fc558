// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/runtime.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/observe/default_observers.hpp"

#include "observe/default_progress.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

constexpr std::string_view prefix = "--tessera-";

struct chosen_settings {
  std::shared_ptr<executor> engine;
  std::optional<progress_mode> progress;
};

void read_option(std::string_view option, chosen_settings& settings) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const bool is_executor = name == "--tessera-executor";
  if (!is_executor && name != "--tessera-progress") {
    throw value_error("option \"" + std::string(option) +
                      "\" is not known; Tessera's options are --tessera-executor=<executor> and "
                      "--tessera-progress=auto|always|never");
  }
  if (equals == std::string_view::npos) {
    throw value_error("option \"" + std::string(option) +
                      "\" has no value; write it with an equals sign, as in " +
                      (is_executor ? "--tessera-executor=threads:4" : "--tessera-progress=never"));
  }
  const std::string_view value = option.substr(equals + 1);
  if (is_executor) {
    settings.engine = make_executor(value);
  } else {
    settings.progress = parse_progress_mode(std::string(value));
  }
}

/// Reads Tessera's options up to "--" and closes the gaps that they leave.
chosen_settings take_options(int& argc, char** argv) {
  chosen_settings settings;
  int kept = 0;
  bool is_reading = true;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") is_reading = false;
    if (i > 0 && is_reading && argument.starts_with(prefix)) {
      read_option(argument, settings);
    } else {
      argv[kept++] = argv[i];
    }
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
  return settings;
}

void limit_malloc_arenas() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace

struct runtime::settings : chosen_settings {};

runtime::runtime(int& argc, char** argv) : before_(std::make_unique<settings>()) {
  limit_malloc_arenas();
  chosen_settings chosen = take_options(argc, argv);
  if (chosen.engine == nullptr) (void)default_executor();
  if (!chosen.progress) (void)default_observers();
  before_->engine = set_default_executor(std::move(chosen.engine));
  before_->progress = exchange_default_progress(chosen.progress);
}

runtime::~runtime() {
  set_default_executor(std::move(before_->engine));
  exchange_default_progress(before_->progress);
}

}  // namespace tessera
