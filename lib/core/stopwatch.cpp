// SPDX-License-Identifier: Apache-2.0
#include "core/api/stopwatch.hpp"

#include <optional>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace tessera::detail {

namespace {

using namespace std::chrono_literals;

/// One instant by both clocks.
struct clock_pair {
  std::chrono::nanoseconds time;
  std::uint64_t ticks;
};

std::chrono::nanoseconds time_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Returns nullopt if the thread was interrupted between the readings.
std::optional<clock_pair> read_clocks() {
  constexpr auto longest_pause = 1us;
  const clock_pair now{time_now(), count_ticks()};
  if (time_now() - now.time > longest_pause) return std::nullopt;
  return now;
}

/// Tells whether the counter has the same rate at all frequencies, and does not stop.
///
/// Source: AMD64 Architecture Programmer's Manual volume 3, CPUID function 8000_0007, EDX bit 8;
/// Intel 64 Architectures Software Developer's Manual volume 3, "Invariant TSC".
bool has_constant_ticks() {
#ifdef __x86_64__
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned power_management = 0x80000007;
  return __get_cpuid(power_management, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#else
  return false;
#endif
}

/// Both clocks at the begin of the process.
const std::optional<clock_pair> process_begin = has_constant_ticks() ? read_clocks() : std::nullopt;

/// Pauses between the readings of a pair then add at most 2e-4 to a tick.
constexpr auto shortest_measurement = 10ms;

}  // namespace

std::chrono::nanoseconds steady_time() {
  const std::chrono::nanoseconds time = time_now();
  if (!process_begin || time - process_begin->time < shortest_measurement) return time;
  if (const auto now = read_clocks(); now && now->ticks > process_begin->ticks) {
    nanoseconds_of_tick = static_cast<double>((now->time - process_begin->time).count()) /
                          static_cast<double>(now->ticks - process_begin->ticks);
  }
  return time;
}

}  // namespace tessera::detail
