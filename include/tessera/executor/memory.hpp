// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of this process: measured, not computed.

#include "tessera/core/bytes.hpp"

#include <memory>

namespace tessera {

class executor;

/// Returns the memory that this process holds now (VmRSS); zero if the system does not tell.
[[nodiscard]] bytes resident_memory();

/// Returns the memory of this process once all code of the program and its libraries is mapped. The
/// first call maps the code.
[[nodiscard]] bytes memory_with_code();

/// Returns the memory that this process will hold when a run begins: all code mapped, a plan, and
/// the data of the scheduler.
[[nodiscard]] bytes memory_before_run();

/// Returns the most that this process has held since it was started or since `reset_peak_memory`
/// (VmHWM); zero if the system does not tell.
[[nodiscard]] bytes peak_memory();

/// Makes `peak_memory` start anew from the present memory; returns false if the system refuses.
bool reset_peak_memory();

/// Returns the value for `spec::reserved_memory`: the memory of this process before any data. The
/// workers of `engine` are warmed up, and all code of the program and its libraries is mapped. If
/// the workers are other processes, it is the memory of one of them. Null: the workers of
/// `default_executor()`.
[[nodiscard]] bytes measure_reserved_memory(const std::shared_ptr<executor>& engine = nullptr);

}  // namespace tessera
