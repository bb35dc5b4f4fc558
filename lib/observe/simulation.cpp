// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/simulation.hpp"

#include "tessera/task/execution.hpp"

#include "core/api/numbered_label.hpp"
#include "observe/seconds.hpp"
#include "task/api/control_requests.hpp"
#include "task/api/target.hpp"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <ostream>

namespace tessera {

double simulation_report::utilisation() const {
  double busy = 0;
  for (const operation_history& operation : operations) busy += seconds_of(operation.busy);
  const double capacity = seconds_of(elapsed) * static_cast<double>(num_workers);
  return capacity > 0 ? busy / capacity : 0;
}

index_t simulation_report::num_failures() const {
  index_t sum = 0;
  for (const operation_history& operation : operations) sum += operation.num_failures;
  return sum;
}

index_t simulation_report::num_backups() const {
  index_t sum = 0;
  for (const operation_history& operation : operations) sum += operation.num_backups;
  return sum;
}

std::ostream& operator<<(std::ostream& out, const simulation_report& report) {
  out << fmt::format("{:.3f} s on {} workers, busy {:.0f} %\n", seconds_of(report.elapsed),
                     report.num_workers, 100 * report.utilisation());
  for (std::size_t i = 0; i < report.operations.size(); ++i) {
    const operation_history& operation = report.operations[i];
    out << fmt::format("{}: {} tasks from {:.3f} s to {:.3f} s, {} failures, {} backups\n",
                       numbered_label(i, operation.name), operation.num_tasks,
                       seconds_of(operation.begin), seconds_of(operation.end),
                       operation.num_failures, operation.num_backups);
  }
  return out;
}

simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                           const run_with& settings) {
  const std::shared_ptr<executor> engine = executors::simulated(options);
  return simulate(planned_anew(plan, *engine), options, as_planned, settings);
}

simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                           as_planned_t /*as_it_is*/, const run_with& settings) {
  const auto past = std::make_shared<history>();
  run_with simulated = settings;
  simulated.executor = executors::simulated(options);
  simulated.observers = {past};
  run(plan, simulated);
  const control_round_trips control = control_round_trips_of(plan);
  simulation_report report{past->elapsed() + (control.before + control.behind) * options.latency,
                           past->num_workers(), past->operations()};
  for (operation_history& operation : report.operations) {
    operation.begin += control.before * options.latency;
    operation.end += control.before * options.latency;
  }
  return report;
}

}  // namespace tessera
