// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Who watches a computation that says nothing about it.

#include <memory>
#include <vector>

namespace tessera {

class observer;

/// Returns who watches a computation that says nothing about it, on standard error: a line where it
/// continues an earlier run, and a progress bar. Without a terminal that is the line alone, and
/// nobody where the mode is `never`.
///
/// The mode is what the option --tessera-progress of the program's `runtime` says; else what the
/// environment variable TESSERA_PROGRESS names; else `automatic`.
///
/// Threads: may be called from several threads at the same time.
/// Throws: value_error <- TESSERA_PROGRESS names no mode.
[[nodiscard]] std::vector<std::shared_ptr<observer>> default_observers();

}  // namespace tessera
