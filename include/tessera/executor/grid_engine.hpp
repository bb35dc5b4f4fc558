// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executor that runs tasks as jobs of Grid Engine.

#include "tessera/executor/array_timing.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

class executor;

/// Options of the jobs of tasks.
struct grid_engine_options {
  /// The most elements of a job array that run at the same time. Operations that run side by side
  /// are arrays of their own.
  std::size_t workers = 16;
  /// The queue of jobs, their time limit (`h_rt`) and project, as `qsub` takes them; empty: Grid
  /// Engine's defaults.
  std::string queue{};
  std::string time{};
  std::string project{};
  /// The resource by which an element asks for memory; "none": no request. `h_vmem` and `s_vmem`
  /// limit the address space, `h_data` and `s_data` limit the data. Resources such as
  /// `mem_free` count resident memory.
  std::string memory = "h_vmem";
  /// Further options of `qsub`, each a whole argument: "-P", "physics".
  std::vector<std::string> extra{};
  /// A folder that every node sees under this name, for the messages of driver and jobs. A relative
  /// one is below the current directory. It may be in a store, "s3://bucket/folder", which each
  /// program opens by this URL. Then no directory is shared: a job writes its output if it
  /// sees the driver's temporary directory.
  std::string directory = "tessera-work";
  array_timing timing{};

  [[nodiscard]] bool operator==(const grid_engine_options&) const = default;
};

namespace executors {

/// Returns an executor that runs tasks as job arrays of Grid Engine, with its commands `qsub`,
/// `qstat`, `qdel` and `qconf`.
///
/// By name: "grid_engine", or with options "grid_engine:workers=8,queue=all.q,time=00:10:00", which
/// are `workers`, `queue`, `time`, `project`, `memory`, `directory`, and `qsub` for each further
/// one: "grid_engine:qsub=-p,qsub=-100".
///
/// The program that computes is the driver: it may run on any submit host. Tasks that are ready
/// become one job array for each operation; an element runs many tasks, one after the other. It is
/// this program with its arguments, which turns into a worker in `ts::runtime`. Every node must be
/// able to run the program, and must see the stores, the spec's work directory and `directory`
/// under the same names.
///
/// Memory:  an element asks (`-l h_vmem`) for the measured memory of the program before any data,
///          the projected memory of a task, and 16 MiB. The measure depends on the resource:
///          address space, data or resident memory. A task has no more than its projected memory,
///          so that it fails with std::bad_alloc before the limit of Grid Engine.
/// Losses:  Grid Engine itself starts the elements of a lost node once more (`-r y`), if its
///          administrator has set `reschedule_unknown`. They go on behind the last task that has
///          ended. An element that is lost otherwise (killed, deleted, past a limit, in an error
///          state) is a `worker_error`: the scheduler tries its task again, as on every engine, as
///          part of another job array.
/// Outages: a master that does not answer is asked again, with pauses, until `timing.patience` is
///          over: `worker_error`.
/// The end: no job is left behind when a run ends, fails or is interrupted. After an interrupt,
///          tasks that still run after `timing.grace` are deleted. The jobs of a driver that was
///          killed are deleted by the next run with the same `directory`.
///
/// Throws, also while it runs: value_error <- Grid Engine's commands are not there, or Grid Engine
///         refuses the jobs: an unknown queue, more memory than any node has; the program has no
///         `ts::runtime`; no workers.
[[nodiscard]] std::shared_ptr<executor> grid_engine(grid_engine_options options = {});

}  // namespace executors

}  // namespace tessera
