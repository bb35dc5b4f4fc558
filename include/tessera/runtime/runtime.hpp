// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The start of a program in `main`: reads the command line's options, handles Ctrl-C.

#include "tessera/scheduler/interrupt.hpp"

#include <memory>
#include <string>

namespace tessera {

class executor;

/// Sets up a program for its lifetime: `ts::runtime runtime{argc, argv};` first in `main`.
///
/// - Goes no further if the program was started as a worker process: it runs tasks then, and ends
///   with the program that started it. So nothing is done in `main` before.
/// - Reads the options below and removes them from `argc` and `argv`. Their values go before the
///   environment variables TESSERA_EXECUTOR, TESSERA_MEMORY, TESSERA_WORK_DIR, TESSERA_PROGRESS and
///   TESSERA_REPORT.
///
///       --tessera-executor=serial | threads:<count> | processes:<count> | simulated:...
///       --tessera-memory=<size>                                   the allowed memory of a task
///       --tessera-work-dir=<folder>                               for intermediate arrays
///       --tessera-progress=auto | always | never                  auto: if on a terminal
///       --tessera-resume=auto | never | require                   what an earlier run has left
///       --tessera-report=<folder>                                 the record of each run
///       --tessera-study="workers=1,2,4;repeat=5"                  a scaling study: below
///
///   A study goes no further either: the program is started again for each repetition on each
///   number of workers, and timed by the records of its computations. Its parts:
///
///       workers=1,2,4
///       repeat=5                 by default until medians are known within 5 %
///       engine=processes         "threads" by default
///       launch=srun -n {workers}  for ranks
///       simulated=10,1000        for programs that only store
///       out=<folder>             of tables and plots; "study" by default
///
///   Memory and work directory are for arrays that have no spec: `default_spec`. The others are for
///   runs that say nothing of them: `run_with`. `help` describes them all.
///
/// - Lets Ctrl-C (SIGINT) and SIGTERM stop a computation cleanly: interrupt.hpp. Where the program
///   does not catch the `interrupted_error` it ends with exit code 130 and the words that tell how
///   to continue.
/// - Ends a program that does not catch another `error` with its message and exit code 1.
/// - Lets the C library's allocator keep no more than two arenas, so that freed memory is not held
///   once for each thread.
/// - Resets an inherited, ignored SIGCHLD to its default action: the exit codes of workers would be
///   lost.
///
/// A program without a runtime works as well, with the defaults and the environment variables.
///
/// Threads: made before other threads are started; at most one at a time.
class runtime {
 public:
  /// Throws: value_error <- an option or environment variable that begins as Tessera's do is
  ///         unknown or has no such value.
  runtime(int& argc, char** argv);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();

  /// Returns the options as lines, for the help text of a program.
  [[nodiscard]] static std::string help();

 private:
  struct settings;
  std::unique_ptr<settings> before_;
  interrupt_handlers handlers_;
};

}  // namespace tessera
