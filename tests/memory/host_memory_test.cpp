// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs under random limits on each engine on this host: the memory of all processes
/// together, as the system counts it, is never more than the plan says, or than the host memory
/// that was set.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

/// Returns the process and all that it has started, directly or not.
std::set<int> process_tree() {
  std::set<int> tree{getpid()};
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const int process = std::atoi(entry.path().filename().c_str());
      std::ifstream status(entry.path() / "status");
      int parent = 0;
      for (std::string word; process > 0 && parent == 0 && status >> word;) {
        if (word == "PPid:") status >> parent;
      }
      has_grown |= tree.contains(parent) && tree.insert(process).second;
    }
  }
  return tree;
}

/// Returns the memory of a process, with its part of pages that it shares: over all processes, each
/// page counts once. Pages of files in memory are left out, which count even if no process maps
/// them.
std::uint64_t proportional_memory(int process) {
  std::ifstream rollup("/proc/" + std::to_string(process) + "/smaps_rollup");
  std::uint64_t pages = 0;
  std::uint64_t of_files = 0;
  for (std::string word; rollup >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "Pss:" && rollup >> kibibytes) pages = kibibytes * 1024;
    if (word == "Pss_Shmem:" && rollup >> kibibytes) of_files = kibibytes * 1024;
  }
  return pages - std::min(pages, of_files);
}

/// Measures the memory of all processes, again and again while it lives.
class tree_watch {
 public:
  tree_watch() : watcher_([this] { watch(); }) {}
  ~tree_watch() {
    is_over_ = true;
    watcher_.join();
  }
  [[nodiscard]] ts::bytes most() const { return ts::bytes{most_.load()}; }

 private:
  void watch() {
    while (!is_over_) {
      std::uint64_t sum = ts::testing::memory_in_files("tessera");
      for (const int process : process_tree()) sum += proportional_memory(process);
      most_ = std::max<std::uint64_t>(most_, sum);
    }
  }

  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> most_{0};
  std::thread watcher_;
};

/// Draws all that is random; a failure says its seed.
class choices {
 public:
  explicit choices(std::uint32_t seed) : generator_(seed) {}
  index_t pick(index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(generator_);
  }
  ts::bytes megabytes(index_t low, index_t high) {
    return ts::bytes{static_cast<std::uint64_t>(pick(low, high)) * 1'000'000};
  }

 private:
  std::mt19937 generator_;
};

std::string folder() {
  return ::testing::TempDir() + "tessera-host-memory-" + std::to_string(getpid());
}

constexpr std::array<index_t, 2> shape{700, 900};

/// Writes arrays in several chunks for all programs.
void make_arrays() {
  int number = 0;
  for (const std::array<index_t, 2> chunks : {shape, {700, 150}, {90, 900}, {200, 300}}) {
    ts::store(ts::random::uniform<double>(shape, {.chunks = chunks}),
              folder() + "/" + std::to_string(number++));
  }
}

ts::array<double, 2> pick_array(choices& random, const ts::spec& spec) {
  if (random.pick(0, 1) == 0) {
    return ts::open<double, 2>(folder() + "/" + std::to_string(random.pick(0, 3)), spec);
  }
  const std::array<index_t, 2> chunks{random.pick(90, shape[0]), random.pick(90, shape[1])};
  return ts::random::uniform<double>(shape, {.chunks = chunks, .spec = spec}) + 1.0;
}

/// Plans a random program and hands the plan to `check`.
template <class Check>
void with_program(choices& random, const ts::spec& spec, const ts::run_with& settings,
                  Check check) {
  const auto x = pick_array(random, spec);
  const auto y = pick_array(random, spec);
  const auto mixed = ts::rechunk(x * y, {random.pick(100, shape[0]), random.pick(20, shape[1])});
  switch (random.pick(0, 3)) {
    case 0:
      return check(ts::plan(mixed + x, ts::mean(mixed, ts::axis<0>), settings));
    case 1:
      return check(ts::plan(ts::matmul(ts::matrix_transpose(mixed), y + 1.0), settings));
    case 2:
      return check(ts::plan(x - ts::mean(x, ts::axis<0>, ts::keepdims), ts::stddev(y), settings));
    default:
      return check(ts::plan(
          ts::stored(mixed - ts::matmul(x, ts::matrix_transpose(y))(ts::whole, ts::slice(0, 1)),
                     folder() + "/result"),
          settings));
  }
}

