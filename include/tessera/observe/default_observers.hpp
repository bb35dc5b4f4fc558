// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The observers of a computation that states none.

#include <memory>
#include <vector>

namespace tessera {

class observer;

/// Returns the observers of a computation that names none. They write to standard error: a line if
/// it continues an earlier run, and its progress (`progress_mode`). There is no observer if the
/// mode is `never`.
///
/// The mode is the option --tessera-progress of the program's `runtime`; else the value of the
/// environment variable TESSERA_PROGRESS; else `automatic`.
///
/// Threads: may be called from several threads at the same time.
/// Throws: value_error <- TESSERA_PROGRESS names no mode.
[[nodiscard]] std::vector<std::shared_ptr<observer>> default_observers();

/// Silences the computations of the program that name no observers and no record: they show no
/// progress, print no notes, and write no status and no record (`run_with`).
///
/// It goes before the options of the program's `runtime` and the environment variables, until the
/// `runtime` ends. A program without one stays silent. A `runtime` that is made after the call
/// obeys its own options.
///
/// Threads: may be called from several threads at the same time.
void observe_nothing();

}  // namespace tessera
