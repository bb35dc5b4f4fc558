// SPDX-License-Identifier: Apache-2.0

/// \file
/// The intermediates of worker processes are in memory that they share.

#include "tessera/scheduler/interrupt.hpp"
#include "tessera/store/unfinished_runs.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/tessera.hpp"

#include "unit/executor/processes/worker_killer.hpp"
#include "unit/store/temporary_directory.hpp"
#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace tessera::literals;
using testing::arrays_in_shared_memory;
using testing::has_shared_memory;
using testing::temporary_directory;

constexpr index_t extent = 24'000;
constexpr bytes size{8 * extent};

/// Takes a while, so that other processes can run meanwhile.
struct slow {
  double operator()(double x) const {
    if (static_cast<index_t>(x) % 1000 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return x;
  }
};

struct failing {
  double operator()(double x) const {
    if (x > 1e8) throw std::runtime_error("too large");
    return x;
  }
};

std::ptrdiff_t num_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Returns the size that RLIMIT_DATA limits, as the system tells it: "VmData: 1234 kB".
std::uint64_t data_size() {
  std::ifstream status("/proc/self/status");
  std::uint64_t kibibytes = 0;
  for (std::string word; status >> word;) {
    if (word == "VmData:") status >> kibibytes;
  }
  return kibibytes * 1024;
}

/// Opens the file that arrays of plans are in; returns -1 if there is none.
int open_shared_memory() {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string target = std::filesystem::read_symlink(file.path(), ignored).string();
    if (target.starts_with("/memfd:tessera "))
      return ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  }
  return -1;
}

/// Keeps the peak of shared memory and the files of the work directory, and may interrupt a run.
class watch final : public observer {
 public:
  explicit watch(std::string directory) : directory_(std::move(directory)) {}
  ~watch() override { close_file(); }

  void on_tasks_end(const tasks_event& event) override {
    most_shared = std::max(most_shared, bytes{arrays_in_shared_memory()});
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file()) files.insert(entry.path().filename().string());
    }
    if (keeps_file && file_ < 0) file_ = open_shared_memory();
    if (event.operation == interrupts_in) request_interrupt();
  }

  bytes most_shared;
  std::set<std::string> files;
  std::optional<std::size_t> interrupts_in;
  /// Whether it keeps the file of the arrays open, so that its size is seen after a run.
  bool keeps_file = false;
  void close_file() {
    if (file_ >= 0) close(std::exchange(file_, -1));
  }

 private:
  std::string directory_;
  int file_ = -1;
};

/// Worker processes that say that they cannot map shared memory.
class apart final : public executor {
 public:
  [[nodiscard]] std::string name() const override { return "apart"; }
  [[nodiscard]] std::size_t num_workers() const override { return engine_->num_workers(); }
  [[nodiscard]] executor_traits traits() const override {
    executor_traits traits = engine_->traits();
    traits.maps_memory = false;
    return traits;
  }
  [[nodiscard]] std::unique_ptr<executor_session> start(workload& work) override {
    return engine_->start(work);
  }

 private:
  std::shared_ptr<executor> engine_ = executors::processes(3);
};

class MemoryOfProcesses : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_FALSE(has_shared_memory());
    EXPECT_TRUE(unfinished_runs(limits().work_dir).empty());
  }

  [[nodiscard]] spec limits() const { return {.work_dir = directory_ / "work"}; }

  [[nodiscard]] run_with settings() const { return {.executor = engine_, .observers = {watch_}}; }

  /// Sums of 0, 1, ... up to each, from the last one on, less their mean. The sums are read twice.
  template <class F = slow>
  [[nodiscard]] array<double, 1> program(const spec& limits, F&& function = {}) const {
    const auto numbers = arange<double>(0, extent, 1, {.chunks = {1000}, .spec = limits});
    const array<double, 1> sums = cumulative_sum(map(slow{}, numbers));
    return map(std::forward<F>(function), flip(sums) - mean(sums));
  }
  [[nodiscard]] auto stored_program() const {
    return stored(program(limits()), directory_ / "result");
  }

  static void expect_values(const ndarray<double, 1>& values) {
    constexpr double n = extent;
    for (index_t i = 0; i < extent; ++i) {
      const auto k = static_cast<double>(extent - 1 - i);
      ASSERT_EQ(values(i), k * (k + 1) / 2 - (n * n - 1) / 6);
    }
  }
  void expect_stored_values() const {
    expect_values(open<double, 1>(directory_ / "result").compute());
  }

  temporary_directory directory_;
  std::shared_ptr<executor> engine_ = executors::processes(3);
  std::shared_ptr<watch> watch_ = std::make_shared<watch>(directory_ / "work");
};

TEST_F(MemoryOfProcesses, HoldsWhatIsBetweenTasks) {
  const auto planned = plan(stored_program(), settings());
  EXPECT_EQ(planned.bytes_written(), size);  // the result
  EXPECT_GE(planned.bounded().resident_memory(), size);
  planned.execute();
  expect_stored_values();
  EXPECT_GE(watch_->most_shared, size);
  EXPECT_LE(watch_->most_shared, planned.bounded().resident_memory() + 100_kB);  // pages
}

