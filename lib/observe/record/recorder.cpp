// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/recorder.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"

#include "observe/api/run_context.hpp"
#include "observe/api/run_log.hpp"
#include "observe/blocked_signals.hpp"
#include "observe/record/log_file.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tessera {

namespace {

using namespace std::chrono_literals;

constexpr auto sample_period = 100ms;
constexpr int samples_per_flush = 10;
/// From then on, after an hour, memory is sampled once a second.
constexpr int num_quick_samples = 36'000;
/// The views of larger logs take much memory: the run leaves them to `tessera report`.
constexpr std::uintmax_t largest_own_log = 16'000'000;
/// The most computations of one folder, and the most attempts to find a free number.
constexpr int max_folders = 1'000'000;

std::string time_of_day() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

/// Creates the folder of the first number that is free, and returns its path.
std::string create_numbered_folder(const std::string& parent) {
  std::error_code failure;
  std::filesystem::create_directories(parent, failure);
  static std::mutex mutex;
  static std::map<std::string, int> first_numbers;  ///< that this program has not tried
  const std::lock_guard lock(mutex);
  int& number = first_numbers.try_emplace(parent, 1).first->second;
  for (; number < max_folders && !failure; ++number) {
    std::string path = fmt::format("{}/{}", parent, number);
    if (std::filesystem::create_directory(path, failure)) return path;
  }
  throw store_error(fmt::format("report: cannot create a folder in \"{}\": {}", parent,
                                failure ? failure.message() : "too many are there"));
}

}  // namespace

/// The log of the computation that runs, and the thread that samples memory.
struct recorder::state {
  std::string parent;
  std::string explanation;
  std::string folder;
  std::mutex mutex;  ///< guards `writer` and `is_over`
  std::optional<run_log_writer> writer;
  bool is_over = false;
  std::condition_variable over;
  std::thread sampler;

  /// Events that are not written yet are there if an observer ended the computation.
  ~state() {
    stop_sampler();
    try {
      write([this] { writer->flush(); });
    } catch (...) {  // NOLINT(bugprone-empty-catch): memory for the last block is missing
    }
  }

  void add(run_event event) {
    const std::lock_guard lock(mutex);
    write([&] { writer->add(std::move(event)); });
  }

  /// Calls `f`, which writes; ends the log at the first failure. Requires: `mutex` is held.
  template <class F>
  void write(F f) {
    if (!writer) return;
    try {
      f();
    } catch (const store_error& failure) {
      std::cerr << failure.what() << std::endl;
      writer.reset();
    }
  }

  /// Starts to sample, `passed` after the begin of the computation's clock.
  void start_sampler(session_time passed) {
    is_over = false;
    const blocked_signals in_thread;
    sampler =
        std::thread([this, began = std::chrono::steady_clock::now() - passed] { sample(began); });
  }

  /// Samples the memory of the process, and flushes the log once a second, until the end.
  void sample(std::chrono::steady_clock::time_point began) {
    std::unique_lock lock(mutex);
    for (int count = 1; !over.wait_for(lock, sample_period, [this] { return is_over; }); ++count) {
      const session_time now = std::chrono::steady_clock::now() - began;
      write([&] {
        const bool is_whole_second = count % samples_per_flush == 0;
        if (count <= num_quick_samples || is_whole_second) {
          writer->add({.kind = run_event_kind::memory_sampled,
                       .started = now,
                       .ended = now,
                       .memory = resident_memory()});
        }
        if (is_whole_second) writer->flush();
      });
    }
  }

  void stop_sampler() {
    {
      const std::lock_guard lock(mutex);
      is_over = true;
    }
    over.notify_all();
    if (sampler.joinable()) sampler.join();
  }
};

recorder::recorder(std::string folder, std::string explanation)
    : state_(std::make_unique<state>()) {
  state_->parent = std::move(folder);
  state_->explanation = std::move(explanation);
}

