// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/costs.hpp"

#include "tessera/core/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tessera {

namespace {

void require(bool is_right, std::string_view member, std::string_view what) {
  if (!is_right) throw value_error(fmt::format("costs: {} must be {}", member, what));
}

std::string format_rate(bytes in_a_second) { return format_short(in_a_second) + "/s"; }

std::string format_time(costs::seconds time) {
  if (time.count() >= 1) return fmt::format("{:.3g} s", time.count());
  if (time.count() >= 1e-3) return fmt::format("{:.3g} ms", time.count() * 1e3);
  if (time.count() >= 1e-6) return fmt::format("{:.3g} us", time.count() * 1e6);
  return fmt::format("{:.3g} ns", time.count() * 1e9);
}

}  // namespace

void check_costs(const costs& all) {
  constexpr std::string_view rate = "at least 1 B in a second";
  constexpr std::string_view count = "at least 1";
  constexpr std::string_view time = "a time that is not negative";
  const auto is_time = [](costs::seconds t) { return t.count() >= 0 && std::isfinite(t.count()); };
  require(all.read_bandwidth > bytes{0}, "read_bandwidth", rate);
  require(all.write_bandwidth > bytes{0}, "write_bandwidth", rate);
  require(!all.total_bandwidth || *all.total_bandwidth > bytes{0}, "total_bandwidth", rate);
  require(all.memory_bandwidth > bytes{0}, "memory_bandwidth", rate);
  require(all.requests_in_flight > 0, "requests_in_flight", count);
  require(all.num_workers() > 0, "workers", count);
  require(is_time(all.latency), "latency", time);
  require(is_time(all.element_step), "element_step", time);
  require(is_time(all.task), "task", time);
}

std::string format(const costs& all) {
  return fmt::format(
      "reads {}, writes {}, latency {}, {} in flight, in all {}, memory {}, a step {}, a task {}, "
      "{}",
      format_rate(all.read_bandwidth), format_rate(all.write_bandwidth), format_time(all.latency),
      all.requests_in_flight, all.total_bandwidth ? format_rate(*all.total_bandwidth) : "no limit",
      format_rate(all.memory_bandwidth), format_time(all.element_step), format_time(all.task),
      all.workers ? fmt::format("{} workers", *all.workers) : "the executor's workers");
}

}  // namespace tessera
