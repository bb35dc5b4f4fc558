// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of plans: runs that end early, and later runs that do the rest.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/testing/detail/plan_setting.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

namespace tessera::testing {

/// A user's function that fails in this process, and in no other, if `fails` is set.
struct stopping_root {
  static inline std::atomic<bool> fails{false};
  double operator()(double x) const {
    if (fails && x >= 600) throw store_error("the disk is full");
    return std::sqrt(x);
  }
};

/// The times at which the present chunks of a stored array were written.
using chunk_times = std::map<std::string, std::filesystem::file_time_type>;

/// Stores the roots of 0, 1, ..., 999 and their mean in 20 chunks with `settings`. The placement of
/// the mean's intermediates is a matter of the engine.
inline void store_roots(const plan_setting& in, const run_with& settings) {
  const auto x = arange<double>(1000.0, {.chunks = {50}, .spec = in.spec()});
  store(map(stopping_root{}, x) + mean(x), in.directory("roots"), settings);
}

/// Begins to store the roots on three threads of this process, in which the function fails.
inline void begin_roots(const plan_setting& in) {
  stopping_root::fails = true;
  EXPECT_THROW(store_roots(in, {.executor = executors::threads(3)}), task_error);
  stopping_root::fails = false;
}

/// Returns the chunks of the roots that are stored.
inline chunk_times written_roots(const plan_setting& in) {
  chunk_times there;
  for (int k = 0; k < 20; ++k) {
    const std::string file = in.directory("roots/" + std::to_string(k));
    if (std::filesystem::exists(file)) there[file] = std::filesystem::last_write_time(file);
  }
  return there;
}

/// Expects that the run continues, and that stored chunks are not written again.
inline void expect_to_go_on(const plan_setting& in, const chunk_times& before) {
  ASSERT_FALSE(before.empty());
  ASSERT_LT(before.size(), 20U);
  run_with settings = in.settings();
  settings.resume = resume_mode::require;
  store_roots(in, settings);
  for (const auto& [file, time] : before) {
    EXPECT_EQ(std::filesystem::last_write_time(file), time) << file;
  }
  const auto roots = open<double, 1>(in.directory("roots"), in.spec()).compute(in.settings());
  for (index_t i = 0; i < 1000; ++i) ASSERT_EQ(roots(i), std::sqrt(static_cast<double>(i)) + 499.5);
}

/// Notes how many tasks have ended or were done before, and asks for an interrupt when the first
/// task of the second operation has ended.
class interrupting_observer final : public observer {
 public:
  explicit interrupting_observer(bool interrupts) : interrupts_(interrupts) {}

  void on_tasks_end(const tasks_event& event) override {
    num_tasks += event.count;
    if (event.operation == 1 && interrupts_) request_interrupt();
  }
  void on_tasks_resumed(std::size_t, index_t count) override { num_resumed += count; }

  index_t num_tasks = 0;
  index_t num_resumed = 0;

 private:
  bool interrupts_;
};

/// A hundred tasks make an intermediate array in storage, a hundred read it. The next run finds the
/// finished tasks of both operations after an interruption, and runs the rest alone.
inline void go_on_with_an_interrupted_pipeline(const plan_setting& in) {
  constexpr index_t num_chunks = 100;
  const auto x = arange<double>(10.0 * num_chunks, {.chunks = {10}, .spec = in.spec()});
  const array<double, 1> roots = map(stopping_root{}, x);
  const pass_switches apart{.fuse_producers = false, .memory_tier = false};
  const plan pipeline(apart, in.settings(), stored(roots + 1.0, in.directory("sums")));
  ASSERT_EQ(pipeline.num_operations(), 2U);
  const index_t num_tasks = pipeline.num_tasks();
  const auto run = [&](const std::shared_ptr<interrupting_observer>& watcher) {
    run_with settings = in.settings();
    settings.observers = {watcher};
    pipeline.execute(settings);
  };
  const auto before = std::make_shared<interrupting_observer>(true);
  EXPECT_THROW(run(before), interrupted_error);
  EXPECT_GT(before->num_tasks, 0);
  EXPECT_LT(before->num_tasks, num_tasks);
  const auto after = std::make_shared<interrupting_observer>(false);
  run(after);
  EXPECT_EQ(after->num_resumed, before->num_tasks);
  EXPECT_EQ(after->num_tasks, num_tasks - before->num_tasks);
  const auto sums = open<double, 1>(in.directory("sums"), in.spec()).compute(in.settings());
  for (index_t i = 0; i < 10 * num_chunks; ++i) {
    ASSERT_EQ(sums(i), std::sqrt(static_cast<double>(i)) + 1.0);
  }
}

}  // namespace tessera::testing