recorder::~recorder() = default;

const std::string& recorder::last_folder() const { return state_->folder; }

void recorder::on_computation_begin(const computation_event& event) {
  state_->stop_sampler();  // an observer may have ended the computation before
  state_->folder = create_numbered_folder(state_->parent);
  run_header header;
  header.executor = event.executor;
  header.num_workers = event.num_workers;
  header.is_simulated = event.is_simulated;
  header.allowed_memory = event.allowed_memory;
  header.began = time_of_day();
  header.explanation = state_->explanation;
  header.context = context_of_run();
  header.operations = event.operations;
  {
    const std::lock_guard lock(state_->mutex);
    state_->writer.emplace(state_->folder + "/run.tessera-log", header);
  }
  if (!event.is_simulated) state_->start_sampler(event.now);
}

void recorder::on_operation_begin(std::size_t operation, session_time now) {
  state_->add({.kind = run_event_kind::operation_began,
               .operation = operation,
               .started = now,
               .ended = now});
}

void recorder::on_tasks_resumed(std::size_t operation, index_t count) {
  state_->add({.kind = run_event_kind::tasks_resumed, .operation = operation, .count = count});
}

namespace {

run_event event_of(run_event_kind kind, const tasks_event& tasks) {
  return {.kind = kind,
          .operation = tasks.operation,
          .first = tasks.first,
          .count = tasks.count,
          .worker = tasks.worker,
          .attempt = tasks.attempt,
          .started = tasks.started,
          .ended = tasks.ended,
          .moved = tasks.moved,
          .memory = tasks.peak_memory};
}

}  // namespace

void recorder::on_tasks_end(const tasks_event& event) {
  state_->add(event_of(run_event_kind::tasks_ended, event));
}

void recorder::on_attempt_dropped(const tasks_event& event) {
  state_->add(event_of(run_event_kind::attempt_dropped, event));
}

void recorder::on_backup(std::size_t operation, index_t first, session_time now) {
  state_->add({.kind = run_event_kind::backup_started,
               .operation = operation,
               .first = first,
               .count = 1,
               .started = now,
               .ended = now});
}

void recorder::on_failure(const failure_event& event) {
  state_->add({.kind = run_event_kind::attempt_failed,
               .operation = event.operation,
               .first = event.task,
               .count = 1,
               .worker = event.worker,
               .attempt = event.attempt,
               .started = event.started,
               .ended = event.ended,
               .detail = event.is_retried ? std::uint8_t{1} : std::uint8_t{0},
               .text = event.cause});
}

void recorder::on_worker_start(const worker_start& start) {
  state_->add({.kind = run_event_kind::worker_started,
               .worker = start.worker,
               .started = start.asked,
               .ended = start.ready,
               .text = start.host});
}

void recorder::on_idle(idle_reason reason, session_time now) {
  state_->add({.kind = run_event_kind::workers_idle,
               .started = now,
               .ended = now,
               .detail = static_cast<std::uint8_t>(reason)});
}

void recorder::on_operation_end(std::size_t operation, session_time now) {
  state_->add({.kind = run_event_kind::operation_ended,
               .operation = operation,
               .started = now,
               .ended = now});
}

void recorder::on_computation_end(computation_outcome outcome, session_time now) {
  state_->stop_sampler();
  state_->add({.kind = run_event_kind::run_ended,
               .started = now,
               .ended = now,
               .detail = static_cast<std::uint8_t>(outcome)});
  {
    const std::lock_guard lock(state_->mutex);
    state_->write([&] { state_->writer->flush(); });
    state_->writer.reset();
  }
  try {
    if (std::filesystem::file_size(state_->folder + "/run.tessera-log") > largest_own_log) {
      std::cerr << fmt::format("report: the log is large; `tessera report {}` writes its files\n",
                               state_->folder);
      return;
    }
    write_report(state_->folder);
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << std::endl;
  }
}

}  // namespace tessera
