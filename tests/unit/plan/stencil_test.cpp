// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

/// A periodic heat equation on a stored square: u + 0.25 times the sum of differences to the four
/// neighbours.
class PeriodicHeat : public ::testing::Test {
 protected:
  static constexpr index_t extent = 64;

  PeriodicHeat() {
    for (index_t i = 0; i < extent * extent; ++i) {
      values_.push_back(static_cast<double>(i * 37 % 101));
    }
    ts::store(ts::asarray(ts::ndarray<double, 2>({extent, extent}, values_), {.chunks = {16, 16}}),
              store_, "u", {.compressor = ts::codec::none{}});
  }

  [[nodiscard]] ts::array<double, 2> steps(int count, const ts::spec& limits) const {
    ts::array<double, 2> u = ts::open<double, 2>(store_, "u", limits);
    for (int step = 0; step < count; ++step) {
      u = u + 0.25 * (ts::roll(u, 1, ts::axis<0>) + ts::roll(u, -1, ts::axis<0>) +
                      ts::roll(u, 1, ts::axis<1>) + ts::roll(u, -1, ts::axis<1>) - 4.0 * u);
    }
    return u;
  }

  /// The same by plain loops.
  [[nodiscard]] std::vector<double> expected(int count) const {
    std::vector<double> u = values_;
    const auto at = [&u](index_t i, index_t j) {
      return u[static_cast<std::size_t>((i + extent) % extent * extent + (j + extent) % extent)];
    };
    for (int step = 0; step < count; ++step) {
      std::vector<double> next;
      for (index_t i = 0; i < extent; ++i) {
        for (index_t j = 0; j < extent; ++j) {
          next.push_back(at(i, j) + 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) +
                                            at(i, j + 1) - 4 * at(i, j)));
        }
      }
      u = std::move(next);
    }
    return u;
  }

  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
  std::vector<double> values_;
};

TEST_F(PeriodicHeat, IsWhatLoopsCompute) {
  for (const int count : {1, 2, 3, 5}) {
    const auto computed = steps(count, {.allowed_memory = 400_kB}).compute();
    const std::vector<double> wanted = expected(count);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(computed.span()[i], wanted[i], 1e-10) << count << " steps, element " << i;
    }
  }
}

// Step by step, it would be read ten times and more.
TEST_F(PeriodicHeat, ReadsItsInputAFewTimesInTenSteps) {
  const auto plan = ts::plan(ts::stored(steps(10, {.allowed_memory = 400_kB}), store_, "v"));
  const ts::bytes size{extent * extent * sizeof(double)};
  std::size_t read = 0;
  for (const ts::planned_operation& op : plan.bounded().inside().operations) {
    for (const ts::planned_window& window : op.windows) {
      const std::size_t array = op.inputs[window.operands.front()].array;
      if (plan.bounded().inside().arrays[array].name == "u") read += window.bytes_read.count();
    }
  }
  EXPECT_LE(read, 4 * size.count());
  EXPECT_GE(read, size.count());
}

// Pieces at the borders read other elements with the same program.
TEST_F(PeriodicHeat, HasOneProgramForAllPieces) {
  const auto plan = ts::plan(ts::stored(steps(2, {.allowed_memory = 400_kB}), store_, "v"));
  std::size_t most_pieces = 0;
  for (const ts::planned_operation& planned : plan.bounded().inside().operations) {
    const ts::piece_list* const pieces = planned.op.primitive->as_elementwise();
    if (pieces == nullptr) continue;
    most_pieces = std::max(most_pieces, pieces->size());
    for (const ts::piece& part : *pieces) {
      EXPECT_EQ(part.program.get(), pieces->front().program.get());
    }
    const std::string text = planned.op.primitive->to_json();
    EXPECT_EQ(text.find("\"program\""), text.rfind("\"program\""));
  }
  EXPECT_GE(most_pieces, 9U);
}

// Each has pieces of its own: rows below the first, and the first; rows above the last, and it.
TEST_F(PeriodicHeat, StepsOfCoupledFieldsAreOneOperation) {
  ts::store(ts::open<double, 2>(store_, "u") * 3.0, store_, "w", {.compressor = ts::codec::none{}});
  const auto u = ts::open<double, 2>(store_, "u");
  const auto w = ts::open<double, 2>(store_, "w");
  const ts::plan plan(u + ts::roll(w, 1, ts::axis<0>), w - ts::roll(u, -1, ts::axis<0>));
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto [sums, differences] = plan.compute();
  const auto at = [this](index_t i, index_t j) {
    return values_[static_cast<std::size_t>((i + extent) % extent * extent + j)];
  };
  for (index_t i = 0; i < extent; ++i) {
    for (index_t j = 0; j < extent; ++j) {
      ASSERT_EQ(sums(i, j), at(i, j) + 3 * at(i - 1, j));
      ASSERT_EQ(differences(i, j), 3 * at(i, j) - at(i + 1, j));
    }
  }
}

TEST_F(PeriodicHeat, IsPlannedWithPricesInProportionToItsSteps) {
  const auto priced = [this](int count) {
    const auto plan = ts::plan(ts::stored(steps(count, {.allowed_memory = 400_kB}), store_, "v"));
    return plan.bounded().inside().graph->graph[boost::graph_bundle].priced_operands;
  };
  EXPECT_LE(priced(40), 100'000U + 400U * 1000U);
  EXPECT_LE(priced(40), 3 * priced(20));
}

}  // namespace
