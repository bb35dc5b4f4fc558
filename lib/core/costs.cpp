// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/costs.hpp"

#include "tessera/core/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tessera {

namespace {

void require(bool is_right, std::string_view member, std::string_view rule) {
  if (!is_right) throw value_error(fmt::format("costs: {} must be {}", member, rule));
}

std::string format_rate(bytes in_a_second) { return format_short(in_a_second) + "/s"; }

std::string format_time(costs::seconds time) {
  if (time.count() >= 1) return fmt::format("{:.3g} s", time.count());
  if (time.count() >= 1e-3) return fmt::format("{:.3g} ms", time.count() * 1e3);
  if (time.count() >= 1e-6) return fmt::format("{:.3g} us", time.count() * 1e6);
  return fmt::format("{:.3g} ns", time.count() * 1e9);
}

}  // namespace

costs costs::or_else(const costs& fallback) const {
  constexpr costs defaults;
  costs merged = *this;
  const auto merge = [&](auto costs::*member) {
    if (merged.*member == defaults.*member) merged.*member = fallback.*member;
  };
  merge(&costs::read_bandwidth);
  merge(&costs::write_bandwidth);
  merge(&costs::latency);
  merge(&costs::requests_in_flight);
  merge(&costs::total_bandwidth);
  merge(&costs::memory_bandwidth);
  merge(&costs::element_step);
  merge(&costs::task);
  merge(&costs::workers);
  return merged;
}

void check_costs(const costs& figures) {
  constexpr std::string_view rate = "at least 1 B in a second";
  constexpr std::string_view count = "at least 1";
  constexpr std::string_view time = "a time that is not negative";
  const auto is_time = [](costs::seconds t) { return t.count() >= 0 && std::isfinite(t.count()); };
  require(figures.read_bandwidth > bytes{0}, "read_bandwidth", rate);
  require(figures.write_bandwidth > bytes{0}, "write_bandwidth", rate);
  require(!figures.total_bandwidth || *figures.total_bandwidth > bytes{0}, "total_bandwidth", rate);
  require(figures.memory_bandwidth > bytes{0}, "memory_bandwidth", rate);
  require(figures.requests_in_flight > 0, "requests_in_flight", count);
  require(figures.num_workers() > 0, "workers", count);
  require(is_time(figures.latency), "latency", time);
  require(is_time(figures.element_step), "element_step", time);
  require(is_time(figures.task), "task", time);
}

std::string format(const costs& figures) {
  return fmt::format(
      "reads {}, writes {}, latency {}, {} in flight, in all {}, memory {}, a step {}, a task {}, "
      "{}",
      format_rate(figures.read_bandwidth), format_rate(figures.write_bandwidth),
      format_time(figures.latency), figures.requests_in_flight,
      figures.total_bandwidth ? format_rate(*figures.total_bandwidth) : "no limit",
      format_rate(figures.memory_bandwidth), format_time(figures.element_step),
      format_time(figures.task),
      figures.workers ? fmt::format("{} workers", *figures.workers) : "the executor's workers");
}

}  // namespace tessera
