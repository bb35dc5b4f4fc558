// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executor for programs that have threads of their own: OpenMP, Kokkos, HPX, a thread pool.

#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace tessera::executors {

/// A parallel loop of the host program: calls `body(i)` once for each i in [0, n) and returns when
/// all calls have returned. Calls may run at the same time, or one after the other.
using host_loop = std::function<void(std::size_t n, const std::function<void(std::size_t)>& body)>;

/// Returns an executor that runs tasks on `count` threads of the host program; it starts none.
///
/// Each computation is one call of `run(count, body)`, by the thread that asks for the results. A
/// call of `body` returns when the computation has ended. The first call that begins schedules the
/// tasks, and sleeps while they run; the others run them. So there is one worker less than threads:
/// a host that has a thread for each core may pass one more. With one thread the only call runs the
/// tasks, too; so does the first call of a loop that does not begin a second one within a second,
/// as a loop inside a parallel region. A computation inside a task runs serially on the thread of
/// this task.
///
/// Example:
///
///     auto engine = ts::executors::on(omp_get_max_threads(), [](std::size_t n, const auto& body) {
///     #pragma omp parallel for schedule(static, 1)
///       for (std::size_t i = 0; i < n; ++i) body(i);
///     });
///     ts::mean(u).compute({.executor = engine});
///
/// Threads: `run` is called by several threads at the same time if these compute at the same time.
/// Throws:  value_error <- `count` is zero, or `run` is empty. A computation: the exception of
///          `run`; value_error <- `run` called no body.
[[nodiscard]] std::shared_ptr<executor> on(std::size_t count, host_loop run);

}  // namespace tessera::executors
