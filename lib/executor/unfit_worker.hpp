// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The exit codes of workers, for systems that start and restart programs.
///
/// - 0: the tasks have ended, and their outcome is reported; also that of a task that failed.
/// - `exit_code_of_unfit`: this program cannot run here. Another attempt would end alike.
/// - Others, and signals: the worker was lost, and may be started once more.

#include "tessera/core/error.hpp"

#include <sysexits.h>

namespace tessera {

/// 78: the program is another build than its driver, was built for another processor, or does not
/// find the folder of its run.
inline constexpr int exit_code_of_unfit = EX_CONFIG;

/// A program that cannot be a worker here.
class unfit_worker : public error {
 public:
  using error::error;
};

}  // namespace tessera
