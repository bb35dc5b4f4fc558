// SPDX-License-Identifier: Apache-2.0
/// \file
/// An operation has one label: in the plan's table, its explanation, the history and the errors.

#include "tessera/observe/history.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

namespace ts = tessera;

class Labels : public ::testing::Test {
 protected:
  /// Expects that a run of `expressions` names the operations of their plan.
  template <class... Es>
  void expect_labels_of_plan(const Es&... expressions) {
    const auto past = std::make_shared<ts::history>();
    const ts::plan plan(ts::pass_switches{},
                        ts::run_with{.executor = ts::executors::serial(),
                                     .resume = ts::resume_mode::never,
                                     .observers = {past}},
                        expressions...);
    std::multiset<std::string> explained;
    for (const auto& operation : plan.explain().operations) {
      ASSERT_EQ(operation.count, 1U);
      explained.insert(operation.label);
    }
    (void)plan.compute();
    std::multiset<std::string> recorded;
    for (const auto& operation : past->operations()) recorded.insert(operation.name);
    EXPECT_EQ(recorded, explained);
    std::ostringstream table;
    table << plan;
    for (const std::string& label : recorded) {
      EXPECT_NE(table.str().find(label), std::string::npos) << label << '\n' << table.str();
    }
  }

  ts::test::scratch_directory folder_;
  ts::spec limits_{.work_dir = folder_ / "work"};
};

TEST_F(Labels, AreEqualInPlanAndHistory) {
  const auto u = ts::random::normal<double>({90, 40}, {.chunks = {20, 40}, .spec = limits_});
  const auto v = ts::random::normal<double>({90, 40}, {.chunks = {20, 40}, .spec = limits_});
  expect_labels_of_plan(u - ts::mean(u, ts::axis<0>));
  expect_labels_of_plan(ts::mean(u * v, ts::axis<0>), ts::stddev(v), ts::sum(u, ts::axis<1>));
  expect_labels_of_plan(ts::matmul(u, ts::permute_dims(v, ts::axis<1, 0>)) + 1.0);
  expect_labels_of_plan(ts::cumulative_sum(u, ts::axis<0>), ts::diff(v, ts::axis<0>));
  expect_labels_of_plan(ts::sort(u, ts::axis<1>), ts::rechunk(v, {90, 10}));
}

struct refusing {
  double operator()(double x) const {
    if (x > 2) throw std::runtime_error("too large");
    return x;
  }
};

TEST_F(Labels, AreThoseOfErrors) {
  const auto x = ts::arange<double>(10, {.chunks = {5}, .spec = limits_});
  const ts::plan plan(ts::pass_switches{}, ts::run_with{.executor = ts::executors::serial()},
                      ts::map(refusing{}, x));
  const std::string label = plan.explain().operations.at(0).label;
  try {
    (void)plan.compute();
    FAIL() << "no element was refused";
  } catch (const ts::task_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("operation \"" + label + "\""), std::string::npos)
        << failure.what();
  }
}

}  // namespace
