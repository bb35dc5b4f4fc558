// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of one run, through Slurm's commands.

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

/// A job array that is to be submitted.
struct array_request {
  /// Its number in the run, by which `list` knows it.
  std::size_t array = 0;
  std::string operation;
  std::size_t num_elements = 0;
  bytes memory;
  std::filesystem::path folder;
};

/// What is thrown where Slurm has not done what it was told, as its controller does not answer.
class no_answer final : public std::exception {};

/// The jobs of one run, all of one name.
///
/// While Slurm's controller does not answer, commands are not repeated before a pause is over: who
/// needs one calls again.
///
/// Throws: no_answer <- the controller does not answer.
///         worker_error <- it has not answered for too long.
class job_queue {
 public:
  job_queue(const slurm_options& options, std::string name)
      : options_(options), name_(std::move(name)), outage_(options.timing.patience) {}

  /// Returns how many elements an array can have.
  ///
  /// Throws: value_error <- there is no Slurm.
  [[nodiscard]] std::size_t max_elements();

  /// Submits an array and returns the number of its job. Where there is no answer, Slurm may have
  /// taken the array all the same.
  ///
  /// Throws: value_error <- Slurm refuses it.
  [[nodiscard]] std::string submit(const array_request& request);

  /// Returns all that Slurm knows of the run's jobs.
  [[nodiscard]] std::vector<queued_element> list();

  /// Cancels what has not begun, or one element.
  void cancel_waiting();
  void cancel_element(const std::string& job, std::size_t element);

  /// Cancels everything and returns once nothing runs, or once the patience is over; never throws.
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

/// Returns the command that starts this program with its arguments, wherever that is done.
[[nodiscard]] std::vector<std::string> this_program();

/// Cancels the jobs of another run; returns whether Slurm has answered.
bool cancel_jobs(const std::string& name);

}  // namespace tessera::slurm
