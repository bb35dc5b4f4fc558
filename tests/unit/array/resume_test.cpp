// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/resume.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/unfinished_runs.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/temporary_directory.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::temporary_directory;

constexpr index_t extent = 24;
constexpr index_t chunk = 4;

constexpr pass_switches in_storage{.memory_tier = false};

/// The first element at which `failing` fails, and how often it was called for each element.
std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};
std::array<std::atomic<int>, extent> num_calls;

/// Adds a half, and counts; a function object without state, so that plans with it are portable.
struct failing {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the disk is full");
    ++num_calls.at(static_cast<std::size_t>(x));
    return x + 0.5;
  }
};

struct scaled {
  double factor = 1;
  double operator()(double x) const { return factor * x; }
};

/// Counts, and never fails.
struct counting {
  double operator()(double x) const {
    ++num_calls.at(static_cast<std::size_t>(x));
    return x;
  }
};

/// As `failing`, of any element and without counts.
struct stopping {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the disk is full");
    return x + 0.5;
  }
};

/// Returns how many bytes this process has read from files so far.
long bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  long count = 0;
  while (counts >> name >> count && name != "rchar:") continue;
  return count;
}

class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    fails_from = std::numeric_limits<double>::infinity();
    reset_calls();
    store_input();
  }

  void store_input() const {
    const auto x = arange(0.0, double{extent}, 1.0, {.chunks = {chunk}, .spec = limits()});
    store(x, input_, options());
  }

  static void reset_calls() {
    for (auto& calls : num_calls) calls = 0;
  }

  [[nodiscard]] spec limits() const { return {.work_dir = directory_ / "work"}; }
  [[nodiscard]] run_with options() const {
    return {.executor = executors::serial(), .resume = mode_};
  }

  /// Stores factor * input + 0.5.
  void run(double factor = 1) const {
    const auto x = map(scaled{factor}, open<double, 1>(input_, limits()));
    store(map(failing{}, x), output_, options());
  }

  template <class Program>
  static void fail_from(double element, const Program& program) {
    fails_from = element;
    EXPECT_THROW(program(), task_error);
    fails_from = std::numeric_limits<double>::infinity();
  }

  void run_and_fail_from(double element) const {
    fail_from(element, [this] { run(); });
  }

  /// The chunks of the input that calls since the last reset were for.
  static std::set<index_t> chunks_computed() {
    std::set<index_t> chunks;
    for (index_t i = 0; i < extent; ++i) {
      if (num_calls.at(static_cast<std::size_t>(i)) > 0) chunks.insert(i / chunk);
    }
    return chunks;
  }

  void expect_result(double factor = 1) const {
    const auto result = open<double, 1>(output_).compute();
    for (index_t i = 0; i < extent; ++i) {
      EXPECT_EQ(result(i), factor * static_cast<double>(i) + 0.5);
    }
    EXPECT_TRUE(unfinished_runs(directory_ / "work").empty());
    EXPECT_FALSE(std::filesystem::exists(output_ + "/.tessera-run"));
  }

  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  std::string output_ = directory_ / "output.zarr";
  std::optional<resume_mode> mode_ = resume_mode::automatic;
};

TEST_F(Resume, ComputesOnlyTheChunksThatAreMissing) {
  run_and_fail_from(13);  // in the fourth chunk
  EXPECT_EQ(unfinished_runs(directory_ / "work").size(), 1U);
  reset_calls();
  run();
  EXPECT_EQ(chunks_computed(), (std::set<index_t>{3, 4, 5}));
  expect_result();
}

// The intermediate was in memory: the parts that the missing chunks need are computed again.
TEST_F(Resume, MakesAgainWhatWasInMemoryWhereItIsNeeded) {
  const auto run_all = [this] {
    const array<double, 1> y = map(counting{}, open<double, 1>(input_, limits()));
    const plan program(pass_switches{.fuse_producers = false, .fuse_epilogues = false}, options(),
                       stored(map(stopping{}, y), output_));
    ASSERT_EQ(program.num_operations(), 2U);
    ASSERT_EQ(program.bytes_written(), bytes{extent * sizeof(double)});
    program.execute();
  };
  fail_from(13, run_all);
  ASSERT_TRUE(std::filesystem::exists(output_ + "/2"));
  reset_calls();
  run_all();
  EXPECT_EQ(chunks_computed(), (std::set<index_t>{3, 4, 5}));
  expect_result();
}

// A map and a sum share a task of six steps; the state of the sum is not kept.
TEST_F(Resume, LeavesTheChunksThatATaskHasWrittenBeforeItEnded) {
  const auto run_both = [this] {
    const auto x = open<double, 1>(input_, limits());
    const plan program(in_storage, stored(map(failing{}, x), output_), sum(x));
    ASSERT_EQ(program.num_operations(), 1U);
    EXPECT_EQ(std::get<1>(program.compute(options()))(), 276.0);
  };
  const auto written = [this](index_t k) {
    return std::filesystem::last_write_time(output_ + "/" + std::to_string(k));
  };
  fail_from(4 * chunk + 1, run_both);
  const std::array before{written(0), written(1), written(2), written(3)};
  EXPECT_FALSE(std::filesystem::exists(output_ + "/4"));
  run_both();
  for (index_t k = 0; k < 4; ++k) EXPECT_EQ(written(k), before.at(static_cast<std::size_t>(k)));
  expect_result();
}

