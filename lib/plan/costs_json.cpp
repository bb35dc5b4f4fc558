// SPDX-License-Identifier: Apache-2.0
#include "plan/costs_json.hpp"

#include "json/values.hpp"

namespace tessera {

using nlohmann::json;

json costs_json(const costs& figures) {
  const auto& limit = figures.total_bandwidth;
  return {{"read_bandwidth", figures.read_bandwidth.count()},
          {"write_bandwidth", figures.write_bandwidth.count()},
          {"latency", figures.latency.count()},
          {"requests_in_flight", figures.requests_in_flight},
          {"total_bandwidth", limit ? json(limit->count()) : json()},
          {"memory_bandwidth", figures.memory_bandwidth.count()},
          {"element_step", figures.element_step.count()},
          {"task", figures.task.count()},
          {"workers", figures.workers ? json(*figures.workers) : json()}};
}

costs parse_costs(const json& value) {
  costs figures;
  figures.read_bandwidth = bytes{fields::count(value.at("read_bandwidth"))};
  figures.write_bandwidth = bytes{fields::count(value.at("write_bandwidth"))};
  figures.latency = costs::seconds{fields::real(value.at("latency"))};
  figures.requests_in_flight = fields::count(value.at("requests_in_flight"));
  if (const json& limit = value.at("total_bandwidth"); !limit.is_null()) {
    figures.total_bandwidth = bytes{fields::count(limit)};
  }
  figures.memory_bandwidth = bytes{fields::count(value.at("memory_bandwidth"))};
  figures.element_step = costs::seconds{fields::real(value.at("element_step"))};
  figures.task = costs::seconds{fields::real(value.at("task"))};
  if (const json& count = value.at("workers"); !count.is_null()) {
    figures.workers = fields::count(count);
  }
  check_costs(figures);
  return figures;
}

}  // namespace tessera