/// Returns limits for `engine`: of its tasks, and in half of the cases of the host, beyond the
/// memory in use.
ts::spec pick_limits(choices& random, const std::shared_ptr<ts::executor>& engine) {
  ts::spec limits{.work_dir = folder() + "/work"};
  limits.reserved_memory = std::max(ts::measure_reserved_memory(engine),
                                    ts::measure_reserved_memory(ts::executors::serial()));
  limits.allowed_memory = limits.reserved_memory + random.megabytes(30, 150);
  if (random.pick(0, 1) == 0) {
    const std::uint64_t workers = engine->num_workers();
    limits.host_memory = limits.reserved_memory + engine->traits().worker_memory * workers +
                         10_MB * workers + random.megabytes(30, 120);
  }
  return limits;
}

void holds_its_bound(const std::string& name) {
  constexpr int num_programs = 20;
  const auto engine = ts::make_executor(name);
  make_arrays();
  int num_run = 0;
  for (int i = 0; i < num_programs; ++i) {
    const std::uint32_t seed = std::random_device{}();
    choices random(seed);
    const ts::spec limits = pick_limits(random, engine);
    try {
      with_program(random, limits, {.executor = engine}, [&](const auto& plan) {
        const tree_watch watch;
        (void)plan.compute();
        EXPECT_LE(watch.most(), plan.projected_host_memory()) << plan << "seed " << seed;
        ++num_run;
      });
    } catch (const ts::memory_error&) {
      continue;  // it would not fit
    }
  }
  EXPECT_GE(num_run, num_programs / 3);
  std::filesystem::remove_all(folder());
}

/// Of 32 MB that two operations read, the second reads them from memory.
void keeps_what_is_read_again(const std::string& name) {
  const auto engine = ts::make_executor(name);
  const std::uint64_t num_processes = engine->traits().shares_memory ? 1 : 3;
  ts::spec limits{.work_dir = folder() + "/work"};
  limits.reserved_memory = std::max(ts::measure_reserved_memory(engine),
                                    ts::measure_reserved_memory(ts::executors::serial()));
  limits.allowed_memory = limits.reserved_memory + 20_MB;
  limits.host_memory = limits.reserved_memory * num_processes + 150_MB;
  ts::store(ts::random::uniform<double>({2000, 2000}, {.chunks = {500, 500}}), folder() + "/x");
  const auto x = ts::open<double, 2>(folder() + "/x", limits);
  const auto plan =
      ts::plan(ts::stored(x - ts::mean(x), folder() + "/y"), ts::run_with{.executor = engine});
  EXPECT_EQ(plan.bytes_read(), 32_MB);
  EXPECT_GE(plan.bounded().resident_memory(), 32_MB);
  EXPECT_LE(plan.projected_host_memory(), *limits.host_memory);
  {
    const tree_watch watch;
    plan.execute();
    EXPECT_LE(watch.most(), plan.projected_host_memory()) << plan;
  }
  std::filesystem::remove_all(folder());
}

// Of sixteen tasks of 16 MB, two at once have room beside a result of 32 MB, which is read before
// they begin and is there until the end.
TEST(HostMemory, IsKeptWithResultsThatAreRead) {
  const auto engine = ts::executors::threads(16);
  ts::spec limits{.work_dir = folder() + "/work"};
  limits.reserved_memory = ts::measure_reserved_memory(engine);
  limits.allowed_memory = limits.reserved_memory + 40_MB;
  limits.host_memory = limits.reserved_memory + 32_MB + 32_MB;
  const auto numbers = [&](std::array<index_t, 2> extents, std::array<index_t, 2> chunks) {
    return ts::random::uniform<double>(extents, {.chunks = chunks, .spec = limits});
  };
  const auto sums = ts::cumulative_sum(numbers({2000, 2000}, {500, 500}), ts::axis<0>);
  const auto factor = ts::mean(ts::median(sums, ts::axis<1>));
  const auto plan = ts::plan(ts::stored(numbers({4000, 8000}, {1000, 2000}) * factor,
                                        folder() + "/product", {.compressor = ts::codec::none{}}),
                             sums, ts::run_with{.executor = engine});
  EXPECT_GE(plan.bounded().resident_memory(), 32_MB);
  {
    const tree_watch watch;
    (void)plan.compute();
    EXPECT_LE(watch.most(), plan.projected_host_memory()) << plan;
  }
  std::filesystem::remove_all(folder());
}

TEST(HostMemory, IsKeptWithWhatThreadsReadAgain) { keeps_what_is_read_again("threads:2"); }
TEST(HostMemory, IsKeptWithWhatProcessesReadAgain) { keeps_what_is_read_again("processes:2"); }
TEST(HostMemory, IsKeptOnOneThread) { holds_its_bound("serial"); }
TEST(HostMemory, IsKeptOnThreads) { holds_its_bound("threads:4"); }
TEST(HostMemory, IsKeptByProcesses) { holds_its_bound("processes:3"); }

}  // namespace
