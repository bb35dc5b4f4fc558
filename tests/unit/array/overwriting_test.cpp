// SPDX-License-Identifier: Apache-2.0
#include "unit/array/overwriting.hpp"

#include "tessera/array/append.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "task/plan_workload.hpp"

#include <span>
#include <vector>

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::in_child;
using testing::status_of;

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

// A backup could still read the array when the first copy of the task has ended and the array
// changes.
TEST_F(Overwriting, ATaskThatReadsTheArrayHasNoBackup) {
  store_numbers("x");
  const auto to_itself = plan(stored(flip(x()) + 1.0, at("x")));
  const plan_workload work(to_itself.bounded());
  ASSERT_EQ(work.operations().size(), 2U);
  EXPECT_FALSE(work.operations()[0].may_be_duplicated);
  EXPECT_TRUE(work.operations()[1].may_be_duplicated);
  const auto to_another = plan(stored(flip(x()) + 1.0, at("y")));
  EXPECT_TRUE(plan_workload(to_another.bounded()).operations()[0].may_be_duplicated);
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

TEST_F(Overwriting, NamesOfAxesAreOfTheOldArrayInARunThatGoesOn) {
  const auto names_at = [&](const std::string& name) {
    return zarr_array::open(at(name)).dimension_names();
  };
  kill_everywhere(
      [&] {
        store_numbers("x");
        std::filesystem::remove_all(at("y"));
        store(x(), at("x"), {.dimension_names = {"time"}});
      },
      [&](const run_with& settings) {
        store(stored(x() + 1.0, at("x"), {.dimension_names = {"later"}}), stored(x(), at("y")),
              settings);
      },
      [] {},
      [&] {
        EXPECT_EQ(names_at("x"), std::vector<std::string>{"later"});
        EXPECT_EQ(names_at("y"), std::vector<std::string>{"time"});
      });
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

TEST_F(Overwriting, AnArrayIsAppendedToItself) {
  for (const index_t length : {4, 5}) {  // divides the extent, and does not
    num_kills_ = 0;
    kill_everywhere(
        [&] {
          std::filesystem::remove_all(at("x"));
          store(arange(0.0, double{extent}, 1.0, {.chunks = {length}, .spec = limits()}), at("x"));
        },
        [&](const run_with& settings) {
          append(flip(x()(slice(0, extent))), at("x"), axis<0>, settings);
        },
        [&] { expect_elements("x", same); },
        [&] {
          const auto elements = x().compute();
          ASSERT_EQ(elements.shape()[0], 2 * extent);
          for (index_t i = 0; i < extent; ++i) {
            EXPECT_EQ(elements(i), i);
            EXPECT_EQ(elements(extent + i), extent - 1 - i);
          }
          EXPECT_FALSE(std::filesystem::exists(at("x/.tessera-overwritten")));
        });
    EXPECT_GE(num_kills_, 1) << length;
  }
}

/// Counts the tasks that end.
struct count_tasks final : observer {
  void on_tasks_end(const tasks_event& event) override { num_tasks += event.count; }
  index_t num_tasks = 0;
};

class AppendToItself : public Overwriting {
 protected:
  static constexpr index_t old_length = 24000;

  /// A task has memory for a few chunks of 5,000 numbers.
  [[nodiscard]] array<double, 1> numbers() const {
    return open<double, 1>(at("x"),
                           spec{.work_dir = directory_ / "work", .allowed_memory = bytes(150000)});
  }
  void store_in_chunks(index_t length) const {
    store(arange(0.0, double{old_length}, 1.0, {.chunks = {length}, .spec = limits()}), at("x"),
          {.compressor = codec::none{}});
  }
  void append_reversed(const std::shared_ptr<observer>& observer) const {
    run_with settings = serial();
    settings.observers = {observer};
    append(flip(numbers()(slice(0, old_length))), at("x"), axis<0>, settings);
  }
  void kill_behind(index_t num_tasks) const {
    const int status = status_of(in_child([&] {
      append_reversed(std::make_shared<kill_behind_tasks>(num_tasks));
      return 0;
    }));
    EXPECT_EQ(status, SIGKILL);
    EXPECT_EQ(unfinished_runs(limits().work_dir).size(), 1U);
    EXPECT_EQ(numbers().compute()(old_length - 1), old_length - 1);
  }
  /// Runs the append again; returns the number of its tasks.
  [[nodiscard]] int num_tasks_left() const {
    return WEXITSTATUS(status_of(in_child([&] {
      const auto tasks = std::make_shared<count_tasks>();
      append_reversed(tasks);
      return static_cast<int>(tasks->num_tasks);
    })));
  }
  template <class F>
  void expect_appended(const F& old) const {
    const auto elements = numbers().compute();
    ASSERT_EQ(elements.shape()[0], 2 * old_length);
    for (index_t i = 0; i < old_length; ++i) {
      ASSERT_EQ(elements(i), old(static_cast<double>(i)));
      ASSERT_EQ(elements(2 * old_length - 1 - i), old(static_cast<double>(i)));
    }
    EXPECT_TRUE(unfinished_runs(limits().work_dir).empty());
  }
};

// The chunks behind the end are no part of the array that the append reads.
TEST_F(AppendToItself, GoesOnWhereItWasKilled) {
  store_in_chunks(4000);
  kill_behind(4);
  EXPECT_EQ(num_tasks_left(), 2);  // of six
  expect_appended(same);
}

/// Kills the process at the first file that it removes after its tasks: the mark of an append.
struct kill_at_end final : observer {
  void on_computation_end(computation_outcome, session_time) override {
    testing::strike_system_call(SYS_unlink, SECCOMP_RET_KILL_PROCESS);
  }
};

/// Appends to the numbers 0 ... 23, in a child that dies when the array has its new extents.
class AppendAtItsEnd : public Overwriting {
 protected:
  static constexpr index_t count = 8;

  AppendAtItsEnd() { store_numbers("x"); }

  void append_from(double first, run_with settings = serial()) const {
    append(arange(first, first + double{count}, 1.0, {.chunks = {4}, .spec = limits()}), at("x"),
           axis<0>, settings);
  }
  template <class F>
  void expect_killed(const F& program) const {
    run_with settings = serial();
    settings.observers = {std::make_shared<kill_at_end>()};
    const int status = status_of(in_child([&] { return program(settings), 0; }));
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(x().layout().shape, (index_vector{extent + count}));
  }
  void expect_numbers(index_t length) const {
    const auto elements = x().compute();
    ASSERT_EQ(elements.shape()[0], length);
    for (index_t i = 0; i < length; ++i) EXPECT_EQ(elements(i), i);
  }
  template <class F>
  static void expect_not_repeated(const F& program) {
    try {
      program();
      FAIL() << "elements that are there were appended again";
    } catch (const zarr_error& refusal) {
      EXPECT_THAT(refusal.what(),
                  AllOf(HasSubstr("has appended [24:32] there, from the shape (24,) to (32,)"),
                        HasSubstr("if it is, nothing is left to do")));
    }
  }
};

TEST_F(AppendAtItsEnd, IsKnownByTheSameProgram) {
  expect_killed([&](const run_with& settings) { append_from(extent, settings); });
  append_from(extent);
  expect_numbers(extent + count);
  EXPECT_TRUE(unfinished_runs(limits().work_dir).empty());
}

TEST_F(AppendAtItsEnd, IsNotTakenForAnotherAppendOfAsManyElements) {
  expect_killed([&](const run_with& settings) { append_from(extent, settings); });
  expect_not_repeated([&] { append_from(extent + count); });
  append_from(extent + count);
  expect_numbers(extent + 2 * count);
}

// The source is longer than before, so that the program is not known to be the same.
TEST_F(AppendAtItsEnd, OfItsOwnElementsIsNotRepeated) {
  const auto program = [&](const run_with& settings) {
    append(x()(slice(extent - count, extent)) + double{count}, at("x"), axis<0>, settings);
  };
  expect_killed(program);
  expect_not_repeated([&] { program(serial()); });
  expect_numbers(extent + count);
}

// The border chunk is written again, with the elements that it had.
TEST_F(AppendToItself, GoesOnBehindABorderChunk) {
  store_in_chunks(5000);
  kill_behind(4);
  EXPECT_EQ(num_tasks_left(), 3);  // of six
  expect_appended(same);
}

TEST_F(AppendToItself, BeginsAnewWhereAnotherProgramHasChangedTheBorder) {
  store_in_chunks(5000);
  kill_behind(4);
  const auto array = zarr_array::open(at("x"));
  const double changed = -1;
  chunk_buffers buffers(array);
  array.write_region({{old_length - 1}, {old_length}}, std::as_bytes(std::span(&changed, 1)),
                     buffers.decoded(), buffers.encoded());
  EXPECT_EQ(num_tasks_left(), 6);
  expect_appended([](double i) { return i < old_length - 1 ? i : -1; });
}

TEST_F(Overwriting, AnAppendThatAnotherOneReplacesLeavesNothing) {
  store_numbers("x");
  const pid_t child = in_child([&] {
    run_with settings = serial();
    settings.observers = {std::make_shared<kill_behind_tasks>(4)};
    append(flip(x()), at("x"), axis<0>, settings);
    return 0;
  });
  EXPECT_EQ(status_of(child), SIGKILL);
  append(x()(slice(0, 5)), at("x"), axis<0>, serial());
  EXPECT_TRUE(unfinished_runs(limits().work_dir).empty());
  EXPECT_EQ(x().compute().shape()[0], extent + 5);
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
