// SPDX-License-Identifier: Apache-2.0
#include "tessera/runtime/runtime.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/worker_role.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/task/resume.hpp"

#include "core/api/nearest_name.hpp"
#include "core/api/spec_settings.hpp"
#include "observe/api/default_progress.hpp"
#include "observe/api/default_report.hpp"
#include "observe/api/default_status.hpp"
#include "runtime/api/detached_run.hpp"
#include "runtime/study_driver.hpp"
#include "runtime/terminate_handler.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr std::string_view prefix = "--tessera-";
/// An argument with this prefix is an option of ours or a mistake, as "--tessera_memory".
constexpr std::string_view beginning = "--tessera";

struct chosen_settings {
  std::shared_ptr<executor> engine;
  std::optional<progress_mode> progress;
  std::optional<resume_mode> resume;
  std::optional<std::string> report;
  std::optional<study_request> study;
  std::optional<std::string> detached;
  std::optional<attach_request> attached;
  std::optional<std::string> status;
  spec_settings limits;
};

/// An option of the command line: `--tessera-<name>=<value>`.
struct option {
  std::string_view name;
  std::string_view values;   ///< for the list of all options
  std::string_view example;  ///< of a value
  std::string_view meaning;  ///< for help
  void (*set)(chosen_settings& settings, std::string_view value);
};

constexpr std::array<option, 9> options{{
    {"executor", "<executor>", "threads:4",
     "the executor of the tasks: serial, threads:4 or processes:4",
     [](chosen_settings& settings, std::string_view value) {
       settings.engine = make_executor(value);
     }},
    {"memory", "<size>", "2GB", "the memory that a task may use",
     [](chosen_settings& settings, std::string_view value) {
       settings.limits.allowed_memory = parse_allowed_memory("--tessera-memory", value);
     }},
    {"work-dir", "<folder>", "/scratch/work", "the folder of intermediate arrays",
     [](chosen_settings& settings, std::string_view value) {
       settings.limits.work_dir = parse_work_dir("--tessera-work-dir", value);
     }},
    {"progress", "auto|always|never", "never",
     "progress on standard error; auto: drawn on a terminal, else a line each 30 s",
     [](chosen_settings& settings, std::string_view value) {
       settings.progress = parse_progress_mode(std::string(value));
     }},
    {"resume", "auto|never|require", "never", "whether the work of an earlier run is continued",
     [](chosen_settings& settings, std::string_view value) {
       settings.resume = parse_resume_mode(value);
     }},
    {"report", "<folder>", "reports", "the folder of the record of each run",
     [](chosen_settings& settings, std::string_view value) { settings.report = value; }},
    {"study", "<points>", "\"workers=1,2;repeat=5\"",
     "runs the program on each number of workers, and tells how it scales",
     [](chosen_settings& settings, std::string_view value) {
       settings.study = parse_study_request(value);
     }},
    {"detach", "<folder>", "runs/first",
     "the program goes on without the terminal, with its state in a new folder",
     [](chosen_settings& settings, std::string_view value) { settings.detached = value; }},
    {"attach", "<folder>[,show|,stop]", "runs/first",
     "waits for the end of a detached run, or shows it, or stops it",
     [](chosen_settings& settings, std::string_view value) {
       settings.attached = parse_attach_request(value);
     }},
}};

std::string list_of_options() {
  std::string list;
  for (const option& entry : options) {
    list += fmt::format("{}{}{}={}",
                        list.empty()                ? ""
                        : &entry == &options.back() ? " and "
                                                    : ", ",
                        prefix, entry.name, entry.values);
  }
  return list;
}

void read_option(std::string_view text, chosen_settings& settings) {
  const std::size_t equals = text.find('=');
  const std::string_view written = text.substr(0, equals);
  const std::string_view name = written.substr(std::min(written.size(), prefix.size()));
  const auto* match = std::find_if(options.begin(), options.end(),
                                   [name](const option& entry) { return entry.name == name; });
  if (match == options.end() || !written.starts_with(prefix)) {
    std::vector<std::string_view> names;
    for (const option& entry : options) names.push_back(entry.name);
    throw value_error(fmt::format("option \"{}\" is not known{}; Tessera's options are {}", text,
                                  did_you_mean(name, names, prefix), list_of_options()));
  }
  if (equals == std::string_view::npos) {
    throw value_error(
        fmt::format("option \"{}\" has no value; write it with an equals sign, as in {}{}={}", text,
                    prefix, name, match->example));
  }
  match->set(settings, text.substr(equals + 1));
}

