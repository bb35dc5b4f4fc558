// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of one run, through Slurm's commands.

#include "tessera/core/bytes.hpp"
#include "tessera/executor/executor.hpp"
#include "tessera/executor/slurm.hpp"

#include "executor/slurm/commands.hpp"

#include <cstddef>
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

/// The jobs of one run, all of one name.
///
/// While Slurm's controller does not answer, commands do nothing and say so, and are not repeated
/// before a pause is over: who needs them calls again.
///
/// Throws: worker_error <- the controller has not answered for too long.
class job_queue {
 public:
  job_queue(const slurm_options& options, std::string name)
      : options_(options), name_(std::move(name)), outage_(options.timing.patience) {}

  /// Returns how many elements an array can have; nothing during an outage.
  ///
  /// Throws: value_error <- there is no Slurm.
  [[nodiscard]] std::optional<std::size_t> max_elements(session_time now);

  /// Submits an array and returns the number of its job; nothing during an outage, in which Slurm
  /// may have it or not: submitting the same request again does no harm.
  ///
  /// Throws: value_error <- Slurm refuses it.
  [[nodiscard]] std::optional<std::string> submit(const array_request& request, session_time now);

  /// Returns all that Slurm knows of the run's jobs; nothing during an outage.
  [[nodiscard]] std::optional<std::vector<queued_element>> list(session_time now);

  /// Cancels what has not begun, or one element; returns false during an outage.
  bool cancel_waiting(session_time now);
  bool cancel_element(const std::string& job, std::size_t element, session_time now);

  /// Cancels everything and returns once nothing runs, or once the patience is over.
  void end_all();

 private:
  [[nodiscard]] std::optional<std::string> ask(const std::vector<std::string>& command,
                                               session_time now);
  [[nodiscard]] std::vector<std::string> submission(const array_request& request) const;

  const slurm_options& options_;
  std::string name_;
  outage outage_;
  std::optional<std::size_t> max_elements_;
};

/// Returns the command that starts this program with its arguments, wherever that is done.
[[nodiscard]] std::vector<std::string> this_program();

/// Cancels the jobs of another run; returns whether Slurm has answered.
bool cancel_jobs(const std::string& name);

}  // namespace tessera::slurm
