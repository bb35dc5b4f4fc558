// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tasks that go along kept axes sweep by sweep: here they are told to, whatever a plan would
/// choose.

#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"

#include "plan/plan_file.hpp"
#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using ::testing::HasSubstr;
using ts::testing::temporary_directory;

constexpr ts::index_t rows = 11;
constexpr ts::index_t columns = 9;

using changes = std::vector<std::pair<std::string, std::string>>;

/// A stored array of `rows` by `columns` in chunks of 3 by 4, with the element 100 i + j at (i, j).
class OrderedWalk : public ::testing::Test {
 protected:
  OrderedWalk() {
    std::vector<double> elements;
    for (ts::index_t i = 0; i < rows; ++i) {
      for (ts::index_t j = 0; j < columns; ++j)
        elements.push_back(static_cast<double>(100 * i + j));
    }
    ts::store(ts::from_memory<double, 2>(elements.data(), {rows, columns}, {.chunks = {3, 4}}),
              folder_ / "x.zarr");
  }

  [[nodiscard]] auto open() const { return ts::open<double, 2>(folder_ / "x.zarr"); }

  /// Saves a plan and loads it again with the text of one operation changed.
  template <class Plan>
  [[nodiscard]] ts::plan<> changed(const Plan& plan, const changes& edits) const {
    plan.save(folder_ / "plan");
    const ts::plan_file file = ts::read_plan_file(folder_ / "plan");
    std::string text(file.text);
    for (const auto& [from, to] : edits) {
      const std::size_t at = text.find(from);
      if (at == std::string::npos) throw ts::value_error(from + " is not in " + text);
      text.replace(at, from.size(), to);
    }
    ts::write_plan_file(folder_ / "changed", text, file.elements.bytes.size(),
                        [&](const auto& sink) { sink(file.elements.bytes); });
    return ts::plan<>::load(folder_ / "changed");
  }

  temporary_directory folder_;
};

TEST_F(OrderedWalk, OfAMapHandsOnEachLeg) {
  const auto plan = ts::plan(ts::stored(2 * open() + 1, folder_ / "y.zarr"));
  const ts::plan<> in_order = changed(
      plan, {{R"("block":[3,4])", R"("block":[11,4])"}, {R"("ordered":0)", R"("ordered":1)"}});
  EXPECT_EQ(plan.num_tasks(), 12);
  EXPECT_EQ(in_order.num_tasks(), 3);
  EXPECT_EQ(in_order.projected_memory(), plan.projected_memory());
  EXPECT_EQ(in_order.bytes_read(), plan.bytes_read());
  in_order.execute();
  const auto doubled = ts::open<double, 2>(folder_ / "y.zarr").compute();
  for (ts::index_t i = 0; i < rows; ++i) {
    for (ts::index_t j = 0; j < columns; ++j) {
      EXPECT_EQ(doubled(i, j), 2 * static_cast<double>(100 * i + j) + 1);
    }
  }
}

TEST_F(OrderedWalk, StartsTheStatesOfAFoldInEachLeg) {
  const auto x = open();
  const auto plan = ts::plan(ts::stored(ts::sum(x, ts::axis<1>), folder_ / "sum.zarr"),
                             ts::stored(ts::max(x, ts::axis<1>), folder_ / "max.zarr"));
  const ts::plan<> in_order = changed(
      plan, {{R"("block":[3,9])", R"("block":[6,9])"}, {R"("ordered":0)", R"("ordered":1)"}});
  EXPECT_EQ(plan.num_tasks(), 4);
  EXPECT_EQ(in_order.num_tasks(), 2);
  EXPECT_EQ(in_order.projected_memory(), plan.projected_memory());
  in_order.execute();
  const auto sum = ts::open<double, 1>(folder_ / "sum.zarr").compute();
  const auto max = ts::open<double, 1>(folder_ / "max.zarr").compute();
  for (ts::index_t i = 0; i < rows; ++i) {
    EXPECT_EQ(sum(i), static_cast<double>(900 * i + 36));
    EXPECT_EQ(max(i), static_cast<double>(100 * i + 8));
  }
}

TEST_F(OrderedWalk, KeepsWhatSeveralLegsRead) {
  // The row is read with the first sweep, and all later sweeps have it, also behind a fold's
  // finish.
  const auto x = open();
  const auto row = x(0, ts::ellipsis);
  const auto plan = ts::plan(ts::stored(ts::sum(x * row, ts::axis<1>), folder_ / "sum.zarr"));
  const ts::plan<> in_order = changed(
      plan, {{R"("block":[3,9])", R"("block":[12,9])"}, {R"("ordered":0)", R"("ordered":1)"}});
  in_order.execute();
  const auto sum = ts::open<double, 1>(folder_ / "sum.zarr").compute();
  for (ts::index_t i = 0; i < rows; ++i) EXPECT_EQ(sum(i), static_cast<double>(3600 * i + 204));
}

TEST_F(OrderedWalk, GoesAlongKeptAxesOnly) {
  const auto refusal_of = [&](const auto& plan) -> std::string {
    try {
      (void)changed(plan, {{R"("ordered":0)", R"("ordered":2)"}});
    } catch (const ts::value_error& e) {
      return e.what();
    }
    return "no value_error";
  };
  const auto x = open();
  EXPECT_THAT(refusal_of(ts::plan(ts::sum(x, ts::axis<1>))),
              HasSubstr("'sum' breaks the rule that only kept axes are ordered"));
  EXPECT_THAT(refusal_of(ts::plan(ts::matmul(x, ts::permute_dims(x, ts::axis<1, 0>)))),
              HasSubstr("breaks the rule that only kept axes are ordered"));
}

// A transform writes its block at each call.
TEST_F(OrderedWalk, TakesNoBlockOfAKernelInSteps) {
  const auto plan = ts::plan(ts::fft(open(), ts::axis<1>));
  EXPECT_THAT(ts::testing::message_of<ts::value_error>([&] {
                (void)changed(plan, {{R"("step":[3,9])", R"("step":[1,9])"}});
              }),
              HasSubstr("a call of a kernel has all of its block but along streamed axes"));
}

}  // namespace
