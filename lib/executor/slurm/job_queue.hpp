// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of a run, through Slurm's commands.

#include "tessera/core/bytes.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/slurm/commands.hpp"

#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::slurm {

/// A job array to submit.
struct array_request {
  /// The number of the array in the run, which `list` returns.
  std::size_t array = 0;
  std::string operation;
  std::size_t num_elements = 0;
  bytes memory;
  std::filesystem::path folder;
};

/// A command has failed because Slurm's controller does not answer.
class no_answer final : public std::exception {};

/// The jobs of a run, which share a name.
///
/// During an outage of Slurm's controller, a command throws until the pause is over. The caller
/// repeats it later.
///
/// Throws: no_answer <- the controller does not answer.
///         worker_error <- it has not answered for too long.
class job_queue {
 public:
  job_queue(const slurm_options& options, std::string name)
      : options_(options), name_(std::move(name)), outage_(options.timing.patience) {}

  /// Returns the largest number of elements in an array.
  ///
  /// Throws: value_error <- there is no Slurm.
  [[nodiscard]] std::size_t max_elements();

  /// Submits an array and returns the number of its job. After `no_answer`, Slurm may still have
  /// accepted the array.
  ///
  /// Throws: value_error <- Slurm refuses it.
  [[nodiscard]] std::string submit(const array_request& request);

  /// Returns the elements of the run's jobs that Slurm lists.
  [[nodiscard]] std::vector<queued_element> list();

  /// Cancels all elements that have not begun, or a single element.
  void cancel_waiting();
  void cancel_element(const std::string& job, std::size_t element);

  /// Cancels all jobs, and waits for their ends until the patience is over; never throws.
  void end_all();

 private:
  std::string ask(const std::vector<std::string>& command);
  [[nodiscard]] std::vector<std::string> submission(const array_request& request) const;

  const slurm_options& options_;
  std::string name_;
  session_clock clock_;
  outage outage_;
  std::optional<std::size_t> max_elements_;
};

/// Returns the command that starts this program with its arguments, from any directory.
[[nodiscard]] std::vector<std::string> this_program();

/// Cancels the jobs with a name. Returns false if Slurm does not answer.
bool cancel_jobs(const std::string& name);

}  // namespace tessera::slurm
