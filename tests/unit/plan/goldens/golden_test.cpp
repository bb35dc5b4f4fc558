// SPDX-License-Identifier: Apache-2.0
/// \file
/// The golden programs under their ceilings: plans at full size, runs at a reduced size, and bits
/// against the parts computed apart. A ceiling falls with the change that lowers the figure.

#include "unit/plan/goldens/golden.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/task/execution.hpp"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::test {
namespace {

/// Bytes and tasks may exceed a ceiling by two per cent.
constexpr double tolerance = 1.02;

/// Adds up the traffic and the tasks of a run.
class traffic_counter final : public observer {
 public:
  void on_tasks_end(const tasks_event& event) override {
    num_tasks += event.count;
    moved += event.moved.value_or(traffic{});
  }

  traffic moved;
  index_t num_tasks = 0;
};

double megabytes(bytes size) { return static_cast<double>(size.count()) / 1e6; }

/// Divides a figure by a number; whole bytes are left.
bytes divided(bytes size, double by) {
  return bytes{static_cast<std::size_t>(static_cast<double>(size.count()) / by)};
}

/// Returns the limits of a row at full size, or reduced by `scale`. Intermediates have no codec, as
/// at full size: it would be chosen for the small bandwidths of a reduced row.
spec limits_of(const golden& row, double scale) {
  costs figures{.workers = row.workers};
  figures.read_bandwidth = divided(figures.read_bandwidth, scale);
  figures.write_bandwidth = divided(figures.write_bandwidth, scale);
  figures.memory_bandwidth = divided(figures.memory_bandwidth, scale);
  figures.element_step *= scale;
  const bytes allowed{static_cast<std::size_t>(row.allowed * 1e6 / scale)};
  return {.work_dir = testing::TempDir() + "golden-" + std::string(row.name),
          .allowed_memory = allowed,
          .intermediate_compressor = "none",
          .costs = figures};
}

bounded_plan plan_of(const corpus_outputs& outputs, const spec& limits) {
  const plan_workers workers{.count = limits.costs.num_workers()};
  return {outputs, limits, pass_switches{}, workers};
}

void expect_within(const golden& row, const golden_figures& ceiling, const golden_figures& now) {
  std::cout << "{" << now.read << ", " << now.written << ", " << now.tasks << ", " << now.task
            << "}\n";
  EXPECT_LE(now.read, ceiling.read * tolerance);
  EXPECT_LE(now.written, ceiling.written * tolerance);
  EXPECT_LE(now.task, ceiling.task * tolerance);
  if (row.has_few_tasks) {
    EXPECT_GE(now.tasks, ceiling.tasks);
  } else {
    EXPECT_LE(static_cast<double>(now.tasks), static_cast<double>(ceiling.tasks) * tolerance);
  }
}

golden_figures figures_of(const bounded_plan& plan) {
  return {megabytes(plan.bytes_read()), megabytes(plan.bytes_written()), plan.num_tasks(),
          megabytes(plan.projected_memory())};
}

/// Returns the plan. Its figures keep to `ceiling`.
bounded_plan check_plan(const golden& row, const corpus_outputs& outputs, const spec& limits,
                        const golden_figures& ceiling) {
  bounded_plan plan = plan_of(outputs, limits);
  expect_within(row, ceiling, figures_of(plan));
  return plan;
}

/// Compares the memory of a run with the tasks of all workers, the arrays in memory, and the bytes
/// that the run has `written`: results go to a store in memory.
void expect_memory_within(const golden& row, const bounded_plan& plan, bytes measured,
                          bytes written) {
  // Stacks of threads, and the books of the scheduler, are no task's.
  constexpr bytes books{2'000'000};
  const bytes tasks = plan.projected_memory() * row.workers;
  std::cout << "measured " << measured << ", tasks " << tasks << ", in memory "
            << plan.resident_memory() << ", written " << written << "\n";
  EXPECT_LE(measured, tasks + plan.resident_memory() + written + books);
}

class Goldens : public testing::TestWithParam<golden> {};

/// Rows at a reduced size, at which they run.
class ReducedGoldens : public testing::TestWithParam<golden> {
 protected:
  static void SetUpTestSuite() {
    // Large pieces go back to the system at once: glibc's cache is not the library's memory.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  }
};

std::string name_of_row(const testing::TestParamInfo<golden>& info) {
  return std::string(info.param.name);
}

TEST_P(Goldens, ArePlannedWithinTheirCeilings) {
  const golden& row = GetParam();
  const spec limits = limits_of(row, 1);
  const golden_arrays arrays(golden_arrays::extent::full, limits, std::make_shared<memory_store>());
  (void)check_plan(row, row.outputs(arrays), limits, row.full);
}

/// Compares the stored results of both runs, byte by byte.
void expect_equal_stores(const memory_store& store) {
  const std::vector<std::string> keys = store.list("whole");
  EXPECT_EQ(keys.size(), store.list("apart").size());
  for (const std::string& key : keys) {
    if (key.find("/.z") != std::string::npos) continue;
    const std::string other = "apart" + key.substr(key.find('/'));
    EXPECT_EQ(store.read_all(key, 1'000'000'000), store.read_all(other, 1'000'000'000)) << key;
  }
}

void expect_equal_bits(const corpus_outputs& outputs, const std::vector<computed_output>& whole,
                       const std::vector<computed_output>& parts) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (whole[i].elements == nullptr) continue;
    std::size_t size = outputs[i].array->type.size();
    for (const index_t extent : outputs[i].array->shape) size *= static_cast<std::size_t>(extent);
    EXPECT_EQ(std::memcmp(whole[i].elements.get(), parts[i].elements.get(), size), 0) << i;
  }
}

TEST_P(ReducedGoldens, RunWithinTheirCeilingsWithTheBitsOfTheirParts) {
  const golden& row = GetParam();
  const spec limits = limits_of(row, row.scale);
  const auto store = std::make_shared<memory_store>();
  const golden_arrays arrays(golden_arrays::extent::reduced, limits, store);
  const corpus_outputs outputs = row.outputs(arrays);
  const bounded_plan plan = check_plan(row, outputs, limits, row.reduced);

  const auto counter = std::make_shared<traffic_counter>();
  const auto engine = executors::threads(row.workers);
  // Memory that was given back would be used again, and not be measured.
  malloc_trim(0);
  ASSERT_TRUE(reset_peak_memory());
  const bytes before = resident_memory();
  const auto whole = execute(plan, {.executor = engine, .observers = {counter}});
  expect_memory_within(row, plan, peak_memory() - before, counter->moved.written);
  expect_within(row, row.reduced,
                {megabytes(counter->moved.read), megabytes(counter->moved.written),
                 counter->num_tasks, megabytes(plan.projected_memory())});

  spec ample = limits;
  ample.allowed_memory = bytes{1'000'000'000};
  const corpus_outputs parts = row.outputs(arrays.apart(ample));
  const auto expected = execute(plan_of(parts, ample), {.executor = engine});
  expect_equal_bits(outputs, whole, expected);
  expect_equal_stores(*store);
}

INSTANTIATE_TEST_SUITE_P(Rows, Goldens, testing::ValuesIn(golden_rows()), name_of_row);
INSTANTIATE_TEST_SUITE_P(Rows, ReducedGoldens, testing::ValuesIn(golden_rows()), name_of_row);

}  // namespace
}  // namespace tessera::test