TEST_F(MemoryOfProcesses, LeavesTheWorkDirectoryToThePlan) {
  expect_values(program(limits()).compute(settings()));
  EXPECT_EQ(watch_->files, (std::set<std::string>{"lock", "plan", "plan.txt"}));
}

TEST_F(MemoryOfProcesses, HandsResultsOutUntilNobodyHasThem) {
  watch_->keeps_file = true;
  std::optional<ndarray<double, 1>> result = program(limits()).compute(settings());
  expect_values(*result);
  EXPECT_EQ(arrays_in_shared_memory(), (size.count() + 4095) / 4096 * 4096);
  result.reset();
  EXPECT_EQ(arrays_in_shared_memory(), 0U);
  watch_->close_file();
}

// A program may keep thousands of results, and have no more than 1,024 files open.
TEST_F(MemoryOfProcesses, HandsResultsOutWithoutFiles) {
  std::vector<ndarray<double, 1>> results;
  results.reserve(4);
  results.push_back(program(limits()).compute(settings()));
  EXPECT_TRUE(has_shared_memory());
  const std::ptrdiff_t before = num_descriptors();
  for (int i = 0; i < 3; ++i) results.push_back(program(limits()).compute(settings()));
  EXPECT_EQ(num_descriptors(), before);
  for (const auto& result : results) expect_values(result);
}

TEST_F(MemoryOfProcesses, HandsOutWhatAChildOfThisProcessDoesNotChange) {
  ndarray<double, 1> result = program(limits()).compute(settings());
  const pid_t child = fork();
  if (child == 0) {
    std::fill_n(result.data(), extent, 0.0);
    std::_Exit(0);
  }
  waitpid(child, nullptr, 0);
  expect_values(result);
}

