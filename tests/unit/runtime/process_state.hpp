// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of a host program that computations must not change.

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstddef>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace tessera::testing {

/// The number of changes of malloc's settings, by the program and its libraries.
inline int num_malloc_settings = 0;

}  // namespace tessera::testing

/// Stands before malloc's own function, and calls it.
extern "C" [[gnu::used]] inline int mallopt(int parameter, int value) noexcept {
  ++tessera::testing::num_malloc_settings;
  const auto next = reinterpret_cast<int (*)(int, int)>(::dlsym(RTLD_NEXT, "mallopt"));
  return next == nullptr ? 0 : next(parameter, value);
}

namespace tessera::testing {

/// Threads, handlers of signals, open descriptors, locale, floating-point environment, and settings
/// of malloc.
struct process_state {
  std::ptrdiff_t num_threads = 0;
  std::ptrdiff_t num_descriptors = 0;
  std::vector<void (*)(int)> handlers;
  std::string locale;
  int rounding = 0;
  int traps = 0;
  int num_malloc_settings = 0;
};

inline process_state state_of_process() {
  const auto num_entries = [](const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  };
  process_state state{.num_threads = num_entries("/proc/self/task"),
                      .num_descriptors = num_entries("/proc/self/fd"),
                      .handlers = {},
                      .locale = std::setlocale(LC_ALL, nullptr),
                      .rounding = std::fegetround(),
                      .traps = ::fegetexcept(),
                      .num_malloc_settings = num_malloc_settings};
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0) state.handlers.push_back(action.sa_handler);
  }
  return state;
}

inline void expect_same(const process_state& after, const process_state& before) {
  EXPECT_EQ(after.num_threads, before.num_threads);
  EXPECT_EQ(after.num_descriptors, before.num_descriptors);
  EXPECT_EQ(after.handlers, before.handlers);
  EXPECT_EQ(after.locale, before.locale);
  EXPECT_EQ(after.rounding, before.rounding);
  EXPECT_EQ(after.traps, before.traps);
  EXPECT_EQ(after.num_malloc_settings, before.num_malloc_settings);
}

}  // namespace tessera::testing
