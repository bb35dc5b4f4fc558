// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/memory_bound.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "core/api/host_memory.hpp"
#include "unit/core/message_of.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// An engine of two workers in processes of their own, which runs nothing.
class two_processes final : public ts::executor {
 public:
  [[nodiscard]] std::string name() const override { return "two"; }
  [[nodiscard]] std::size_t num_workers() const override { return 2; }
  [[nodiscard]] ts::executor_traits traits() const override { return {.shares_memory = false}; }
  [[nodiscard]] std::unique_ptr<ts::executor_session> start(ts::workload&) override { return {}; }
};

ts::spec limits_of(ts::bytes allowed) {
  return {.allowed_memory = allowed, .intermediate_compressor = "none"};
}

/// A result of 80 kB that is made of an intermediate of 80 kB.
ts::plan<ts::array<double, 2>> in_two_steps(
    const ts::spec& limits,
    const std::shared_ptr<ts::executor>& engine = ts::executors::threads(2)) {
  const auto x = ts::ones<double>({100, 100}, {.chunks = {10, 100}, .spec = limits});
  const ts::array<double, 2> columns = ts::rechunk(x + 1.0, {100, 10});
  // Otherwise one task would compute the maximum and subtract it.
  return ts::plan(ts::pass_switches{.fuse_epilogues = false}, ts::run_with{.executor = engine},
                  ts::array<double, 2>(columns - ts::max(columns, ts::axis<1>, ts::keepdims)));
}

TEST(MemoryBound, IsTheProcessATaskOfEachWorkerAndWhatIsInMemory) {
  const ts::memory_bound bound = in_two_steps(limits_of(1_GB)).bounded().bound();
  EXPECT_GE(bound.reserved * 2, ts::resident_memory());
  EXPECT_LE(bound.reserved, ts::memory_before_run());
  EXPECT_EQ(bound.results, 80_kB);
  EXPECT_EQ(bound.limit, bound.reserved + 2_GB + 80_kB);
  EXPECT_GE(bound.intermediates, 80_kB);
  EXPECT_LE(bound.intermediates, 81_kB);
  EXPECT_EQ(bound.total(), bound.reserved + bound.task * 2 + bound.intermediates + bound.results);
}

TEST(MemoryBound, LeavesIntermediatesToStorageThatTheAllowedMemoryOfTheWorkersDoesNotHold) {
  ts::spec limits = limits_of(1_GB);
  const ts::bytes task = in_two_steps(limits).bounded().bound().task;
  // Enough for a task that reads a chunk of 8 kB; but of two workers a task of each leaves less
  // than 80 kB.
  limits.allowed_memory = task + 39_kB;
  const ts::plan tight = in_two_steps(limits);
  const ts::memory_bound bound = tight.bounded().bound();
  EXPECT_LT(bound.intermediates, 80_kB);
  EXPECT_LE(bound.total(), bound.reserved + limits.allowed_memory * 2 + 80_kB);
}

TEST(MemoryBound, IsAtMostTheHostMemoryThatIsSet) {
  ts::spec limits = limits_of(3_GB);
  limits.reserved_memory = 2_GB;
  limits.host_memory = 2_GB + 130_kB;
  const ts::plan plan = in_two_steps(limits);
  EXPECT_EQ(plan.projected_host_memory(), 2_GB + 130_kB);
  EXPECT_NE(plan.bounded().to_string().find("2.0 GB  the host memory,"), std::string::npos) << plan;
}

TEST(MemoryBound, IsNeverMoreThanTheHostHas) {
  const ts::memory_bound bound = in_two_steps(limits_of(1'000'000_TB)).bounded().bound();
  EXPECT_EQ(bound.limit, ts::host_memory());
}

