// SPDX-License-Identifier: Apache-2.0

/// \file
/// The memory of whole processes while real programs run, measured by the system, against the bound
/// of the plan: code, heap and libraries included.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

/// Keeps the most memory of any worker process, and the most shared memory.
class worker_peak final : public ts::observer {
 public:
  void on_tasks_end(const ts::tasks_event& event) override {
    most = std::max(most, event.peak_memory);
    shared = std::max(shared, ts::bytes{ts::testing::arrays_in_shared_memory()});
  }
  ts::bytes most;
  ts::bytes shared;
};

class WholeProcess : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder()); }

  static std::string folder() {
    return ::testing::TempDir() + "tessera-process-" + std::to_string(getpid());
  }

  /// Writes an array that hardly compresses.
  template <std::size_t N>
  static void write(const std::string& name, const std::array<index_t, N>& shape,
                    const std::array<index_t, N>& chunks) {
    const ts::spec spec{.work_dir = folder() + "/work"};
    ts::store(ts::random::uniform<double>(shape, {.chunks = chunks, .spec = spec}),
              folder() + "/" + name, ts::run_with{.executor = ts::executors::serial()});
  }

  /// Sets the limits; earlier memory is not measured.
  void begin() {
    engine_ = ts::make_executor(GetParam());
    // This process, which schedules, may hold more than a worker before any data.
    const ts::bytes reserved = std::max(ts::measure_reserved_memory(engine_),
                                        ts::measure_reserved_memory(ts::executors::serial()));
    limits_ = {.work_dir = folder() + "/work",
               .allowed_memory = reserved + 200_MB,
               .reserved_memory = reserved};
  }

  template <std::size_t N>
  ts::array<double, N> open(const std::string& name) {
    return ts::open<double, N>(folder() + "/" + name, limits_);
  }

  /// Runs the plan of a program, and compares the memory of all processes with its bound.
  template <class E>
  void check(const E& program) {
    const ts::plan plan(program, ts::run_with{.executor = engine_});
    const auto workers = std::make_shared<worker_peak>();
    ASSERT_TRUE(ts::reset_peak_memory());
    plan.execute({.observers = {workers}});
    const ts::bytes here = ts::peak_memory();
    const bool has_processes = !engine_->traits().shares_memory;
    const ts::bytes measured =
        has_processes ? here + workers->most * engine_->num_workers() + workers->shared : here;
    RecordProperty("measured", ts::format(measured));
    EXPECT_LE(measured, plan.projected_host_memory())
        << plan << "this process " << here << ", a worker " << workers->most << ", shared "
        << workers->shared << ", reserved " << limits_.reserved_memory;
  }

  std::shared_ptr<ts::executor> engine_;
  ts::spec limits_;
};

TEST_P(WholeProcess, HoldsTheBoundOfAnElementwiseChain) {
  write<2>("a", {2048, 1024}, {512, 512});
  write<2>("b", {2048, 1024}, {512, 512});
  begin();
  const auto a = open<2>("a");
  const auto b = open<2>("b");
  check(ts::stored(ts::sqrt(a * a + b * b) - 0.5 * a, folder() + "/result"));
}

TEST_P(WholeProcess, HoldsTheBoundOfAMatrixProduct) {
  write<2>("a", {1536, 1536}, {768, 768});
  begin();
  const auto a = open<2>("a");
  check(ts::stored(ts::matmul(a, a), folder() + "/result"));
}

// One task computes the product in the steps of the fold.
TEST_P(WholeProcess, HoldsTheBoundOfAFoldOfAMatrixProduct) {
  write<2>("q", {500, 16}, {500, 16});
  write<2>("x", {100'000, 16}, {25'000, 16});
  begin();
  const auto products = ts::matmul(open<2>("q"), ts::matrix_transpose(open<2>("x")));
  check(ts::stored(ts::min(products, ts::axis<1>), folder() + "/result"));
}

TEST_P(WholeProcess, HoldsTheBoundOfAFoldOfAGather) {
  write<1>("x", {100'000}, {100'000});
  begin();
  const auto draws = ts::random::integers<std::int64_t>(
      0, 100'000, {100, 100'000}, {.chunks = {10, 100'000}, .spec = limits_, .seed = 1});
  check(ts::stored(ts::mean(ts::take(open<1>("x"), draws), ts::axis<1>), folder() + "/result"));
}

TEST_P(WholeProcess, HoldsTheBoundOfASumOfSmallChunks) {
  write<1>("a", {500'000}, {500});
  begin();
  check(ts::stored(ts::sum(open<1>("a")), folder() + "/result"));
}

// Memory that libraries keep after the products is still there when the next operation runs.
TEST_P(WholeProcess, HoldsTheBoundOfOperationsInARow) {
  write<2>("a", {1200, 900}, {600, 450});
  begin();
  const auto a = open<2>("a");
  const auto product = ts::matmul(ts::matrix_transpose(a), a);
  const auto anomaly = product - ts::mean(product, ts::axis<0>, ts::keepdims);
  check(ts::stored(ts::rechunk(anomaly, {900, 150}), folder() + "/result"));
}

TEST_P(WholeProcess, HoldsTheBoundOfProductsOfOddShapes) {
  write<2>("a", {1027, 1301}, {1027, 389});
  write<2>("b", {1301, 701}, {259, 701});
  const auto multiply = [this](index_t rows, bool is_transposed) {
    begin();
    const auto a = open<2>("a")(ts::slice(0, rows));
    const auto b = open<2>("b");
    if (is_transposed) {
      const auto product = ts::matmul(ts::matrix_transpose(b), ts::matrix_transpose(a));
      return check(ts::stored(product, folder() + "/result"));
    }
    check(ts::stored(ts::matmul(a, b), folder() + "/result"));
  };
  for (const index_t rows : {1027, 3, 513}) {
    multiply(rows, false);
    multiply(rows, true);
  }
}

INSTANTIATE_TEST_SUITE_P(OnEachEngine, WholeProcess,
                         ::testing::Values("serial", "threads:2", "processes:2"));

}  // namespace
