// SPDX-License-Identifier: Apache-2.0

/// \file
/// Folds by thousands of workers, on a virtual clock.

#include "tessera/tessera.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using field = ts::array<float, 3>;
using seconds = std::chrono::duration<double>;

/// An object store with that many workers, for which plans are made as well.
class FoldScaling : public ::testing::Test {
 protected:
  static ts::costs figures_of(std::size_t num_workers) {
    ts::costs figures = ts::costs::object_store();
    figures.workers = num_workers;
    return figures;
  }

  /// Returns maps of the world as there are so many of, in chunks of `step`; none is stored.
  field maps(const std::string& name, ts::index_t num_maps, ts::index_t step,
             std::size_t num_workers) {
    static_cast<void>(ts::zarr_array::create(store_, name,
                                             {.shape = {num_maps, 721, 1440},
                                              .chunks = {step, 721, 1440},
                                              .dtype = ts::data_type(ts::dtype::float32)}));
    return ts::open<float, 3>(store_, name, {.costs = figures_of(num_workers)});
  }

  static ts::run_with on(std::size_t num_workers) {
    return {.executor = ts::executors::simulated(
                ts::simulated_options::of(figures_of(num_workers), num_workers))};
  }

  template <class Plan>
  static double simulated(const Plan& plan, std::size_t num_workers) {
    const auto report =
        ts::simulate(plan, ts::simulated_options::of(figures_of(num_workers), num_workers));
    return seconds(report.elapsed).count();
  }

  /// Returns how long the means of products of two winds take, of ten chunks of each a worker.
  double quadratic_means(std::size_t num_workers) {
    const auto num_maps = static_cast<ts::index_t>(300 * num_workers);
    const std::string number = std::to_string(num_workers);
    const field u = maps("u" + number, num_maps, 30, num_workers);
    const field v = maps("v" + number, num_maps, 30, num_workers);
    return simulated(ts::plan(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                              ts::mean(v * v, ts::axis<0>), on(num_workers)),
                     num_workers);
  }

  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
};

TEST_F(FoldScaling, ASumOfElevenThousandChunksTakesAThousandWorkersAFewRounds) {
  const auto plan = ts::plan(ts::sum(maps("era5", 350'640, 31, 1000)), on(1000));
  const double one_chunk = 31 * 721 * 1440 * 4 / 1e8 + 20e-3;
  const double elapsed = simulated(plan, 1000);
  EXPECT_GE(elapsed, 11'311 * one_chunk / 1000);
  EXPECT_LE(elapsed, 17);
}

// The states are a tenth of the input: an operation of its own combines the states of each mean.
TEST_F(FoldScaling, QuadraticMeansOfTenThousandWorkersTakeLittleLongerThanThoseOfOne) {
  const double lone_worker = quadratic_means(1);
  // Six steps on each element, three products and three sums, beside the reading.
  const double elements = 30 * 721 * 1440;
  EXPECT_NEAR(lone_worker, 10 * (2 * (elements * 4 / 1e8 + 20e-3) + 6 * elements * 0.25e-9), 0.3);
  EXPECT_GE(lone_worker / quadratic_means(1000), 0.85);
  EXPECT_GE(lone_worker / quadratic_means(10'000), 0.85);
}

}  // namespace
