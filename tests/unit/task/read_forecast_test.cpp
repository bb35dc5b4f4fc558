// SPDX-License-Identifier: Apache-2.0
/// \file
/// Forecasts of reads against the keys that a store is really asked for.

#include "task/read_forecast.hpp"

#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/map_blocks.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/memory_store.hpp"

#include "task/live_array.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using keys = std::vector<std::string>;

/// A store that logs the keys of the chunks that are read.
class logging_store final : public key_value_store {
 public:
  mutable keys log;

  std::string name() const override { return "logging"; }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    log.emplace_back(key);
    return inner_.read(key, into);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    return inner_.read_all(key, limit);
  }
  std::optional<std::size_t> size(std::string_view key) const override { return inner_.size(key); }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  std::vector<std::string> list(std::string_view folder) const override {
    return inner_.list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_.list_folder(folder);
  }

 private:
  memory_store inner_;
};

/// The array "x" of 24 x 20 elements in chunks of 4 x 5; y, of 5 x 20, is beside it.
class ReadForecast : public ::testing::Test {
 protected:
  ReadForecast() {
    store(reshape(arange(0.0, 480.0, 1.0), {24, 20}), store_, "x", {.chunks = {4, 5}}, on_one_);
    store(reshape(arange(0.0, 100.0, 1.0), {5, 20}), store_, "y", {.chunks = {5, 5}}, on_one_);
  }

  [[nodiscard]] array<double, 2> x() const { return open<double, 2>(store_, "x"); }
  [[nodiscard]] array<double, 2> y() const { return open<double, 2>(store_, "y"); }

  /// Returns the chunks that the forecasts of a plan tell, task by task.
  static keys forecast_of(const bounded_plan& plan) {
    keys told;
    for (const planned_operation& planned : plan.inside().operations) {
      for (index_t block = 0; block < planned.op.schedule.blocks().size(); ++block) {
        for (std::size_t i = 0; i < planned.windows.size(); ++i) {
          add_reads(told, plan, planned, i, planned.op.schedule.block_box(block));
        }
      }
    }
    return told;
  }

  static void add_reads(keys& told, const bounded_plan& plan, const planned_operation& planned,
                        std::size_t window, const region& task) {
    const planned_window& plan_of_window = planned.windows[window];
    const planned_array& read =
        plan.inside().arrays[planned.inputs[plan_of_window.operands[0]].array];
    live_array live;
    live.planned = &read;
    live.source = std::get<stored_source>(read.placement).array;
    read_forecast forecast(planned, window, window_reads(planned, plan_of_window, live), task);
    ASSERT_TRUE(forecast.is_known());
    while (const auto next = forecast.next()) {
      region chunks = live.source->read_grid().chunks_touching(next->box);
      if (next->is_chunk) {
        chunks = next->box;
        for (index_t& stop : chunks.stop) ++stop;
      }
      for_each_box(chunks, index_vector(chunks.rank(), 1), [&](const region& chunk) {
        const std::string name = live.source->name();
        told.push_back(fmt::format("{}/{}.{}", name.substr(name.rfind('/') + 1), chunk.start[0],
                                   chunk.start[1]));
      });
    }
  }

  /// Computes `expression`, and compares the reads with the forecast, in order.
  template <class E>
  void expect_told(const E& expression) {
    const auto planned = plan(expression, on_one_);
    store_->log.clear();
    keys told = forecast_of(planned.bounded());
    static_cast<void>(planned.compute(on_one_));
    EXPECT_FALSE(store_->log.empty());
    // The reads of several windows alternate.
    const auto& operations = planned.bounded().inside().operations;
    const bool is_in_order = std::ranges::all_of(
        operations, [](const auto& planned_op) { return planned_op.windows.size() < 2; });
    if (!is_in_order) std::ranges::sort(told);
    if (!is_in_order) std::ranges::sort(store_->log);
    EXPECT_EQ(told, store_->log) << planned.bounded().to_string();
  }

  std::shared_ptr<logging_store> store_ = std::make_shared<logging_store>();
  run_with on_one_{.executor = executors::serial()};
};

TEST_F(ReadForecast, TellsTheReadsOfMaps) { expect_told(sqrt(x())); }

TEST_F(ReadForecast, TellsTheReadsOfFolds) {
  expect_told(sum(x()));
  expect_told(mean(x(), axis<0>));
  expect_told(max(x(), axis<1>));
}

TEST_F(ReadForecast, TellsTheReadsOfParts) {
  expect_told(sum(x()(slice(3, 22), slice(1, 18))));
  expect_told(x()(slice(2, none, 3), slice(none, none, -1)) + 1.0);
}

TEST_F(ReadForecast, TellsTheReadsOfOverlappingViews) {
  const auto before = x()(slice(0, 22), slice(none));
  const auto behind = x()(slice(2, 24), slice(none));
  expect_told(behind - before);
  expect_told(sum(behind * before));
}

TEST_F(ReadForecast, TellsTheReadsOfBlocks) {
  expect_told(sort(x(), axis<0>));
  expect_told(matmul(y(), matrix_transpose(x())));
}

// Maps and products are stages before the function that takes their blocks.
TEST_F(ReadForecast, TellsTheReadsOfStagesInSteps) {
  expect_told(sort(2.0 * x() + 1.0, axis<0>));
  expect_told(matmul(y() + 1.0, matrix_transpose(x()) * 2.0));
  expect_told(sum(matmul(y(), matrix_transpose(x())), axis<1>));
  expect_told(sort(concat({x(), y()}, axis<0>), axis<1>));
}

// Elements around a block are read for it.
TEST_F(ReadForecast, TellsTheReadsOfHalos) {
  const auto around = [](const block_view<const double, 2>& in, const block_view<double, 2>& out) {
    for (index_t i = 0; i < out.shape()[0]; ++i) {
      for (index_t j = 0; j < out.shape()[1]; ++j) out(i, j) = in(i, j) + in(i + 2, j);
    }
  };
  expect_told(map_overlap<double>(around, sqrt(x()), {.depth = {{1, 1}, {0, 0}}}));
}

TEST_F(ReadForecast, TellsTheReadsOfPieces) { expect_told(sum(concat({x(), y()}, axis<0>))); }

}  // namespace
}  // namespace tessera
