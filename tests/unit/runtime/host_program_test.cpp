// SPDX-License-Identifier: Apache-2.0
//
// Computations leave the state of the program as it is: threads, handlers of signals, descriptors,
// locale, floating-point environment, settings of malloc.
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/random.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/on.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/runtime/runtime.hpp"

#include "observe/api/default_status.hpp"
#include "unit/runtime/process_state.hpp"
#include "unit/store/temporary_directory.hpp"

#include <array>
#include <cfenv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

using testing::process_state;

void compute_on(const run_with& settings) {
  const testing::temporary_directory directory;
  const auto x = random::normal<double>({64, 64}, {.chunks = {16, 16}, .seed = 1});
  store(x, directory / "x.zarr", settings);
  EXPECT_EQ(sum(ones<double>({8, 8}, {.chunks = {4, 4}})).compute(settings)(), 64.0);
  static_cast<void>(mean(x, axis<0>).compute(settings));
  static_cast<void>(matmul(x, x).compute(settings));
  static_cast<void>(sort(x, axis<0>).compute(settings));
}

void expect_same_state_after(const run_with& settings) {
  // A rounding mode of the program is no default one.
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const process_state before = testing::state_of_process();
  compute_on(settings);
  const process_state after = testing::state_of_process();
  std::fesetround(FE_TONEAREST);
  testing::expect_same(after, before);
}

TEST(HostPrograms, KeepTheirStateOnTheSerialEngine) {
  expect_same_state_after({.executor = executors::serial()});
}

TEST(HostPrograms, KeepTheirStateOnTheirOwnThreads) {
  const auto loop = [](std::size_t n, const std::function<void(std::size_t)>& body) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < n; ++i) threads.emplace_back(body, i);
    body(0);
  };
  expect_same_state_after({.executor = executors::on(3, loop)});
}

/// Returns the text on standard error of a computation with a time-out that threads cannot obey: a
/// note says so at its begin.
std::string words_of_computation() {
  ::testing::internal::CaptureStderr();
  const run_with settings{.executor = executors::threads(2), .task_timeout = std::chrono::hours(1)};
  EXPECT_EQ(sum(ones<double>({8, 8}, {.chunks = {4, 4}})).compute(settings)(), 64.0);
  return ::testing::internal::GetCapturedStderr();
}

TEST(HostPrograms, AreSilentOnceTheyObserveNothing) {
  const testing::temporary_directory directory;
  const std::string reports = directory / "reports";
  const std::string status = directory / "status";
  std::string name = "program";
  std::string option = "--tessera-report=" + reports;
  std::string progress = "--tessera-progress=always";
  std::array<char*, 4> arguments{name.data(), option.data(), progress.data(), nullptr};
  int count = 3;
  const runtime started(count, arguments.data());
  exchange_default_status(status);
  EXPECT_NE(words_of_computation(), "");
  EXPECT_TRUE(std::filesystem::remove(status));
  EXPECT_NE(std::filesystem::remove_all(reports), 0U);

  exchange_default_status(status);
  observe_nothing();
  EXPECT_EQ(words_of_computation(), "");
  EXPECT_FALSE(std::filesystem::exists(status));
  EXPECT_FALSE(std::filesystem::exists(reports));
}

#if defined(__GLIBC__)
// So the tests above would see a setting.
TEST(HostPrograms, HaveMallocSetByARuntimeAlone) {
  std::string name = "program";
  std::array<char*, 2> arguments{name.data(), nullptr};
  int count = 1;
  const int before = testing::state_of_process().num_malloc_settings;
  const runtime started(count, arguments.data());
  EXPECT_EQ(testing::state_of_process().num_malloc_settings, before + 1);
}
#endif

}  // namespace
}  // namespace tessera
