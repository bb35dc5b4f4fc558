// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plans that write arrays which they read, in a child process. It is killed when it has ended so
/// many tasks; then the same program runs again.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace tessera {

inline constexpr index_t extent = 24;

/// Kills the process when it has ended so many tasks.
struct kill_behind_tasks final : observer {
  explicit kill_behind_tasks(index_t count) : num_left(count) {}
  void on_tasks_end(const tasks_event& event) override {
    num_left -= event.count;
    if (num_left <= 0) ::kill(::getpid(), SIGKILL);
  }
  index_t num_left;
};

class Overwriting : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const {
    return directory_ / ("s.zarr/" + name);
  }
  [[nodiscard]] spec limits() const { return {.work_dir = directory_ / "work"}; }
  [[nodiscard]] array<double, 1> x(const std::string& name = "x") const {
    return open<double, 1>(at(name), limits());
  }
  void store_numbers(const std::string& name, double first = 0) const {
    std::filesystem::remove_all(at(name));
    store(arange(first, first + double{extent}, 1.0, {.chunks = {4}, .spec = limits()}), at(name),
          {.compressor = codec::zlib{}});
  }
  static run_with serial() { return {.executor = executors::serial()}; }

  template <class F>
  void expect_elements(const std::string& name, const F& f) const {
    const auto elements = x(name).compute();
    ASSERT_EQ(elements.shape()[0], extent);
    for (index_t i = 0; i < extent; ++i) EXPECT_EQ(elements(i), f(static_cast<double>(i))) << i;
  }

  /// Runs `program` in a child, and kills it behind each number of tasks in turn; runs it again
  /// each time, and calls `check`. `look` is called in between.
  void kill_everywhere(const std::function<void()>& prepare,
                       const std::function<void(const run_with&)>& program,
                       const std::function<void()>& look, const std::function<void()>& check) {
    for (index_t num_tasks = 1;; ++num_tasks) {
      SCOPED_TRACE(num_tasks);
      prepare();
      const pid_t child = testing::in_child([&] {
        run_with settings = serial();
        settings.observers = {std::make_shared<kill_behind_tasks>(num_tasks)};
        program(settings);
        return 0;
      });
      const int status = testing::status_of(child);
      if (status != 0) {
        ASSERT_EQ(status, SIGKILL);
        look();
        ASSERT_EQ(testing::status_of(testing::in_child([&] {
                    program(serial());
                    return 0;
                  })),
                  0);
      }
      check();
      EXPECT_TRUE(unfinished_runs(limits().work_dir).empty());
      if (status == 0 || ::testing::Test::HasFailure()) return;
      ++num_kills_;
    }
  }

  /// Expects that the array is the one before the run, or is refused.
  template <class F>
  void expect_old_or_refused(const std::string& name, const F& old) {
    try {
      expect_elements(name, old);
    } catch (const error& refusal) {
      EXPECT_THAT(refusal.what(), ::testing::HasSubstr("some elements are new and some are old"));
      ++num_refused_;
    }
  }

  testing::temporary_directory directory_;
  int num_kills_ = 0;
  int num_refused_ = 0;
};

inline double same(double i) { return i; }

}  // namespace tessera
