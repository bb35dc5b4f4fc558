// SPDX-License-Identifier: Apache-2.0
// BLAS in worker processes. Each test is about a process that has not loaded it, so the order of
// the tests is that of this file.
#include "tessera/core/bytes.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/tessera.hpp"

#include "core/api/resident_library.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace tessera {
namespace {

/// Returns `x` times the mean of a product of matrices of ones, which is 300.
double times_product(double x) {
  const auto matrix = ones<double>({300, 300}, {.chunks = {300, 300}});
  return x * mean(matmul(matrix, matrix)).compute()();
}

// The product is planned inside of a task, which the worker limits to the memory of `map`.
TEST(WorkerLibraries, AreLoadedInsideOfTasksDespiteTheirLimit) {
  const auto engine = executors::processes(1);
  const auto products = map([](double x) { return times_product(x); }, ones<double>({2}));
  EXPECT_EQ(products.compute({.executor = engine}), (ndarray<double, 1>{300, 300}));
  EXPECT_TRUE(loaded_resident_libraries().empty());
}

TEST(WorkerLibraries, AreReadyWherePlansNeedThem) {
  const auto engine = executors::processes(2);
  const auto x = ones<double>({600, 600}, {.chunks = {300, 300}});
  EXPECT_EQ(mean(x).compute({.executor = engine})(), 1);
  const bytes without = engine->traits().worker_memory;
  EXPECT_EQ(mean(matmul(x, x)).compute({.executor = engine})(), 600);
  EXPECT_EQ(loaded_resident_libraries().size(), resident_libraries().size());
  const bytes with = engine->traits().worker_memory;
  // OpenBLAS's buffer for packed matrices is larger.
  const bytes least = resident_libraries().empty() ? bytes{0} : bytes{2'000'000};
  EXPECT_GE(with, without + least);
  EXPECT_EQ(mean(x).compute({.executor = engine})(), 1);
}

}  // namespace
}  // namespace tessera
