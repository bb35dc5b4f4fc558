// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/simulation.hpp"

#include "tessera/task/execution.hpp"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <ostream>

namespace tessera {

namespace {

double seconds_of(session_time time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

double simulation_report::utilisation() const {
  double busy = 0;
  for (const operation_history& each : operations) busy += seconds_of(each.busy);
  const double all = seconds_of(elapsed) * static_cast<double>(num_workers);
  return all > 0 ? busy / all : 0;
}

index_t simulation_report::num_failures() const {
  index_t sum = 0;
  for (const operation_history& each : operations) sum += each.num_failures;
  return sum;
}

index_t simulation_report::num_backups() const {
  index_t sum = 0;
  for (const operation_history& each : operations) sum += each.num_backups;
  return sum;
}

std::ostream& operator<<(std::ostream& out, const simulation_report& report) {
  out << fmt::format("{:.3f} s on {} workers, busy {:.0f} %\n", seconds_of(report.elapsed),
                     report.num_workers, 100 * report.utilisation());
  for (const operation_history& each : report.operations) {
    out << fmt::format("{}: {} tasks from {:.3f} s to {:.3f} s, {} failures, {} backups\n",
                       each.name, each.num_tasks, seconds_of(each.begin), seconds_of(each.end),
                       each.num_failures, each.num_backups);
  }
  return out;
}

simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                           const run_with& how) {
  const auto past = std::make_shared<history>();
  run_with simulated = how;
  simulated.executor = executors::simulated(options);
  simulated.observers = {past};
  run(plan, simulated);
  return {past->elapsed(), past->num_workers(), past->operations()};
}

}  // namespace tessera
