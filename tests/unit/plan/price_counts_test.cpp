// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of prices of a plan grows no faster than the number of its operations.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

using matrix = ts::array<double, 2>;
using matrices = std::vector<matrix>;

/// Returns a stored matrix without chunks.
matrix stored(const std::string& name = "x") {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, name, {.shape = {1000, 1000}, .chunks = {250, 300}, .dtype = ts::dtype::float64});
  return ts::open<double, 2>(store, name);
}

/// Returns `step` applied `count` times to a stored matrix.
template <class Step>
matrices loop(int count, Step step) {
  matrix x = stored();
  for (int i = 0; i < count; ++i) x = step(x);
  return {x};
}

matrices chain(int count) {
  const matrix y = ts::cumulative_sum(stored("y"), ts::axis<0>);
  return loop(count, [&](const matrix& x) { return x * 2.0 + y; });
}

matrices fan(int count) {
  matrices sums;
  for (int i = 0; i < count; ++i) {
    sums.emplace_back(ts::sum(stored("x" + std::to_string(i)), ts::axis<0>, ts::keepdims));
  }
  return sums;
}

matrices slices(int count) {
  const matrix x = stored();
  matrices sums;
  for (int i = 0; i < count; ++i) {
    sums.emplace_back(ts::sum(x(ts::slice(i % 900, i % 900 + 100)), ts::axis<1>, ts::keepdims));
  }
  return sums;
}

matrices anomalies(int count) {
  return loop(count / 2,
              [](const matrix& x) { return x - ts::mean(x, ts::axis<0>, ts::keepdims); });
}

matrices stencil(int count) {
  return loop(count / 4, [](const matrix& x) {
    return x + ts::roll(x, 1, ts::axis<0>) - ts::roll(x, -1, ts::axis<1>);
  });
}

matrices differences(int count) {
  return loop(count, [](const matrix& x) {
    return ts::pad(ts::diff(x, ts::axis<0>), {{1, 0}, {0, 0}}, ts::boundary::edge);
  });
}

matrices lines(int count) {
  return loop(count / 2, [](const matrix& x) {
    return ts::sort(ts::cumulative_sum(x, ts::axis<1>), ts::axis<0>);
  });
}

matrices products(int count) {
  return loop(count / 2,
              [](const matrix& x) { return ts::matmul(ts::matrix_transpose(x), x) / 2.0; });
}

matrices gathers(int count) {
  const std::vector<std::int64_t> rows(1000, 7);
  return loop(count / 2, [&](const matrix& x) {
    return ts::cumulative_sum(ts::take(x, ts::asarray(rows), ts::axis<0>), ts::axis<1>);
  });
}

struct program {
  const char* name;
  matrices (*make)(int count);
};

std::ostream& operator<<(std::ostream& out, const program& shown) { return out << shown.name; }

class PriceCounts : public testing::TestWithParam<program> {
 protected:
  /// Returns the operands that were priced for a plan of about `count` operations.
  static std::size_t priced(int count) {
    const ts::plan plan(GetParam().make(count));
    return plan.bounded().inside().graph->graph[boost::graph_bundle].priced_operands;
  }
};

TEST_P(PriceCounts, GrowWithTheNumberOfOperations) {
  const std::size_t few = priced(250);
  const std::size_t many = priced(1000);
  RecordProperty("priced for 250 operations", std::to_string(few));
  RecordProperty("priced for 1000 operations", std::to_string(many));
  EXPECT_LE(many, 5 * few);
  EXPECT_LE(many, 400'000U);
}

// Joint views of rolled and reversed matrices: each attempt prices some 10^5 operands.
TEST(SearchOfPlans, EndsWhenItsAttemptsHavePricedTooManyOperands) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "x",
      {.shape = {200'000, 100'000}, .chunks = {1000, 1000}, .dtype = ts::dtype::float64});
  matrices steps{ts::open<double, 2>(store, "x") + 1.0};
  for (int i = 0; i < 120; ++i) {
    const matrix x = steps.back();
    const matrix earlier = steps[steps.size() / 2];
    const auto next = [&]() -> matrix {
      if (i % 6 == 0) return x - ts::mean(earlier, ts::axis<1>, ts::keepdims);
      if (i % 6 == 1) return ts::flip(x, ts::axis<0>) + earlier;
      if (i % 6 == 2) return ts::where(x > earlier, x, earlier * 2.0);
      if (i % 6 == 3) return ts::roll(x, 100, ts::axis<1>);
      return ts::sqrt(x * earlier);
    };
    steps.push_back(next());
  }
  const matrix& middle = steps[steps.size() / 2];
  const auto told =
      ts::plan(ts::stored(steps.back(), store, "y"), ts::sum(middle, ts::axis<0>)).explain();
  const auto& last = told.attempts.back();
  EXPECT_FALSE(last.is_chosen);
  EXPECT_EQ(last.passes, "all others");
  EXPECT_EQ(last.why_lost, "the search ended, as it had priced 20,000,000 pairs of operands");
}

INSTANTIATE_TEST_SUITE_P(Programs, PriceCounts,
                         testing::Values(program{"chain", chain}, program{"fan", fan},
                                         program{"slices", slices}, program{"anomalies", anomalies},
                                         program{"stencil", stencil},
                                         program{"differences", differences},
                                         program{"lines", lines}, program{"products", products},
                                         program{"gathers", gathers}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
