// SPDX-License-Identifier: Apache-2.0
//
// Computations leave the state of the program as it is: threads, handlers of signals, descriptors,
// locale, floating-point environment.
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/random.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/store/temporary_directory.hpp"

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace tessera {
namespace {

/// The state of the process that computations must not change.
struct process_state {
  std::ptrdiff_t num_threads = 0;
  std::ptrdiff_t num_descriptors = 0;
  std::vector<void (*)(int)> handlers;
  std::string locale;
  int rounding = 0;
  int traps = 0;
};

std::ptrdiff_t num_entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

process_state state_of_process() {
  process_state state{.num_threads = num_entries("/proc/self/task"),
                      .num_descriptors = num_entries("/proc/self/fd"),
                      .handlers = {},
                      .locale = std::setlocale(LC_ALL, nullptr),
                      .rounding = std::fegetround(),
                      .traps = ::fegetexcept()};
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0) state.handlers.push_back(action.sa_handler);
  }
  return state;
}

void compute_on(const run_with& settings) {
  const testing::temporary_directory directory;
  const auto x = random::normal<double>({64, 64}, {.chunks = {16, 16}, .seed = 1});
  store(x, directory / "x.zarr", settings);
  EXPECT_EQ(sum(ones<double>({8, 8}, {.chunks = {4, 4}})).compute(settings)(), 64.0);
  static_cast<void>(mean(x, axis<0>).compute(settings));
  static_cast<void>(matmul(x, x).compute(settings));
  static_cast<void>(sort(x, axis<0>).compute(settings));
}

TEST(HostPrograms, KeepTheirStateOnTheSerialEngine) {
  // A rounding mode of the program is no default one.
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const process_state before = state_of_process();
  compute_on({.executor = executors::serial()});
  const process_state after = state_of_process();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(after.num_threads, before.num_threads);
  EXPECT_EQ(after.num_descriptors, before.num_descriptors);
  EXPECT_EQ(after.handlers, before.handlers);
  EXPECT_EQ(after.locale, before.locale);
  EXPECT_EQ(after.rounding, before.rounding);
  EXPECT_EQ(after.traps, before.traps);
}

}  // namespace
}  // namespace tessera
