// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of systems that run job arrays.

#include "tessera/core/bytes.hpp"
#include "tessera/executor/array_timing.hpp"

#include "core/api/location_names.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::job_arrays {

/// The memory of a worker before any data, with libraries.
struct worker_memory {
  /// The peak of the resident memory (VmHWM).
  bytes resident;
  /// The peak of the address space (VmPeak), which RLIMIT_AS limits.
  bytes address_space;
  /// The private memory that can be written (VmData), which RLIMIT_DATA limits.
  bytes data;
};

/// Returns the memory of this process.
[[nodiscard]] worker_memory memory_of_process();

/// A job array to submit.
struct array_request {
  /// The number of the array in the run, which `list` returns.
  std::size_t array = 0;
  std::string operation;
  std::size_t num_elements = 0;
  worker_memory reserved;
  /// The projected memory of a task.
  bytes task_memory;
  /// The directory of the array on this host. Elements see it, too, unless `is_stored`.
  std::filesystem::path folder;
  /// Whether the only element is the driver of a run, without a limit of time.
  bool is_driver = false;
  /// The location of the array's folder for elements: a path, or the URL of a store.
  std::string location{};

  /// Tells whether the array's folder is in a store, so that its elements may share no directory.
  [[nodiscard]] bool is_stored() const { return is_location(location); }
};

/// The state of an element of a job array, in the words of its system.
struct queued_element {
  std::size_t array = 0;
  std::size_t element = 0;
  /// Empty if the system does not list the element.
  std::string state;
  std::string reason;
  /// As of `waitpid`.
  int exit_status = 0;
  /// Whether the element has recorded its begin. The system does not know it.
  bool has_begun = false;
};

/// A reason for which a waiting element never runs, and whether a resubmission may help.
struct hindrance {
  std::string why;
  bool may_pass = false;
};

/// The meaning of an element's state.
struct element_verdict {
  bool has_ended = false;
  bool was_cancelled = false;
  std::optional<hindrance> hindered{};
};

/// The system does not answer.
class no_answer final : public std::exception {};

/// The jobs of a run on a system that starts a program several times, each copy with its number.
///
/// While the system does not answer, a member throws. The caller repeats the call later.
///
/// Throws: no_answer <- the system does not answer.
///         worker_error <- it has not answered for too long.
class array_system {
 public:
  array_system() = default;
  array_system(const array_system&) = delete;
  array_system& operator=(const array_system&) = delete;
  virtual ~array_system() = default;

  /// Returns the largest number of elements in an array.
  ///
  /// Throws: value_error <- there is no such system.
  [[nodiscard]] virtual std::size_t max_elements() = 0;

  /// Submits an array and returns the name of its job. After `no_answer`, the system may still have
  /// accepted the array.
  ///
  /// Throws: value_error <- the system refuses it.
  [[nodiscard]] virtual std::string submit(const array_request& request) = 0;

  /// Returns the elements of the run's jobs that the system lists.
  [[nodiscard]] virtual std::vector<queued_element> list() = 0;

  [[nodiscard]] virtual element_verdict judge(const queued_element& element) const = 0;

  /// Describes the end of an element without a report, for a message. `printed` is the end of the
  /// output of the element and of the system's messages about it.
  [[nodiscard]] virtual std::string describe_loss(const queued_element& element,
                                                  std::string_view printed) const = 0;

  /// Cancels all elements that have not begun, or a single element.
  virtual void cancel_waiting() = 0;
  virtual void cancel_element(const std::string& job, std::size_t element) = 0;

  /// Cancels all jobs. Returns false if the system does not answer; never throws.
  virtual bool cancel_all() = 0;

  /// Cancels all jobs, and waits for their ends until the patience is over; never throws.
  virtual void end_all() = 0;
};

/// An engine for job arrays: its system, and its settings for each system.
struct array_options {
  /// The system's name, for messages and for the names of jobs.
  std::string name;
  std::size_t workers = 1;
  /// A folder that all elements see under this name, or the URL of a store.
  std::string directory;
  array_timing timing{};
  /// Whether the system queues jobs, which outlive their driver.
  bool has_queue = false;
  /// Returns the system for the jobs of a run, which share the name `run`.
  std::function<std::unique_ptr<array_system>(const std::string& run)> connect;
};

/// Tells whether an element has ended because its program cannot run there (unfit_worker.hpp).
[[nodiscard]] bool is_unfit(const queued_element& element);

/// Describes a status of `waitpid`: "exited with code 3".
[[nodiscard]] std::string describe_exit(int status);

/// Returns the status, as of `waitpid`, behind the exit code of a shell: a code above 128 stands
/// for a signal.
[[nodiscard]] int status_of_shell(int code);

/// Returns the memory to ask for in MiB: rounded up, with `spare_mebibytes` for the shell that
/// starts the program and for messages.
[[nodiscard]] std::uint64_t mebibytes_to_ask(bytes memory, std::uint64_t spare_mebibytes);

/// Returns `end`, followed by the last line of `printed`, if there is one.
[[nodiscard]] std::string with_last_line(const std::string& end, std::string_view printed);

}  // namespace tessera::job_arrays
