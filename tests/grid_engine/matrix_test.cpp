// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/grid_engine.hpp"
#include "tessera/tessera.hpp"

#include "grid_engine/cluster.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera::testing {
namespace {

namespace ts = tessera;
using namespace tessera::literals;

/// Multiplies matrices of ones on Grid Engine: each element of the product is the inner extent.
void expect_products(const std::string& resource) {
  grid_engine_options options = quick_options(2);
  options.memory = resource;
  const spec limits{.work_dir = test_folder(), .allowed_memory = 200_MB};
  const auto ones =
      ts::random::uniform<double>({600, 300}, {.chunks = {200, 100}, .spec = limits, .seed = 1}) *
          0.0 +
      1.0;
  const auto product = ts::matmul(ones, ts::matrix_transpose(ones))
                           .compute({.executor = ts::executors::grid_engine(options)});
  for (index_t i = 0; i < 600; ++i) {
    for (index_t j = 0; j < 600; ++j) ASSERT_EQ(product(i, j), 300.0);
  }
}

// OpenBLAS needs address space beyond its memory.
TEST(GridEngineMemory, SufficesForProductsAsAddressSpace) { expect_products("h_vmem"); }

TEST(GridEngineMemory, SufficesForProductsAsData) { expect_products("h_data"); }

}  // namespace
}  // namespace tessera::testing
