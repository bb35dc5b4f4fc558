// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What this process uses: measured, not computed.

#include "tessera/core/bytes.hpp"

#include <memory>

namespace tessera {

class executor;

/// Returns the memory that this process holds now (VmRSS); zero where the system does not tell.
[[nodiscard]] bytes resident_memory();

/// Returns what this process holds once all code of the program and its libraries is mapped, which
/// it does once.
[[nodiscard]] bytes memory_with_code();

/// Returns what this process will hold when a run begins: all code mapped, a plan, and what the
/// scheduler knows of it.
[[nodiscard]] bytes memory_before_run();

/// Returns the most that this process has held since it was started or since `reset_peak_memory`
/// (VmHWM); zero where the system does not tell.
[[nodiscard]] bytes peak_memory();

/// Makes `peak_memory` start anew from what is held now; returns false where the system refuses.
bool reset_peak_memory();

/// Returns what this process holds before any data, with the workers of `engine` warmed up and all
/// code of the program and its libraries: what to put into `spec::reserved_memory`. Where the
/// workers are other processes: what one of those holds. Null: those of `default_executor()`.
[[nodiscard]] bytes measure_reserved_memory(const std::shared_ptr<executor>& engine = nullptr);

}  // namespace tessera
