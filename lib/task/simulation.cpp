// SPDX-License-Identifier: Apache-2.0
#include "task/api/simulation.hpp"

#include "task/as_scheduled.hpp"

#include <memory>
#include <string>

namespace tessera {

namespace {

class stop_watch final : public observer {
 public:
  void on_computation_end(computation_outcome, session_time now) override { elapsed = now; }

  session_time elapsed{};
};

/// Operations with the figures of their tasks and without data. Its tasks compute nothing.
class workload_of_totals final : public workload {
 public:
  explicit workload_of_totals(const std::vector<operation_totals>& operations) {
    for (const operation_totals& totals : operations) {
      operations_.push_back(as_scheduled(totals));
    }
  }
  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t operation, index_t) const override {
    return operations_.at(operation).name;
  }

 private:
  std::vector<workload_operation> operations_;
};

}  // namespace

session_time simulated_time(workload& work, executor& engine, run_options options) {
  const auto watch = std::make_shared<stop_watch>();
  options.observers = {watch};
  run(work, engine, options);
  return watch->elapsed;
}

session_time simulated_time(const std::vector<operation_totals>& operations, executor& engine) {
  workload_of_totals work(operations);
  run_options options;
  options.worker_memory = bytes{0};
  return simulated_time(work, engine, options);
}

}  // namespace tessera
