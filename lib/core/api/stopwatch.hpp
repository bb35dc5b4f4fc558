// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures times of some microseconds.
///
/// A task reads a chunk of 4 KiB in a microsecond. Two readings of the steady clock take a
/// twentieth of that, as each one waits for all earlier instructions. A reading of the counter of
/// the processor does not wait. Its rate is measured with the steady clock during the first
/// milliseconds of a process. Until then, and on processors without a counter of constant rate, a
/// stopwatch reads the steady clock.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace tessera {

namespace detail {

/// The nanoseconds of a tick of the processor's counter; 0 while they are not known.
inline std::atomic<double> nanoseconds_of_tick = 0;

/// Returns the counter of the processor; 0 if there is none.
[[nodiscard]] inline std::uint64_t count_ticks() {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

/// Returns the time of the steady clock. Measures a tick if the process is old enough.
[[nodiscard]] std::chrono::nanoseconds steady_time();

}  // namespace detail

/// Measures the time since its construction. It may overlap with its neighbours by some
/// nanoseconds.
class stopwatch {
 public:
  [[nodiscard]] std::chrono::nanoseconds elapsed() const {
    if (tick_ == 0) return detail::steady_time() - begin_time_;
    // The counters of two cores may differ by some ticks.
    const auto num_ticks = static_cast<std::int64_t>(detail::count_ticks() - begin_ticks_);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(
        tick_ * static_cast<double>(std::max<std::int64_t>(num_ticks, 0))));
  }

 private:
  double tick_ = detail::nanoseconds_of_tick.load(std::memory_order_relaxed);
  std::chrono::nanoseconds begin_time_ =
      tick_ == 0 ? detail::steady_time() : std::chrono::nanoseconds{};
  std::uint64_t begin_ticks_ = detail::count_ticks();
};

}  // namespace tessera
