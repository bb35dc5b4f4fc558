// SPDX-License-Identifier: Apache-2.0
/// \file
/// Golden programs that are interrupted on eight threads and continued on four processes: stored
/// results have the bits of an undisturbed run.

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/task/execution.hpp"

#include "task/api/target.hpp"
#include "unit/plan/goldens/golden.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test {
namespace {

/// Asks the run to stop when tasks have ended.
class interrupting final : public observer {
 public:
  explicit interrupting(index_t after) : left_(after) {}

  void on_tasks_end(const tasks_event& event) override {
    left_ -= event.count;
    if (left_ <= 0) request_interrupt();
  }

 private:
  index_t left_;
};

/// A program over arrays in a folder of its own, with a stored result.
class stored_golden {
 public:
  explicit stored_golden(corpus_outputs (*outputs)(const golden_arrays&))
      : outputs_(outputs(golden_arrays(golden_arrays::extent::reduced, limits_, store_))) {}

  void run(const run_with& settings) const {
    (void)execute(plan_for(outputs_, limits_, {}, *settings.executor), settings);
  }

  /// Tells whether the result has a chunk.
  [[nodiscard]] bool has_chunks() const {
    for (const std::string& key : store_->list("whole")) {
      if (key.find("/.z") == std::string::npos) return true;
    }
    return false;
  }

  /// Compares the chunks of the results byte by byte.
  static void expect_equal(const stored_golden& a, const stored_golden& b) {
    const std::vector<std::string> keys = a.store_->list("whole");
    EXPECT_EQ(keys, b.store_->list("whole"));
    EXPECT_TRUE(a.has_chunks());
    for (const std::string& key : keys) {
      if (key.find("/.z") != std::string::npos) continue;
      EXPECT_EQ(a.store_->read_all(key, most), b.store_->read_all(key, most)) << key;
    }
  }

 private:
  static constexpr std::size_t most = 1'000'000'000;

  testing::temporary_directory folder_;
  spec limits_{.work_dir = folder_ / "work", .allowed_memory = bytes{100'000'000}};
  std::shared_ptr<filesystem_store> store_ =
      std::make_shared<filesystem_store>(std::string(folder_ / "arrays"));
  corpus_outputs outputs_;
};

class ContinuedGoldens : public ::testing::TestWithParam<corpus_outputs (*)(const golden_arrays&)> {
};

TEST_P(ContinuedGoldens, HaveTheBitsOfAnUndisturbedRun) {
  const stored_golden undisturbed(GetParam());
  undisturbed.run({.executor = executors::serial(), .resume = resume_mode::never});

  const stored_golden continued(GetParam());
  EXPECT_THROW(continued.run({.executor = executors::threads(8),
                              .resume = resume_mode::automatic,
                              .observers = {std::make_shared<interrupting>(1)}}),
               interrupted_error);
  continued.run({.executor = executors::processes(4), .resume = resume_mode::require});
  stored_golden::expect_equal(continued, undisturbed);
}

INSTANTIATE_TEST_SUITE_P(Rows, ContinuedGoldens, ::testing::Values(welch, running_correlation));

}  // namespace
}  // namespace tessera::test
