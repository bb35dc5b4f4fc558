// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executors that exist: by function, by name, and the one that is used by default.

#include <cstddef>
#include <memory>
#include <string_view>

namespace tessera {

class executor;

namespace executors {

/// Returns an executor that runs one task after the other in the thread that asks for the results.
[[nodiscard]] std::shared_ptr<executor> serial();

/// Returns an executor that runs tasks on `count` threads of this process; zero: one for each core
/// that this process may use.
[[nodiscard]] std::shared_ptr<executor> threads(std::size_t count = 0);

}  // namespace executors

/// Returns the executor that `text` names: "serial", "threads" or "threads:4".
///
/// Throws: value_error <- there is no such executor, or its number of workers is not positive.
[[nodiscard]] std::shared_ptr<executor> make_executor(std::string_view text);

/// Returns the executor of computations whose spec names none.
///
/// It is what `set_default_executor` was given; else what the environment variable TESSERA_EXECUTOR
/// names; else threads on every core.
///
/// Threads: may be called from several threads at the same time, as `set_default_executor` may.
/// Throws: value_error <- TESSERA_EXECUTOR names no executor.
[[nodiscard]] std::shared_ptr<executor> default_executor();

/// Sets what `default_executor` returns, and returns what was set before; null: nothing.
std::shared_ptr<executor> set_default_executor(std::shared_ptr<executor> engine);

}  // namespace tessera
