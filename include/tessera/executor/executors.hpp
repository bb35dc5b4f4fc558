// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executors that exist: by function, by name, and the one that is used by default.

#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tessera {

namespace executors {

/// Returns an executor that runs one task after the other in the thread that asks for the results.
[[nodiscard]] std::shared_ptr<executor> serial();

/// Returns an executor that runs tasks on `count` threads of this process; zero: one for each core
/// that this process may use.
[[nodiscard]] std::shared_ptr<executor> threads(std::size_t count = 0);

/// Returns an executor that runs tasks in `count` processes of their own on this host, each of
/// which runs one task at a time; zero: one for each core that this process may use.
///
/// The processes are this program, which turns into a worker when it makes its `runtime`. They are
/// started when they are first needed. A worker that crashes or is killed costs its task an attempt
/// and is replaced. A task that uses more memory than its operation declares ends with
/// std::bad_alloc: the system holds it to that.
///
/// Throws: value_error <- the program has made no `runtime` (runtime/runtime.hpp).
[[nodiscard]] std::shared_ptr<executor> processes(std::size_t count = 0);

}  // namespace executors

/// Makes an executor of its whole text, as `make_executor` was given it: "threads:4".
using executor_factory = std::function<std::shared_ptr<executor>(std::string_view text)>;

/// Makes `make` known as the way to executors whose text is `name`, or begins with it and a colon;
/// returns true.
///
/// The engines of this library are known. That of a component becomes known by linking it. Call it
/// before `main`, to give an engine of your own a name: `const bool is_known =
/// register_executor(...);` at namespace scope. Registering a name again replaces it.
bool register_executor(const std::string& name, executor_factory make);

/// Returns the executor that `text` names: "serial", "threads", "threads:4", "processes:4", or one
/// that was registered.
///
/// Throws: value_error <- there is no such executor, the component that has it is not linked, or
///         its number of workers is not positive; the errors of its factory.
[[nodiscard]] std::shared_ptr<executor> make_executor(std::string_view text);

/// Returns the executor of runs that name none.
///
/// It is the argument of `set_default_executor`, if there was one; else the executor that the
/// environment variable TESSERA_EXECUTOR names; else threads on every core.
///
/// Threads: may be called from several threads at the same time, as `set_default_executor` may.
/// Throws: value_error <- TESSERA_EXECUTOR names no executor.
[[nodiscard]] std::shared_ptr<executor> default_executor();

/// Sets the executor that `default_executor` returns (null: none), and returns the one set before.
std::shared_ptr<executor> set_default_executor(std::shared_ptr<executor> engine);

}  // namespace tessera
