// SPDX-License-Identifier: Apache-2.0

/// \file
/// The memory of whole processes while tasks have many requests to a server in flight, measured by
/// the system: measured <= projected <= allowed.

#include "tessera/executor/memory.hpp"
#include "tessera/store/s3.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/rings.hpp"
#include "unit/store/s3/delaying_server.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;
using ts::testing::delaying_server;

/// Keeps the most memory of any worker process.
class worker_peak final : public ts::observer {
 public:
  void on_tasks_end(const ts::tasks_event& event) override {
    most = std::max(most, event.peak_memory);
  }
  ts::bytes most;
};

/// An array of 64 chunks of 1 MiB on a server.
class RemoteMemory : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    for (const auto& [name, value] :
         {std::pair{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "S"}}) {
      ::setenv(name, value, 1);
    }
    std::filesystem::create_directories(folder() + "/served");
    server_ = std::make_unique<delaying_server>(folder() + "/served", "3", "100");
    ts::store(
        ts::random::uniform<double>({num_chunks * chunk}, {.chunks = {chunk}, .spec = spec()}),
        server_->url() + "x", {.compressor = ts::codec::none{}},
        ts::run_with{.executor = ts::executors::serial()});
  }
  static void TearDownTestSuite() {
    server_.reset();
    std::filesystem::remove_all(folder());
  }

  static std::string folder() {
    return ::testing::TempDir() + "tessera-remote-" + std::to_string(getpid());
  }
  static ts::spec spec() { return {.work_dir = folder() + "/work"}; }
  static std::string url(const std::string& name) { return server_->url() + name; }

  void SetUp() override {
    engine_ = ts::make_executor(GetParam());
    const ts::bytes reserved = std::max(ts::measure_reserved_memory(engine_),
                                        ts::measure_reserved_memory(ts::executors::serial()));
    limits_ = spec();
    limits_.allowed_memory = reserved + 100_MB;
    limits_.reserved_memory = reserved;
  }

  [[nodiscard]] ts::array<double, 1> open(const std::string& name) const {
    return ts::open<double, 1>(url(name), limits_);
  }

  /// Runs the plan of a program with tasks of at least `fewest_places` requests in flight.
  template <class E>
  void check(const E& program, std::size_t fewest_places) {
    const ts::plan plan(program, ts::run_with{.executor = engine_});
    std::size_t num_places = 0;
    for (const std::size_t size : ts::ring_sizes(plan.bounded().inside().operations[0])) {
      num_places += size;
    }
    EXPECT_GE(num_places, fewest_places) << plan;
    EXPECT_LE(plan.projected_memory(), limits_.allowed_memory);
    const auto workers = std::make_shared<worker_peak>();
    ASSERT_TRUE(ts::reset_peak_memory());
    plan.execute({.observers = {workers}});
    const ts::bytes here = ts::peak_memory();
    const bool has_processes = !engine_->traits().shares_memory;
    const ts::bytes measured = has_processes ? here + workers->most * engine_->num_workers() : here;
    RecordProperty("measured", ts::format(measured));
    EXPECT_LE(measured, plan.projected_host_memory())
        << plan << "this process " << here << ", a worker " << workers->most << ", reserved "
        << limits_.reserved_memory;
    if (has_processes) {
      EXPECT_LE(workers->most, plan.projected_memory());
    }
  }

  static constexpr index_t chunk = 131'072;
  static constexpr index_t num_chunks = 64;

  static std::unique_ptr<delaying_server> server_;
  std::shared_ptr<ts::executor> engine_;
  ts::spec limits_;
};

std::unique_ptr<delaying_server> RemoteMemory::server_;

TEST_P(RemoteMemory, HoldsTheBoundOfAFold) { check(ts::sum(open("x") * 2.0), 4); }

TEST_P(RemoteMemory, HoldsTheBoundOfAMap) {
  const ts::store_options plain{.compressor = ts::codec::none{}};
  check(ts::stored(ts::sqrt(open("x")), url("roots"), plain), 4);
  const auto x = open("x").compute();
  const auto roots = open("roots").compute();
  for (index_t i = 0; i < num_chunks * chunk; i += 1000) {
    ASSERT_EQ(roots(i), std::sqrt(x(i)));
  }
}

// Rings are smaller if tasks have less memory.
TEST_P(RemoteMemory, HoldsTheBoundOfAMapInLittleMemory) {
  limits_.allowed_memory = limits_.reserved_memory + 24_MB;
  check(ts::stored(ts::sqrt(open("x")), url("roots"), {.compressor = ts::codec::none{}}), 2);
}

TEST_P(RemoteMemory, HoldsTheBoundOfCompressedChunks) {
  check(ts::stored(ts::sqrt(open("x")), url("packed")), 4);
  check(ts::sum(open("packed")), 4);
}

INSTANTIATE_TEST_SUITE_P(OnEachEngine, RemoteMemory,
                         ::testing::Values("serial", "threads:2", "processes:2"));

}  // namespace
