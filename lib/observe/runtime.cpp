// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/runtime.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/resume.hpp"
#include "tessera/observe/default_observers.hpp"

#include "executor/worker_role.hpp"
#include "observe/default_progress.hpp"
#include "observe/last_words.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <fmt/format.h>
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
  std::optional<resume_mode> resume;
};

/// An option of the command line: `--tessera-<name>=<value>`.
struct option {
  std::string_view name;
  std::string_view values;   ///< for the list of all options
  std::string_view example;  ///< of a value
  void (*set)(chosen_settings& settings, std::string_view value);
};

constexpr std::array<option, 3> options{{
    {"executor", "<executor>", "threads:4",
     [](chosen_settings& settings, std::string_view value) {
       settings.engine = make_executor(value);
     }},
    {"progress", "auto|always|never", "never",
     [](chosen_settings& settings, std::string_view value) {
       settings.progress = parse_progress_mode(std::string(value));
     }},
    {"resume", "auto|never|require", "never",
     [](chosen_settings& settings, std::string_view value) {
       settings.resume = parse_resume_mode(value);
     }},
}};

std::string list_of_options() {
  std::string list;
  for (const option& one : options) {
    list += fmt::format("{}{}{}={}",
                        list.empty()              ? ""
                        : &one == &options.back() ? " and "
                                                  : ", ",
                        prefix, one.name, one.values);
  }
  return list;
}

void read_option(std::string_view text, chosen_settings& settings) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals).substr(prefix.size());
  const auto* found = std::find_if(options.begin(), options.end(),
                                   [name](const option& one) { return one.name == name; });
  if (found == options.end()) {
    throw value_error(fmt::format("option \"{}\" is not known; Tessera's options are {}", text,
                                  list_of_options()));
  }
  if (equals == std::string_view::npos) {
    throw value_error(
        fmt::format("option \"{}\" has no value; write it with an equals sign, as in {}{}={}", text,
                    prefix, name, found->example));
  }
  found->set(settings, text.substr(equals + 1));
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

struct runtime::settings : chosen_settings {
  settings(int argc, char** argv) {
    limit_malloc_arenas();
    play_worker_role(argc, argv);
  }
  last_words said_at_the_end;
};

// A worker goes no further than its settings: nothing of the program's own has happened then.
runtime::runtime(int& argc, char** argv) : before_(std::make_unique<settings>(argc, argv)) {
  chosen_settings chosen = take_options(argc, argv);
  if (chosen.engine == nullptr) (void)default_executor();
  if (!chosen.progress) (void)default_observers();
  before_->engine = set_default_executor(std::move(chosen.engine));
  before_->progress = exchange_default_progress(chosen.progress);
  if (chosen.resume) before_->resume = set_default_resume(*chosen.resume);
}

runtime::~runtime() {
  set_default_executor(std::move(before_->engine));
  exchange_default_progress(before_->progress);
  if (before_->resume) set_default_resume(*before_->resume);
}

}  // namespace tessera
