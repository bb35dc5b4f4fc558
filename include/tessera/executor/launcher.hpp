// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executor that runs tasks through any command that starts a program several times.

#include "tessera/executor/array_timing.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tessera {

class executor;

/// Options of a launcher.
struct launcher_options {
  /// The command of the launcher, for a shell. The program to start, and its arguments, follow it.
  std::string command;
  /// The most elements of an array that run at the same time.
  std::size_t workers = 16;
  /// The most elements of an array.
  std::size_t max_elements = 1000;
  /// A folder that the driver and all elements see under this name. A relative one is below the
  /// current directory. It may be in a store, "s3://bucket/folder": each program opens the store by
  /// this URL with credentials of its own.
  std::string directory = "tessera-work";
  array_timing timing{.query = std::chrono::milliseconds{500},
                      .visible = std::chrono::milliseconds{5'000}};

  [[nodiscard]] bool operator==(const launcher_options&) const = default;
};

/// Returns the options in the name of a launcher, "launcher:command=./launch.py,workers=100".
///
/// Throws: value_error <- an option is unknown or has no good value.
[[nodiscard]] launcher_options parse_launcher_options(std::string_view text);

namespace executors {

/// Returns an executor that runs tasks through a launcher: a command that starts a program several
/// times, on whichever hosts, and ends once all copies have ended. `examples/launchers` has some.
///
/// By name: "launcher:command=./launch.py,workers=100", with the options `command`, `workers`,
/// `max_elements` and `directory`.
///
/// For each array of tasks the driver starts the command with the program and its arguments. The
/// environment says the rest, and is passed on to each copy of the program:
///
///     TESSERA_ARRAY_SIZE     the number of copies; each has its number, from 0, in TESSERA_INDEX
///     TESSERA_ARRAY_WORKERS  the most copies at the same time
///     TESSERA_ARRAY_MEMORY   the memory of a copy, in MiB
///     TESSERA_ARRAY_NAME     a name of the array
///     TESSERA_WORKER         makes a copy a worker
///
/// A copy that exits with 0 has reported, and 78 says that the program cannot run there; after
/// both it is not started again. After any other end the launcher may start it again; it goes on
/// behind its last finished task. If copies have not reported when the launcher ends, their tasks
/// are lost (`worker_error`), and are tried again in another array. The message has the launcher's
/// exit code and its last line; 78 ends the run. SIGTERM tells a launcher to end, and SIGKILL ends
/// its process group a second later. With TESSERA_WORKER_DIES_WITH_PARENT=1 the system ends a copy
/// with the process that started it.
///
/// If the folder is in a store, the driver lists it every 5 s, and copies record progress once a
/// minute. Of two programs that compute the same stored arrays at once, one goes on. The other one
/// throws, or takes the run over once the first has given no sign of life for 90 s.
///
/// Memory: a copy lets a task have no more than its projected memory, so that the task fails with
///         std::bad_alloc.
/// Throws: value_error <- no command or no workers; the program has no `ts::runtime`. When a run
///         begins: other programs cannot open the store; another program coordinates the run.
[[nodiscard]] std::shared_ptr<executor> launcher(launcher_options options);

}  // namespace executors

}  // namespace tessera
