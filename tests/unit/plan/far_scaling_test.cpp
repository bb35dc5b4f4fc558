// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs over arrays in an object store by thousands of workers, planned for its latency and
/// bandwidth, on a virtual clock.
///
/// Bounds: quadratic means of 1.5 TB within 25 s and a rechunk of 1.5 TB within 75 s on 1,000
/// workers; from 10 to 10,000 workers an efficiency of 0.85 if the arrays grow with the workers.

#include "tessera/tessera.hpp"

#include "unit/task/remote_store.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace {

namespace ts = tessera;
using field = ts::array<float, 3>;
using seconds = std::chrono::duration<double>;

constexpr std::size_t thousand = 1000;

std::shared_ptr<ts::testing::remote_store> make_store() {
  auto store = std::make_shared<ts::testing::remote_store>();
  store->given_traits.has_ranges = true;
  store->given_traits.num_requests = 64;
  store->given_traits.kept = ts::bytes{12'000'000};
  return store;
}

/// Arrays and intermediates in a store with the traits of S3: 30 ms, and 60 MB/s for each request.
class FarScaling : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ts::register_store("far-scaling", [](const ts::store_recipe& recipe) {
      const auto store = make_store();
      store->given_recipe = recipe;
      return store;
    });
  }

  static ts::costs figures_of(std::size_t num_workers) {
    ts::costs figures = ts::costs::object_store();
    figures.latency = std::chrono::milliseconds(30);
    figures.read_bandwidth = figures.write_bandwidth = ts::bytes{60'000'000};
    figures.workers = num_workers;
    return figures;
  }

  /// Returns an array of which no chunk is stored.
  field stored(const std::string& name, const ts::index_vector& shape,
               const ts::index_vector& chunks, std::size_t num_workers) {
    static_cast<void>(ts::zarr_array::create(
        store_, name,
        {.shape = shape, .chunks = chunks, .dtype = ts::data_type(ts::dtype::float32)}));
    return ts::open<float, 3>(store_, name,
                              {.work_dir = "far-scaling://work", .costs = figures_of(num_workers)});
  }

  static ts::run_with on(std::size_t num_workers) {
    return {.executor = ts::executors::simulated(
                ts::simulated_options::of(figures_of(num_workers), num_workers))};
  }

  template <class Plan>
  static double simulated(const Plan& plan, std::size_t num_workers) {
    const auto report = ts::simulate(
        plan, ts::simulated_options::of(figures_of(num_workers), num_workers), ts::as_planned);
    return seconds(report.elapsed).count();
  }

  /// Returns the time of the means of products of two winds of `num_times` maps.
  double quadratic_means(ts::index_t num_times, std::size_t num_workers) {
    const std::string number = std::to_string(num_workers);
    const auto u = stored("u" + number, {num_times, 987, 1920}, {10, 987, 1920}, num_workers);
    const auto v = stored("v" + number, {num_times, 987, 1920}, {10, 987, 1920}, num_workers);
    return simulated(ts::plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
                              ts::mean(u * v, ts::axis<0>), on(num_workers)),
                     num_workers);
  }

  /// Returns the time of a rechunk from `num_times` maps of the world to `chunks`.
  double rechunk(ts::index_t num_times, const ts::chunk_lengths& chunks, std::size_t num_workers) {
    const std::string number = std::to_string(num_workers);
    const auto x = stored("x" + number, {num_times, 721, 1440}, {31, 721, 1440}, num_workers);
    return simulated(
        ts::plan(ts::stored(ts::rechunk(x, chunks), store_, "y" + number), on(num_workers)),
        num_workers);
  }

  std::shared_ptr<ts::testing::remote_store> store_ = make_store();
};

TEST_F(FarScaling, QuadraticMeansOf15TBTakeAThousandWorkersLessThan25Seconds) {
  const double elapsed = quadratic_means(98'960, thousand);
  // Each worker reads 1.5 GB of maps, by at most 64 requests in flight.
  EXPECT_GE(elapsed, 1.5e9 / (64 * 60e6));
  EXPECT_LE(elapsed, 25);
}

TEST_F(FarScaling, QuadraticMeansOfTenThousandWorkersTakeLittleLongerThanThoseOfTen) {
  EXPECT_GE(quadratic_means(990, 10) / quadratic_means(990'000, 10'000), 0.85);
}

/// The means of products of two winds, of ten chunks of each a worker, with 20 ms and 100 MB/s for
/// a request and 1 s to start a task. Winds are read with one request in flight.
class LongStarts : public FarScaling {
 protected:
  static void SetUpTestSuite() {
    FarScaling::SetUpTestSuite();
    ts::register_store("long-starts", [](const ts::store_recipe& recipe) {
      const auto store = make_store();
      store->given_traits.latency = std::chrono::milliseconds(20);
      store->given_traits.bandwidth = ts::bytes{100'000'000};
      store->given_recipe = recipe;
      return store;
    });
  }

  double quadratic_means(std::size_t num_workers) {
    ts::costs figures = ts::costs::object_store();
    figures.task = std::chrono::seconds(1);
    figures.workers = num_workers;
    const auto options = ts::simulated_options::of(figures, num_workers);
    const auto store = std::make_shared<ts::memory_store>();
    const auto wind = [&](const std::string& name) {
      const auto num_times = static_cast<ts::index_t>(300 * num_workers);
      static_cast<void>(ts::zarr_array::create(store, name,
                                               {.shape = {num_times, 721, 1440},
                                                .chunks = {30, 721, 1440},
                                                .dtype = ts::data_type(ts::dtype::float32)}));
      return ts::open<float, 3>(store, name, {.work_dir = "long-starts://work", .costs = figures});
    };
    const field u = wind("u");
    const field v = wind("v");
    const auto means = ts::plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
                                ts::mean(u * v, ts::axis<0>),
                                ts::run_with{.executor = ts::executors::simulated(options)});
    return seconds(ts::simulate(means, options).elapsed).count();
  }
};

// A worker reads 20 chunks of 124.6 MB, one after the other: 25.3 s, and 1 s to start.
TEST_F(LongStarts, QuadraticMeansOfTenThousandWorkersTakeLessThan33Seconds) {
  EXPECT_NEAR(quadratic_means(1), 20 * (30 * 721 * 1440 * 4 / 1e8 + 20e-3) + 1, 1);
  EXPECT_LE(quadratic_means(10'000), 33);
}

TEST_F(FarScaling, ARechunkOf15TBTakesAThousandWorkersLessThan75Seconds) {
  const double elapsed = rechunk(350'640, {350'640, 10, 10}, thousand);
  // Each worker reads and writes 1.46 GB.
  EXPECT_GE(elapsed, 2 * 1.456e9 / (64 * 60e6));
  EXPECT_LE(elapsed, 75);
}

TEST_F(FarScaling, ARechunkOfTenThousandWorkersTakesLittleLongerThanOneOfTen) {
  const double of_ten = rechunk(3'506, {3'506, 100, 100}, 10);
  EXPECT_GE(of_ten / rechunk(3'506'000, {3'506, 100, 100}, 10'000), 0.85);
}

}  // namespace