TEST(MemoryBound, HoldsResultsThatAreReadBackWithTheirBuffers) {
  const ts::spec limits{
      .allowed_memory = 1_MB, .reserved_memory = 100_kB, .intermediate_compressor = "none"};
  const ts::memory_bound bound =
      in_two_steps(limits, std::make_shared<two_processes>()).bounded().bound();
  // Two workers, and the process that schedules.
  EXPECT_GE(bound.reserved * 2, ts::resident_memory() + 400_kB);
  EXPECT_LE(bound.reserved, ts::memory_before_run() + 200_kB);
  EXPECT_EQ(bound.results, 80_kB);
  EXPECT_EQ(bound.reading, 8_kB);  // a chunk, which is read as it is
  EXPECT_EQ(bound.intermediates, 0_B);
  EXPECT_EQ(bound.limit, bound.reserved + (1_MB - 100_kB) * 2 + 88_kB);
}

TEST(MemoryBound, RefusesResultsThatAreReadBackAndDoNotFit) {
  const ts::spec limits{.allowed_memory = 2_GB + 60_MB,
                        .reserved_memory = 2_GB,
                        .host_memory = 6_GB + 70_MB,
                        .intermediate_compressor = "none"};
  const auto x = ts::ones<double>({10, 1'000'000}, {.chunks = {1, 1'000'000}, .spec = limits});
  const std::string message = ts::testing::message_of<ts::memory_error>([&] {
    (void)ts::plan(x + 1.0, ts::run_with{.executor = std::make_shared<two_processes>()});
  });
  EXPECT_EQ(message.find("the results take 80.0 MB (80,000,000 B) in memory "
                         "and 8.0 MB (8,000,000 B) to read them"),
            0U)
      << message;
  EXPECT_NE(message.find("than the host memory of 6.1 GB (6,070,000,000 B); store the results "
                         "instead of computing them into memory, or take a host memory of at least "
                         "6.1 GB (6,088,000,000 B)"),
            std::string::npos)
      << message;
}

TEST(MemoryBound, CountsThisProcessWhereTheHostMemoryIsSet) {
  ts::spec limits = limits_of(1_GB);
  limits.host_memory = 1_kB;
  const std::string message =
      ts::testing::message_of<ts::memory_error>([&] { (void)in_two_steps(limits); });
  EXPECT_NE(message.find("that the processes hold themselves"), std::string::npos) << message;
  limits.host_memory = ts::memory_before_run() + 64_MB;
  const ts::plan plan = in_two_steps(limits);
  EXPECT_GE(plan.bounded().bound().reserved * 2, ts::resident_memory());
  (void)plan.compute();
}

// Planning asks for the host memory with which the run goes, the process included.
TEST(MemoryBound, IsOneForThePlanAndItsRun) {
  ts::spec limits = limits_of(1_GB);
  limits.host_memory = 1_MB;
  const auto gram = [&] {
    const auto x = ts::ones<double>({2000, 60}, {.chunks = {500, 60}, .spec = limits});
    return ts::plan(ts::matmul(ts::matrix_transpose(x), x),
                    ts::run_with{.executor = ts::executors::serial()});
  };
  const std::string message = ts::testing::message_of<ts::memory_error>([&] { (void)gram(); });
  EXPECT_NE(message.find("or take a host memory of at least"), std::string::npos) << message;
  limits.host_memory.reset();
  limits.host_memory = gram().bounded().bound().least() + 1_MB;
  EXPECT_DOUBLE_EQ(gram().compute()(0, 0), 2000);
}

TEST(MemoryBound, RefusesARunWhoseProcessHasGrownAndNamesTheGrowth) {
  ts::spec limits = limits_of(1_GB);
  limits.host_memory = ts::memory_before_run() + 64_MB;
  const ts::plan plan = in_two_steps(limits);
  const std::vector<double> growth(16'000'000, 1.0);
  const std::string message =
      ts::testing::message_of<ts::memory_error>([&] { (void)plan.compute(); });
  EXPECT_EQ(growth.back(), 1);
  EXPECT_EQ(message.find("run: the processes hold "), 0U) << message;
  EXPECT_NE(message.find("when the plan was made"), std::string::npos) << message;
}

}  // namespace