TEST_F(MemoryOfProcesses, HandsOutWhatAChildOfThisProcessKeeps) {
  std::optional<ndarray<double, 1>> result = program(limits()).compute(settings());
  std::array<int, 2> gate{};
  ASSERT_EQ(pipe(gate.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    char is_open = 0;
    const bool is_late = read(gate[0], &is_open, 1) == 1;
    expect_values(*result);
    std::_Exit(is_late && !HasFailure() ? 0 : 1);
  }
  result.reset();
  EXPECT_EQ(write(gate[1], "1", 1), 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(gate[0]);
  close(gate[1]);
}

TEST_F(MemoryOfProcesses, HandsOutResultsThatThisProcessCannotHaveAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more memory than the limit";
#endif
  constexpr index_t n = 32'000'000;  // 256 MB
  const auto numbers = arange<double>(0, n, 1, {.chunks = {n / 32}, .spec = limits()});
  // The memory at the start of the workers is no limit.
  (void)numbers(slice(0, 10)).compute(settings());
  rlimit before{};
  getrlimit(RLIMIT_DATA, &before);
  const rlimit narrow{data_size() + (std::uint64_t{128} << 20U), before.rlim_max};
  setrlimit(RLIMIT_DATA, &narrow);
  const ndarray<double, 1> result = numbers.compute(settings());
  setrlimit(RLIMIT_DATA, &before);
  ASSERT_EQ(result.size(), n);
  for (index_t i = 0; i < n; i += 1000) ASSERT_EQ(result(i), static_cast<double>(i));
}

TEST_F(MemoryOfProcesses, CountsInTheNextRunThoughNobodyHasReadIt) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory for what is shared";
#endif
  constexpr index_t n = 16'000'000;  // 128 MB
  std::optional<ndarray<double, 1>> kept =
      arange<double>(0, n, 1, {.chunks = {n / 32}, .spec = limits()}).compute(settings());
  (void)memory_with_code();
  spec narrow = limits();
  narrow.reserved_memory = 0_B;
  narrow.allowed_memory = 32_MB;
  narrow.host_memory = resident_memory() + 64_MB;
  const auto next = mean(arange<double>(0, 1000, 1, {.chunks = {100}, .spec = narrow}));
  const run_with alone{.executor = executors::serial()};
  EXPECT_THROW((void)next.compute(alone), memory_error);
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += (*kept)(i);
  EXPECT_EQ(sum, n / 2.0 * (n - 1));
  // It counts once.
  narrow.host_memory = resident_memory() + 64_MB;
  const auto third = mean(arange<double>(0, 1000, 1, {.chunks = {100}, .spec = narrow}));
  EXPECT_EQ(third.compute(alone)(), 499.5);
  kept.reset();
  EXPECT_EQ(next.compute(alone)(), 499.5);
}

TEST_F(MemoryOfProcesses, HandsOutArraysWithoutElements) {
  const auto nothing = zeros<double>({0, 3}, {.spec = limits()});
  EXPECT_EQ((nothing + 1).compute(settings()).size(), 0);
}

TEST_F(MemoryOfProcesses, ServesRunsOneAfterTheOther) {
  for (int i = 0; i < 3; ++i) expect_values(program(limits()).compute(settings()));
}

// A worker keeps no more than so many mapped.
TEST_F(MemoryOfProcesses, HoldsHundredsOfArraysOneAfterTheOther) {
  constexpr index_t n = 2400;
  array<double, 1> x = arange<double>(0, n, 1, {.chunks = {600}, .spec = limits()});
  for (int i = 0; i < 100; ++i) x = x - mean(x);
  const auto planned = plan(x, settings());
  ASSERT_GE(planned.num_operations(), 100U);
  const ndarray<double, 1> values = planned.compute();
  for (index_t i = 0; i < n; ++i) ASSERT_EQ(values(i), static_cast<double>(i) - (n - 1) / 2.0);
  EXPECT_LE(watch_->most_shared, bytes{8 * n} * 5);
}

TEST_F(MemoryOfProcesses, IsGivenBackAfterAFailure) {
  EXPECT_THROW((void)program(limits(), failing{}).compute(settings()), task_error);
  EXPECT_GE(watch_->most_shared, size);
}

TEST_F(MemoryOfProcesses, IsGivenBackAfterAnInterrupt) {
  watch_->interrupts_in = 1;
  EXPECT_THROW((void)program(limits()).compute(settings()), interrupted_error);
  EXPECT_GE(watch_->most_shared, size);
}

TEST_F(MemoryOfProcesses, OutlivesWorkersThatAreKilled) {
  std::atomic<int> kills{0};
  const std::jthread killer([&kills](const std::stop_token& is_over) {
    std::mt19937 draw(20260101);
    while (!is_over.stop_requested()) {
      if (testing::kill_a_worker(getpid(), draw)) ++kills;
      std::this_thread::sleep_for(std::chrono::milliseconds{draw() % 200});
    }
  });
  run_with patient = settings();
  patient.max_attempts = 1000;
  while (kills < 10) expect_values(program(limits()).compute(patient));
}

// An array is held by none of the workers that compute with it.
TEST_F(MemoryOfProcesses, CountsForNoWorker) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory for what is shared";
#endif
  constexpr index_t n = 4'000'000;  // 32 MB
  class peak final : public observer {
   public:
    void on_tasks_end(const tasks_event& event) override {
      most = std::max(most, event.peak_memory);
    }
    bytes most;
  };
  const auto peak_of_worker = std::make_shared<peak>();
  const array<double, 1> sums =
      cumulative_sum(arange<double>(0, n, 1, {.chunks = {n / 40}, .spec = limits()}));
  const auto planned =
      plan(max(flip(sums) - mean(sums)),
           run_with{.executor = executors::processes(1), .observers = {peak_of_worker}});
  ASSERT_GE(planned.bounded().resident_memory(), bytes{8 * n});
  (void)planned.compute();
  EXPECT_GT(peak_of_worker->most, 0_B);
  EXPECT_LT(peak_of_worker->most, measure_reserved_memory(executors::processes(1)) + 16_MB);
}

TEST_F(MemoryOfProcesses, IsNotUsedWhereTheHostHasNoRoom) {
  spec narrow = limits();
  narrow.reserved_memory = 0_B;
  narrow.allowed_memory = 10_MB;
  // The memory that four processes hold already, and a bit for tasks: less than one of the arrays.
  narrow.host_memory = 400_MB;
  const auto numbers = arange<double>(0, 60'000'000, 1, {.chunks = {100'000}, .spec = narrow});
  const array<double, 1> sums = cumulative_sum(numbers);
  const auto planned = plan(max(flip(sums) - mean(sums)), settings());
  EXPECT_GE(planned.bytes_written(), 480_MB);
  EXPECT_LE(planned.bounded().resident_memory(), 1_MB);
}

TEST_F(MemoryOfProcesses, IsNotUsedByWorkersThatCannotMapIt) {
  engine_ = std::make_shared<apart>();
  const auto planned = plan(stored_program(), settings());
  EXPECT_GE(planned.bytes_written(), size * 2);
  planned.execute();
  expect_stored_values();
  EXPECT_EQ(watch_->most_shared, 0_B);
  EXPECT_THROW(plan(stored_program(), run_with{.executor = executors::processes(3)})
                   .execute({.executor = engine_}),
               value_error);
}

TEST_F(MemoryOfProcesses, HoldsWhatALoadedPlanKeeps) {
  const std::string file = directory_ / "plan";
  plan(stored_program(), settings()).bounded().save(file);
  const bounded_plan loaded = bounded_plan::load(file);
  EXPECT_GE(loaded.resident_memory(), size);
  run(loaded, settings());
  expect_stored_values();
  EXPECT_GE(watch_->most_shared, size);
}

}  // namespace
}  // namespace tessera
