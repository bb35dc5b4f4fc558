// SPDX-License-Identifier: Apache-2.0
//
// Plans that write arrays which they read. A child process runs the plan and is killed when it has
// ended so many tasks; then the same program runs again.
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/store/unfinished_runs.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <unistd.h>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using testing::in_child;
using testing::status_of;

constexpr index_t extent = 24;

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
      const pid_t child = in_child([&] {
        run_with settings = serial();
        settings.observers = {std::make_shared<kill_behind_tasks>(num_tasks)};
        program(settings);
        return 0;
      });
      const int status = status_of(child);
      if (status != 0) {
        ASSERT_EQ(status, SIGKILL);
        look();
        ASSERT_EQ(status_of(in_child([&] {
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
      EXPECT_THAT(refusal.what(), HasSubstr("some elements are new and some are old"));
      ++num_refused_;
    }
  }

  testing::temporary_directory directory_;
  int num_kills_ = 0;
  int num_refused_ = 0;
};

double same(double i) { return i; }

TEST_F(Overwriting, AnArrayIsComputedFromItself) {
  store_numbers("x");
  store(x() + 1.0, at("x"));
  expect_elements("x", [](double i) { return i + 1; });
  store(flip(x()), at("x"), {.chunks = {5}});
  expect_elements("x", [](double i) { return extent - i; });
  store(x(), at("x"), {.chunks = {24}});
  expect_elements("x", [](double i) { return extent - i; });
}

/// Has state without bytes: plans with it have no identity by which they go on.
struct named_step {
  std::string name = "one";
  double operator()(double x) const { return x + static_cast<double>(name.size()); }
};

TEST_F(Overwriting, APlanThatCouldNotGoOnIsRefusedBeforeItWrites) {
  store_numbers("x");
  try {
    store(map(named_step{}, x()), at("x"), {}, serial());
    FAIL() << "the plan was run";
  } catch (const value_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("could not be continued if it stopped"));
  }
  expect_elements("x", [](double i) { return i; });
  store(map(named_step{}, x()), at("y"), {}, serial());
  expect_elements("y", [](double i) { return i + 3; });
}

TEST_F(Overwriting, ThePlanReadsNoArrayWhileItChanges) {
  store_numbers("x");
  const auto to_itself = plan(stored(flip(x()) + 1.0, at("x")));
  EXPECT_EQ(to_itself.num_operations(), 2U);
  EXPECT_EQ(plan(stored(flip(x()) + 1.0, at("y"))).num_operations(), 1U);
  const run_with threads{.executor = executors::threads(4)};
  for (int k = 0; k < 50; ++k) {
    store_numbers("x");
    store(flip(x()) + 1.0, at("x"), threads);
    expect_elements("x", [](double i) { return extent - i; });
  }
}

TEST_F(Overwriting, ARunThatWasKilledGoesOn) {
  kill_everywhere([&] { store_numbers("x"); },
                  [&](const run_with& settings) { store(flip(x()) + 1.0, at("x"), settings); },
                  [&] { expect_old_or_refused("x", same); },
                  [&] { expect_elements("x", [](double i) { return extent - i; }); });
  // Six tasks compute, six tasks copy.
  EXPECT_EQ(num_kills_, 12);
  EXPECT_EQ(num_refused_, 6);
}

TEST_F(Overwriting, ARunThatWasKilledGoesOnWithOtherMetadata) {
  kill_everywhere([&] { store_numbers("x"); },
                  [&](const run_with& settings) {
                    store(astype<std::int32_t>(x() * 2.0), at("x"), {.chunks = {8}}, settings);
                  },
                  [] {},
                  [&] {
                    const auto elements = open<std::int32_t, 1>(at("x")).compute();
                    for (index_t i = 0; i < extent; ++i) EXPECT_EQ(elements(i), 2 * i);
                  });
  EXPECT_GE(num_kills_, 6);
}

TEST_F(Overwriting, ARegionIsComputedFromTheArray) {
  kill_everywhere(
      [&] { store_numbers("x"); },
      [&](const run_with& settings) {
        store(x()(slice(2, 12)) + x()(slice(8, 18)), at("x"), {.region = {slice(7, 17)}}, settings);
      },
      [&] { expect_old_or_refused("x", same); },
      [&] { expect_elements("x", [](double i) { return i < 7 || i >= 17 ? i : 2 * i - 4; }); });
  EXPECT_GT(num_refused_, 0);
}

TEST_F(Overwriting, TwoArraysChangePlaces) {
  kill_everywhere(
      [&] {
        store_numbers("x");
        store_numbers("y", 100);
      },
      [&](const run_with& settings) {
        store(stored(x("y"), at("x")), stored(x(), at("y")), settings);
      },
      [&] {
        expect_old_or_refused("x", same);
        expect_old_or_refused("y", [](double i) { return i + 100; });
      },
      [&] {
        expect_elements("x", [](double i) { return i + 100; });
        expect_elements("y", same);
      });
  EXPECT_GT(num_refused_, 0);
}

TEST_F(Overwriting, OtherResultsAreOfTheOldArray) {
  kill_everywhere([&] { store_numbers("x"); },
                  [&](const run_with& settings) {
                    const auto [sum_of_x, next, squares] =
                        plan(sum(x()), stored(x() + 1.0, at("x")), stored(x() * x(), at("y")))
                            .compute(settings);
                    if (sum_of_x() != 276) throw value_error("the sum of 0 ... 23 is 276");
                  },
                  [&] { expect_old_or_refused("x", same); },
                  [&] {
                    expect_elements("x", [](double i) { return i + 1; });
                    expect_elements("y", [](double i) { return i * i; });
                  });
}

class StoppedOverwriting : public Overwriting {
 protected:
  StoppedOverwriting() {
    store_numbers("x");
    const pid_t child = in_child([&] {
      run_with settings = serial();
      settings.observers = {std::make_shared<kill_behind_tasks>(8)};
      store(x() + 1.0, at("x"), settings);
      return 0;
    });
    EXPECT_EQ(status_of(child), SIGKILL);
  }

  template <class F>
  static std::string refusal_of(const F& f) {
    try {
      f();
    } catch (const error& refusal) {
      return refusal.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }
};

TEST_F(StoppedOverwriting, IsRefusedByOtherPrograms) {
  const std::string reason = "some elements are new and some are old";
  EXPECT_THAT(refusal_of([&] { (void)sum(x()).compute(); }), HasSubstr(reason));
  EXPECT_THAT(refusal_of([&] { store(x() * 3.0, at("y")); }), HasSubstr(reason));
  EXPECT_THAT(refusal_of([&] { store(x() * 3.0, at("x")); }), HasSubstr(reason));
  EXPECT_THAT(refusal_of([&] { store(zeros<double>({4}), at("x"), {.region = {slice(0, 4)}}); }),
              HasSubstr(reason));
  EXPECT_THAT(refusal_of([&] { (void)zarr_array::open(at("x")).resize(index_vector{12}); }),
              HasSubstr(reason));
  // The run goes on whatever was refused in between.
  store(x() + 1.0, at("x"), serial());
  expect_elements("x", [](double i) { return i + 1; });
}

TEST_F(StoppedOverwriting, IsNotBegunAnewOfHalfTheOldElements) {
  run_with anew = serial();
  anew.resume = resume_mode::never;
  EXPECT_THAT(refusal_of([&] { store(x() + 1.0, at("x"), anew); }), HasSubstr("resume=never"));
  store(x() + 1.0, at("x"), serial());
  expect_elements("x", [](double i) { return i + 1; });
}

TEST_F(StoppedOverwriting, IsRefusedWithoutItsIntermediates) {
  EXPECT_EQ(remove_unfinished_runs(limits().work_dir), 1U);
  EXPECT_THAT(refusal_of([&] { store(x() + 1.0, at("x"), serial()); }),
              HasSubstr("work directory has lost"));
}

TEST_F(StoppedOverwriting, EndsWhenTheArrayIsStoredAnew) {
  store(arange(0.0, double{extent}, 1.0, {.chunks = {4}}), at("x"));
  expect_elements("x", same);
}

}  // namespace
}  // namespace tessera