// Of eight chunks that are missing, two tasks read the one chunk of the input once each; zlib
// reads it whole.
TEST_F(Resume, ReadsOnceWhatIsLeftOfATaskHasInCommon) {
  constexpr index_t size = index_t{1} << 18;
  const std::string input = directory_ / "large.zarr";
  store(arange(0.0, double{size}, 1.0, {.chunks = {size}, .spec = limits()}), input,
        {.compressor = codec::zlib{.level = 0}}, options());
  const auto run_all = [&] {
    spec for_two = limits();
    for_two.costs.workers = 2;
    const auto mapped = map(stopping{}, open<double, 1>(input, for_two));
    const plan program(
        in_storage, stored(mapped, output_, {.chunks = {size / 16}, .compressor = codec::none{}}));
    ASSERT_LE(program.num_tasks(), 3);
    program.execute(options());
  };
  fail_from(0, run_all);
  // As if the task had been stopped between chunks.
  const auto x = open<double, 1>(input).compute();
  for (index_t k = 0; k < 16; k += 2) {
    const std::span values = x.span().subspan(static_cast<std::size_t>(k * size / 16), size / 16);
    std::vector<double> chunk_values(values.begin(), values.end());
    for (double& value : chunk_values) value += 0.5;
    std::ofstream(output_ + "/" + std::to_string(k), std::ios::binary)
        .write(reinterpret_cast<const char*>(chunk_values.data()), size / 16 * 8);
  }
  const long before = bytes_read();
  run_all();
  EXPECT_LT(bytes_read() - before, 4 * size * 8);
  const auto result = open<double, 1>(output_).compute();
  for (index_t i = 0; i < size; ++i) ASSERT_EQ(result(i), static_cast<double>(i) + 0.5);
}

