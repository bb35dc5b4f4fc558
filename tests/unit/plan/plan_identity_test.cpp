// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "unit/plan/another_process.hpp"
#include "unit/plan/plan_files.hpp"
#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::testing::identity_of_a_program;
using ts::testing::temporary_directory;

template <class... Es>
std::string identity_of(const Es&... es) {
  return ts::plan(es...).bounded().identity();
}

TEST(PlanIdentity, IsThatOfTheProgramInAnyProcess) {
  const std::string here = identity_of_a_program();
  EXPECT_EQ(here.size(), 32U);
  EXPECT_EQ(here.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(identity_of_a_program(), here);
  EXPECT_EQ(ts::testing::run_in_another_process({"identity"}), here);
}

TEST(PlanIdentity, TellsParametersApart) {
  const std::string here = identity_of_a_program();
  EXPECT_NE(identity_of_a_program(3), here);
  EXPECT_NE(identity_of_a_program(2, 7), here);
  const auto x = ts::ones<double>({6}, {.chunks = {3}});
  EXPECT_NE(identity_of(ts::var(x)), identity_of(ts::var(x, ts::correction(1))));
  EXPECT_NE(identity_of(x + x), identity_of(x * x));
  EXPECT_NE(identity_of(x), identity_of(ts::ones<double>({6}, {.chunks = {2}})));
}

TEST(PlanIdentity, DoesNotDependOnHowThePlanIsRun) {
  const auto identity_under = [](const ts::spec& spec, const ts::run_with& settings) {
    const auto x = ts::ones<double>({6}, {.chunks = {3}, .spec = spec});
    return ts::plan(x + 1.0, settings).bounded().identity();
  };
  EXPECT_EQ(identity_under({}, {}),
            identity_under({.work_dir = "elsewhere"},
                           {.executor = ts::executors::threads(3), .max_attempts = 7}));
}

TEST(PlanIdentity, IsOfTheProgramAndNotOfThePlan) {
  const auto plan_under = [](const ts::spec& spec, const ts::pass_switches& passes,
                             std::size_t num_threads) {
    const ts::run_with settings{.executor = ts::executors::threads(num_threads)};
    const auto x =
        ts::random::uniform<double>({400, 300}, {.chunks = {10, 300}, .spec = spec, .seed = 1});
    const ts::array<double, 2> columns = ts::rechunk(x + 1.0, {400, 30});
    return ts::plan(passes, settings, columns - ts::mean(columns), ts::max(columns));
  };
  const auto here = plan_under({}, {}, 1);
  const ts::spec small{.allowed_memory = 600_kB, .host_memory = 700_kB};
  const auto there = plan_under(small, {.memory_tier = false, .bound_memory = false}, 3);
  EXPECT_NE(here.bounded().to_string(), there.bounded().to_string());
  EXPECT_EQ(here.bounded().identity(), there.bounded().identity());
}

TEST(PlanIdentity, ChangesWithElementsInMemory) {
  std::vector<float> values(12, 1.0F);
  const auto identity_of_sum = [&values] {
    return identity_of(ts::sum(ts::from_memory<float, 1>(values.data(), {12}, {.chunks = {5}})));
  };
  const std::string before = identity_of_sum();
  EXPECT_EQ(identity_of_sum(), before);
  values.back() = 2.0F;
  EXPECT_NE(identity_of_sum(), before);
}

TEST(PlanIdentity, ChangesWithWhatIsStored) {
  const temporary_directory folder;
  const std::string path = folder / "x.zarr";
  const auto identity_of_sum = [&path] { return identity_of(ts::sum(ts::open<double, 1>(path))); };
  const auto store = [&path](double value, ts::index_t chunk) {
    ts::store(ts::full<double>({6}, value, {.chunks = {chunk}}), path);
  };
  store(1.0, 3);
  const std::string before = identity_of_sum();
  EXPECT_EQ(identity_of_sum(), before);
  // A reader of metadata alone would not tell the second from the first.
  ts::testing::write_file(path + "/0", ts::testing::file_contents(path + "/0") + "x");
  EXPECT_NE(identity_of_sum(), before);
  store(1.0, 2);
  EXPECT_NE(identity_of_sum(), before);
  std::filesystem::remove(path + "/1");
  const std::string without_a_chunk = identity_of_sum();
  EXPECT_EQ(identity_of_sum(), without_a_chunk);
  EXPECT_NE(without_a_chunk, before);
}

TEST(PlanIdentity, ChangesWithTheDestination) {
  const temporary_directory folder;
  const auto x = ts::ones<double>({6}, {.chunks = {3}});
  const auto here = identity_of(ts::stored(x, folder / "a.zarr"));
  EXPECT_EQ(identity_of(ts::stored(x, folder / "a.zarr")), here);
  EXPECT_NE(identity_of(ts::stored(x, folder / "b.zarr")), here);
}

/// An executor with workers that see nothing of this process; its runs do not matter here.
class elsewhere final : public ts::executor {
 public:
  [[nodiscard]] std::string name() const override { return "elsewhere"; }
  [[nodiscard]] std::size_t num_workers() const override { return 1; }
  [[nodiscard]] ts::executor_traits traits() const override { return {.shares_memory = false}; }
  [[nodiscard]] std::unique_ptr<ts::executor_session> start(ts::workload& work) override {
    return ts::executors::serial()->start(work);
  }
};

TEST(PlanForOtherProcesses, KeepsNothingInMemory) {
  const temporary_directory folder;
  const ts::spec spec{.work_dir = folder / "work"};
  const ts::run_with settings{.executor = std::make_shared<elsewhere>()};
  const auto x = ts::arange<double>(0, 10, 1, {.chunks = {4}, .spec = spec});
  const auto plan = ts::plan(ts::sum(x) + x, settings);
  EXPECT_EQ(plan.bounded().resident_memory(), 0_B);
  EXPECT_GT(plan.bytes_written(), 80_B);
  EXPECT_EQ(plan.compute()(3), 48.0);
}

TEST(PlanForOtherProcesses, IsRefusedWhereItCannotTravel) {
  const temporary_directory folder;
  const ts::spec spec{.work_dir = folder / "work"};
  const ts::run_with settings{.executor = std::make_shared<elsewhere>()};
  const auto x = ts::arange<double>(0, 10, 1, {.chunks = {4}, .spec = spec});
  const double there = 1;
  const auto f = [&there](double v) { return v + there; };
  EXPECT_THROW((void)ts::plan(ts::map(f, x), settings), ts::value_error);
  const auto store = std::make_shared<ts::memory_store>();
  EXPECT_THROW((void)ts::plan(ts::stored(x, store, "x"), settings), ts::value_error);
}

}  // namespace
