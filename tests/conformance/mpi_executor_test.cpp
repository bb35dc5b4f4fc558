// SPDX-License-Identifier: Apache-2.0

/// \file
/// The conformance of the executor of an MPI program. The first rank runs the tests. The remaining
/// ranks serve each workload that it runs, as worker processes do.

#include "tessera/executor/mpi.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/workload_registry.hpp"
#include "tessera/testing/executor_conformance.hpp"

#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

constexpr auto end_of_tests = "end of tests";

/// The workload that the first rank runs after the last test.
class last_workload final : public workload, private group_work {
 public:
  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t, index_t) const override { return {}; }
  tessera::group_work* group_work() override { return this; }

 private:
  workload_recipe invitation() override { return {end_of_tests, {}}; }
  void join(const workload_recipe&) override {}

  std::vector<workload_operation> operations_;
};

/// The workload that the first rank runs, made from its recipe.
class served_workload final : public workload, private group_work {
 public:
  const std::vector<workload_operation>& operations() const override { return work_->operations(); }
  void begin(std::size_t) override {}
  void run(std::size_t operation, index_t task, std::size_t worker) override {
    work_->run(operation, task, worker);
  }
  void end(std::size_t) override {}
  std::string describe(std::size_t operation, index_t task) const override {
    return work_->describe(operation, task);
  }
  tessera::group_work* group_work() override { return this; }

  bool is_last = false;

 private:
  workload_recipe invitation() override { return work_->recipe(); }
  void join(const workload_recipe& leader) override {
    is_last = leader.kind == end_of_tests;
    if (!is_last) work_ = make_workload(leader);
  }

  std::unique_ptr<workload> work_;
};

void serve_until_the_end(process_group& ranks) {
  served_workload work;
  while (!work.is_last) {
    try {
      (void)ranks.serve(work);
    } catch (const std::exception&) {
      // The first rank's test expects it, or fails.
    }
  }
}

int run_tests(const std::shared_ptr<executor>& engine) {
  const bool is_alone = engine->num_workers() == 1;
  register_executor_conformance(
      "mpi", [engine] { return engine; },
      {.shares_memory = is_alone, .maps_memory = !is_alone, .serves_threads = is_alone});
  const int status = RUN_ALL_TESTS();
  last_workload last;
  run(last, *engine);
  return status;
}

int run_on_all_ranks() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::shared_ptr<executor> engine = executors::mpi();
  if (rank == 0) return run_tests(engine);
  serve_until_the_end(*engine->group());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  const int status = tessera::testing::run_on_all_ranks();
  MPI_Finalize();
  return status;
}
