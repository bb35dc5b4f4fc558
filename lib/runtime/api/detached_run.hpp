// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Detached runs: the options --tessera-detach and --tessera-attach.
///
/// The driver of a detached run is this program, started once more by a supervisor. The supervisor
/// is a job of the executor's system if the system queues jobs, and else a process in a session of
/// its own. The supervisor tells the driver to stop, and leaves its exit code.
///
/// The folder of a detached run is a directory, or it is in a store: "s3://bucket/runs/first". It
/// has these texts:
///   job      the supervisor in words, "job 17 of slurm"
///   alive    rewritten by the supervisor each second, in a store each ten seconds
///   status   rewritten by the driver: operations, tasks, failures, time left
///   output   standard output and error of the driver
///   stop     there: the run is to stop
///   exit     there: the run has ended, with this exit code
///
/// In a store, the supervisor copies the status when it renews its sign of life, and the end of the
/// output, one mebibyte, at the end of the run.

#include <string>
#include <string_view>

namespace tessera {

class executor;

/// The action of --tessera-attach on a detached run.
enum class attach_action { wait, show, stop };

/// The value of --tessera-attach: "<folder>", "<folder>,show" or "<folder>,stop".
struct attach_request {
  /// A path, or the URL of a store.
  std::string folder;
  attach_action action = attach_action::wait;
};

/// Throws: value_error <- `text` names no folder.
[[nodiscard]] attach_request parse_attach_request(std::string_view text);

/// Starts the supervisor of a detached run of this program, and tells so on standard output.
///
/// Throws: store_error <- the folder exists, or cannot be created; its store fails.
///         value_error <- the executor's system refuses the job.
///                        Its processes have been started together with this one.
///         worker_error <- the system does not answer.
void detach(const std::string& name, executor& engine);

/// Returns the path of the status file if this program is the driver of a detached run; else "".
/// Processes that the driver starts are none. The driver is told to stop if its supervisor dies.
[[nodiscard]] std::string take_status_path();

/// Tells whether a folder, a path or the URL of a store, is that of a detached run.
[[nodiscard]] bool is_of_detached_run(const std::string& location);

/// Shows a detached run, stops it, or waits for its end. Returns the exit code of its driver once
/// the run has ended, and else 0.
///
/// Throws: value_error <- there is no such run.
///         worker_error <- the supervisor is dead.
int attach(const attach_request& request);

}  // namespace tessera
