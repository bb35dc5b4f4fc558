// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/memory_bound.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/host_memory.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

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
  return ts::plan(ts::array<double, 2>(columns - ts::max(columns, ts::axis<1>, ts::keepdims)),
                  ts::run_with{.executor = engine});
}

TEST(MemoryBound, IsATaskOfEachWorkerAndWhatIsInMemory) {
  const ts::memory_bound bound = in_two_steps(limits_of(1_GB)).bounded().bound();
  EXPECT_EQ(bound.results, 80_kB);
  EXPECT_EQ(bound.limit, 2_GB + 80_kB);
  EXPECT_GE(bound.intermediates, 80_kB);
  EXPECT_LE(bound.intermediates, 81_kB);
  EXPECT_EQ(bound.total(), bound.task * 2 + bound.intermediates + bound.results);
}

TEST(MemoryBound, LeavesIntermediatesToStorageThatTheAllowedMemoryOfTheWorkersDoesNotHold) {
  ts::spec limits = limits_of(1_GB);
  const ts::bytes task = in_two_steps(limits).bounded().bound().task;
  // Enough for a task that reads a chunk of 8 kB; but of two workers a task of each leaves less
  // than 80 kB.
  limits.allowed_memory = task + 39_kB;
  const ts::plan tight = in_two_steps(limits);
  EXPECT_LT(tight.bounded().bound().intermediates, 80_kB);
  EXPECT_LE(tight.projected_host_memory(), limits.allowed_memory * 2 + 80_kB);
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
  EXPECT_EQ(bound.reserved, 300_kB);  // two workers, and the process that schedules
  EXPECT_EQ(bound.results, 80_kB);
  EXPECT_EQ(bound.reading, 8_kB);  // a chunk, which is read as it is
  EXPECT_EQ(bound.intermediates, 0_B);
  EXPECT_EQ(bound.limit, 2_MB + 88_kB);
}

TEST(MemoryBound, RefusesResultsThatAreReadBackAndDoNotFit) {
  const ts::spec limits{.allowed_memory = 2_GB + 60_MB,
                        .reserved_memory = 2_GB,
                        .host_memory = 6_GB + 70_MB,
                        .intermediate_compressor = "none"};
  const auto x = ts::ones<double>({10, 1'000'000}, {.chunks = {1, 1'000'000}, .spec = limits});
  try {
    (void)ts::plan(x + 1.0, ts::run_with{.executor = std::make_shared<two_processes>()});
    FAIL() << "the plan was made";
  } catch (const ts::memory_error& refused) {
    EXPECT_EQ(std::string(refused.what())
                  .find("the results take 80.0 MB (80,000,000 B) in memory "
                        "and 8.0 MB (8,000,000 B) to read them"),
              0U)
        << refused.what();
    EXPECT_NE(std::string(refused.what())
                  .find("than the host memory of 6.1 GB (6,070,000,000 B); store the results "
                        "instead of computing them into memory, or take a host memory of at least "
                        "6.1 GB (6,088,000,000 B)"),
              std::string::npos)
        << refused.what();
  }
}

TEST(MemoryBound, CountsThisProcessWhereTheHostMemoryIsSet) {
  ts::spec limits = limits_of(1_GB);
  limits.host_memory = 1_kB;
  try {
    (void)in_two_steps(limits);
    FAIL() << "the plan was made";
  } catch (const ts::memory_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("that the processes hold themselves"),
              std::string::npos)
        << refused.what();
  }
  limits.host_memory = ts::memory_before_run() + 64_MB;
  const ts::plan plan = in_two_steps(limits);
  EXPECT_GE(plan.bounded().bound().reserved * 2, ts::resident_memory());
  (void)plan.compute();
}

}  // namespace
