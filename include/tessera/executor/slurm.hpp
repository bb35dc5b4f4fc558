// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executor that runs tasks as jobs of Slurm.

#include "tessera/executor/array_timing.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

class executor;

/// The intervals at which a run on Slurm looks around, and its time-outs.
using slurm_timing = array_timing;

/// Options of the jobs of tasks.
struct slurm_options {
  /// The most elements of a job array that run at the same time. Operations that run side by side
  /// are arrays of their own.
  std::size_t workers = 16;
  /// The partition of jobs and their time limit, as `sbatch` takes them; empty: Slurm's defaults.
  std::string partition{};
  std::string time{};
  std::string account{};
  /// Further options of `sbatch`, each a whole argument: "--constraint=fast".
  std::vector<std::string> extra{};
  /// A folder that every node sees under this name, for the messages of driver and jobs. A relative
  /// one is below the current directory. It may be in a store, "s3://bucket/folder", which each
  /// program opens by this URL. Then no directory is shared: a job writes its output if it
  /// sees the driver's temporary directory.
  std::string directory = "tessera-work";
  slurm_timing timing{};

  [[nodiscard]] bool operator==(const slurm_options&) const = default;
};

namespace executors {

/// Returns an executor that runs tasks as job arrays of Slurm, with its commands `sbatch`,
/// `squeue`, `scancel` and `scontrol`.
///
/// By name: "slurm", or with options "slurm:workers=8,partition=debug,time=00:10:00", which are
/// `workers`, `partition`, `time`, `account`, `directory`, and `sbatch` for each further one:
/// "slurm:sbatch=--constraint=fast,sbatch=--nice=100".
///
/// The program that computes is the driver: it may run on a login node, and hands out work. Tasks
/// that are ready become one job array for each operation; an element runs many tasks, one after
/// the other. It is this program with its arguments, which turns into a worker in `ts::runtime`: so
/// every node must be able to run it, and see the stores, the spec's work directory and `directory`
/// under the same names.
///
/// Memory:  an element asks for (`--mem`) the measured memory of the program before any data, the
///          projected memory of a task, and 16 MiB. It lets a task have no more than its projected
///          memory, so that the task fails with std::bad_alloc before Slurm kills it.
/// Losses:  Slurm itself starts the elements of a node that is lost once more (`--requeue`), and
///          those that `scontrol requeue` names; they go on behind the last task that has ended. An
///          element that is lost otherwise (killed, out of memory, past its time, cancelled, held)
///          is a `worker_error`: the scheduler tries its task again, as on every engine, as part of
///          another job array.
/// Outages: a controller that does not answer is asked again, with pauses, until
///          `timing.patience` is over: `worker_error`.
/// The end: no job is left behind when a run ends, fails or is interrupted. After an interrupt,
///          tasks that still run after `timing.grace` are cancelled. The jobs of a driver that was
///          killed are cancelled by the next run with the same `directory`; until then they do no
///          harm, as a task writes the same whichever run it belongs to.
///
/// Throws, also while it runs: value_error <- Slurm's commands are not there, or Slurm refuses the
///         jobs: an unknown partition, more memory than any node has, a dependency that can never
///         be satisfied; the program has no `ts::runtime`; no workers.
[[nodiscard]] std::shared_ptr<executor> slurm(slurm_options options = {});

}  // namespace executors

}  // namespace tessera