// First the intermediate is stored, then it is kept in memory: two plans of one program.
TEST_F(Resume, GoesOnUnderAnotherPlan) {
  const std::string sums_path = directory_ / "other.zarr";
  const auto run_under = [&](const pass_switches& passes, bytes allowed, std::size_t num_threads) {
    spec lowered = limits();
    lowered.allowed_memory = allowed;
    const auto x = open<double, 1>(input_, lowered);
    const array<double, 1> sums = cumulative_sum(x);
    tessera::run_with engine = options();
    engine.executor = executors::threads(num_threads);
    plan(passes, engine, stored(map(failing{}, x), output_), stored(sums - mean(sums), sums_path))
        .execute();
  };
  fail_from(4 * chunk + 1, [&] { run_under(in_storage, bytes{2'000'000'000}, 1); });
  const auto written = [this](index_t k) {
    return std::filesystem::last_write_time(output_ + "/" + std::to_string(k));
  };
  std::map<index_t, std::filesystem::file_time_type> before;
  for (index_t k = 0; k < extent / chunk; ++k) {
    if (std::filesystem::exists(output_ + "/" + std::to_string(k))) before[k] = written(k);
  }
  ASSERT_FALSE(before.empty());
  EXPECT_FALSE(before.contains(4));
  reset_calls();
  run_under({}, bytes{1'000'000'000}, 3);
  for (const auto& [k, time] : before) {
    EXPECT_EQ(written(k), time) << k;
    EXPECT_FALSE(chunks_computed().contains(k)) << k;
  }
  expect_result();
}

// Another plan goes on with the stored intermediate if it stores it too.
TEST_F(Resume, FindsWhatIsBetweenTasksUnderAnotherPlan) {
  const auto run_in = [&](bytes allowed, bool fuses) {
    spec lowered = limits();
    lowered.allowed_memory = allowed;
    const array<double, 1> mapped = map(failing{}, open<double, 1>(input_, lowered));
    pass_switches passes = in_storage;
    passes.fuse_siblings = fuses;
    return plan(passes, options(), mapped - mean(mapped), max(mapped) + 1.0).compute();
  };
  fail_from(13, [&] { (void)run_in(bytes{2'000'000'000}, false); });
  reset_calls();
  const auto [anomaly, greatest] = run_in(bytes{1'000'000'000}, true);
  EXPECT_EQ(chunks_computed(), (std::set<index_t>{3, 4, 5}));
  EXPECT_EQ(anomaly(0), -11.5);
  EXPECT_EQ(greatest(), 24.5);
}

TEST_F(Resume, GoesOnUnderOtherNamesOfDimensions) {
  run_and_fail_from(13);
  reset_calls();
  const auto x = map(scaled{1}, open<double, 1>(input_, limits()));
  store(map(failing{}, x), output_, {.dimension_names = {"time"}}, options());
  EXPECT_EQ(chunks_computed(), (std::set<index_t>{3, 4, 5}));
  expect_result();
  EXPECT_EQ(zarr_array::open(output_).dimension_names(), std::vector<std::string>{"time"});
}

TEST_F(Resume, TellsAFailedRunHowToGoOn) {
  fails_from = 13;
  try {
    run();
    ADD_FAILURE() << "the run did not fail";
  } catch (const task_error& error) {
    EXPECT_NE(std::string(error.what()).find("run the same program again to continue"),
              std::string::npos);
  }
}

TEST_F(Resume, BeginsAnewOnceTheRunHasEndedWell) {
  run();
  reset_calls();
  run();
  EXPECT_EQ(chunks_computed().size(), 6U);
  expect_result();
}

TEST_F(Resume, BeginsAnewWhereAParameterHasChanged) {
  run_and_fail_from(13);
  reset_calls();
  run(0.5);
  EXPECT_GE(chunks_computed().size(), 3U);
  const auto result = open<double, 1>(output_).compute();
  for (index_t i = 0; i < extent; ++i) EXPECT_EQ(result(i), 0.5 * static_cast<double>(i) + 0.5);
}

TEST_F(Resume, BeginsAnewWhereTheInputHasChanged) {
  run_and_fail_from(13);
  reset_calls();
  store_input();
  run();
  EXPECT_EQ(chunks_computed().size(), 6U);
  EXPECT_EQ(remove_unfinished_runs(directory_ / "work"), 1U);
  expect_result();
}

TEST_F(Resume, BeginsAnewWhereTheResultWasWrittenOver) {
  run_and_fail_from(13);
  reset_calls();
  store(zeros<double>({extent}, {.chunks = {chunk}, .spec = limits()}), output_, options());
  run();
  EXPECT_EQ(chunks_computed().size(), 6U);
  expect_result();
}

TEST_F(Resume, BeginsAnewWhereItIsToldTo) {
  run_and_fail_from(13);
  reset_calls();
  mode_ = resume_mode::never;
  run();
  EXPECT_EQ(chunks_computed().size(), 6U);
  expect_result();
}

TEST_F(Resume, FindsWhatIsBetweenTasksThoughAnEarlierRunHasEndedWell) {
  const auto compute = [this] {
    return plan(in_storage, options(), map(failing{}, open<double, 1>(input_, limits()))).compute();
  };
  // Killed later: the record that the run has ended well stays.
  EXPECT_EXIT((compute(), std::raise(SIGKILL)), ::testing::KilledBySignal(SIGKILL), "");
  fail_from(13, compute);
  reset_calls();
  const auto result = compute();
  EXPECT_EQ(chunks_computed(), (std::set<index_t>{3, 4, 5}));
  for (index_t i = 0; i < extent; ++i) EXPECT_EQ(result(i), static_cast<double>(i) + 0.5);
}

TEST_F(Resume, StillOmitsEmptyChunks) {
  const auto run_omitting = [this] {
    const auto x = map(failing{}, open<double, 1>(input_, limits()));
    store(maximum(x, 20.5), output_, {.fill_value = 20.5, .empty = empty_chunks::omit}, options());
  };
  fail_from(13, run_omitting);
  run_omitting();
  const zarr_array result = zarr_array::open(output_);
  for (index_t i = 0; i < 5; ++i) EXPECT_FALSE(result.has_chunk(index_vector{i})) << i;
  EXPECT_TRUE(result.has_chunk(index_vector{5}));
  EXPECT_EQ((open<double, 1>(output_).compute()(19)), 20.5);
}

TEST_F(Resume, IsRefusedWhereItIsRequiredAndNothingIsThere) {
  mode_ = resume_mode::require;
  EXPECT_THROW(run(), value_error);
  EXPECT_FALSE(std::filesystem::exists(output_));
  mode_ = resume_mode::automatic;
  run_and_fail_from(13);
  reset_calls();
  mode_ = resume_mode::require;
  run();
  EXPECT_EQ(chunks_computed().size(), 3U);
  expect_result();
}

TEST_F(Resume, ThatIsRequiredOfAProgramIsAskedForUntilARunWasContinued) {
  run_and_fail_from(13);
  mode_.reset();
  EXPECT_EQ(set_default_resume(resume_mode::require), resume_mode::automatic);
  EXPECT_THROW(run(0.5), value_error);
  EXPECT_EQ(default_resume(), resume_mode::require);
  reset_calls();
  run();
  EXPECT_EQ(chunks_computed().size(), 3U);
  run(0.5);  // nothing of it was there
  EXPECT_EQ(set_default_resume(resume_mode::require), resume_mode::automatic);
  EXPECT_THROW(run(0.25), value_error);  // required anew
  set_default_resume(resume_mode::automatic);
}

}  // namespace
}  // namespace tessera