/// Reads Tessera's options up to "--" and removes them from the arguments.
chosen_settings take_options(int& argc, char** argv) {
  chosen_settings settings;
  int num_kept = 0;
  bool is_reading = true;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") is_reading = false;
    if (i > 0 && is_reading && argument.starts_with(beginning)) {
      read_option(argument, settings);
    } else {
      argv[num_kept++] = argv[i];
    }
  }
  if (num_kept < argc) argv[num_kept] = nullptr;
  argc = num_kept;
  return settings;
}

void limit_malloc_arenas() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
#endif
}

/// Lets the system keep the statuses of processes that end. A program inherits from its parent that
/// it ignores SIGCHLD: the statuses of launchers, jobs and workers would be lost.
void keep_statuses_of_processes() {
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    std::signal(SIGCHLD, SIG_DFL);
  }
}

/// Admits one runtime at a time: two would restore settings in the wrong order.
class sole_runtime {
 public:
  sole_runtime() {
    if (exists.exchange(true)) {
      throw value_error(
          "the program has a runtime already; make one in main, and none in the libraries that the "
          "program uses");
    }
  }
  sole_runtime(const sole_runtime&) = delete;
  sole_runtime& operator=(const sole_runtime&) = delete;
  ~sole_runtime() { exists = false; }

 private:
  static inline std::atomic<bool> exists{false};
};

}  // namespace

struct runtime::settings : chosen_settings {
  settings(int argc, char** argv) {
    limit_malloc_arenas();
    keep_statuses_of_processes();
    play_worker_role(argc, argv);
  }
  sole_runtime sole;
  terminate_handler on_terminate;
};

namespace {

/// Ends the program here if its options leave nothing to `main`.
void leave_main(chosen_settings& chosen, const std::vector<std::string>& words) {
  if (chosen.attached) std::exit(attach(*chosen.attached));
  const std::shared_ptr<executor> engine = chosen.engine ? chosen.engine : default_executor();
  std::string status = take_status_path();
  if (!status.empty()) {
    chosen.status = std::move(status);
  } else if (chosen.detached) {
    detach(*chosen.detached, *engine);
    std::exit(EXIT_SUCCESS);
  }
  if (chosen.study) {
    run_study_of_program(*chosen.study, words);
    std::exit(EXIT_SUCCESS);
  }
}

}  // namespace

// A worker process runs inside the constructor of `settings` and never returns from it, so that no
// code of the program runs in a worker.
runtime::runtime(int& argc, char** argv) : before_(std::make_unique<settings>(argc, argv)) {
  const std::vector<std::string> words(argv, argv + argc);
  chosen_settings chosen = take_options(argc, argv);
  leave_main(chosen, words);
  if (!chosen.progress) (void)default_observers();
  (void)with_environment(chosen.limits);
  before_->limits = exchange_spec_settings(std::move(chosen.limits));
  before_->engine = set_default_executor(std::move(chosen.engine));
  before_->progress = exchange_default_progress(chosen.progress);
  before_->report = exchange_default_report(std::move(chosen.report));
  before_->status = exchange_default_status(std::move(chosen.status));
  if (chosen.resume) before_->resume = set_default_resume(*chosen.resume);
}

runtime::~runtime() {
  set_default_executor(std::move(before_->engine));
  exchange_default_progress(before_->progress);
  exchange_spec_settings(std::move(before_->limits));
  exchange_default_report(std::move(before_->report));
  exchange_default_status(std::move(before_->status));
  if (before_->resume) set_default_resume(*before_->resume);
}

std::string runtime::help() {
  std::string text = "Options of Tessera, for settings that the program leaves open:\n";
  for (const option& entry : options) {
    text += fmt::format("  {:<36} {}\n", fmt::format("{}{}={}", prefix, entry.name, entry.values),
                        entry.meaning);
  }
  return text;
}

}  // namespace tessera
