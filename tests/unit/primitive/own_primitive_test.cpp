// SPDX-License-Identifier: Apache-2.0
/// \file
/// A primitive that the library does not know: a running maximum along the first axis of each
/// block.

#include "tessera/lower/lower.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/tessera.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "task/api/target.hpp"
#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;

using testing::temporary_directory;

constexpr auto own_kind = "test.running_maximum";
/// Its fields may have any names, also the names of a plan file's fields of operations.
const std::string own_json = R"({"json":2,"kind":"own","name":"of its own"})";

/// The blocks that may be made before one fails, and how many were made.
std::atomic<int> blocks_until_failure{std::numeric_limits<int>::max()};
std::atomic<int> blocks_made{0};

class running_maximum final : public primitive {
 public:
  [[nodiscard]] std::string_view kind() const override { return own_kind; }
  [[nodiscard]] std::string to_json() const override { return own_json; }
  [[nodiscard]] bool equals(const primitive&) const override { return true; }
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override {
    return kept_axes(schedule, {dtype::float64});
  }
  void check(const operation_rules& rules) const override {
    rules.require(rules.schedule().rank() == 2 && rules.types() == std::vector{dtype::float64},
                  "a running maximum is of a matrix of float64");
    rules.check_images();
  }
  [[nodiscard]] task_demand demand(const loop_schedule&, std::size_t) const override {
    task_demand needs;
    needs.operands.push_back({.is_used = true, .used = {0, 1}, .read = {0, 0}, .is_whole = true});
    needs.outputs.push_back({{1, 2}});
    return needs;
  }
  void run(task_blocks& blocks, const region& box) const override {
    if (blocks_made++ >= blocks_until_failure) throw store_error("the disk is full");
    const block_operand& from = blocks.operand(0, box);
    const block_result to = blocks.result(0, box);
    const index_vector extents = box.shape();
    for (index_t column = 0; column < extents[1]; ++column) {
      double greatest = -std::numeric_limits<double>::infinity();
      for (index_t row = 0; row < extents[0]; ++row) {
        double value = 0;
        std::memcpy(&value, from.data + row * from.strides[0] + column * from.strides[1],
                    sizeof value);
        greatest = std::max(greatest, value);
        std::memcpy(to.data + row * to.strides[0] + column * to.strides[1], &greatest,
                    sizeof greatest);
      }
    }
  }
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule&,
                                     const operand_words& words) const override {
    const std::string formula = operation + "(" + words.names[0] + ")";
    return {{formula}, formula};
  }
};

const bool is_known = register_primitive(own_kind, [](const std::string& json) {
  EXPECT_EQ(json, own_json);
  return std::make_shared<const running_maximum>();
});

constexpr index_t rows = 12;
constexpr index_t columns = 10;
const index_vector chunks{4, 5};

/// Element (i, j) of the input.
double element(index_t i, index_t j) { return static_cast<double>((7 * i + 3 * j) % 11); }

/// Returns the array that `running_maximum` makes of `x`.
array_handle running_maximum_of(const array_handle& x) {
  operation op;
  op.name = "running_maximum";
  op.schedule = {x->shape, x->chunks, x->chunks};
  op.operands = {index_map::identity(2)};
  op.primitive = std::make_shared<const running_maximum>();
  op.outputs = op.primitive->outputs(op.schedule);
  return std::make_shared<const array_node>(array_node{
      dtype::float64, x->shape, x->chunks, "running_maximum",
      computed_source{std::make_shared<const operation_node>(operation_node{op, {x}}), 0}});
}

class OwnPrimitive : public ::testing::Test {
 protected:
  void SetUp() override {
    blocks_until_failure = std::numeric_limits<int>::max();
    ndarray<double, 2> values(std::array{rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    store(values, input_, {.chunks = {chunks[0], chunks[1]}});
    blocks_made = 0;
  }

  [[nodiscard]] spec limits() const {
    spec settings;
    settings.work_dir = directory_ / "work";
    return settings;
  }

  /// Returns a plan, for `engine`, that stores the running maximum of twice the input.
  [[nodiscard]] bounded_plan plan_for(const executor& engine) const {
    const auto twice = open<double, 2>(input_) * 2.0;
    return bounded_plan({{running_maximum_of(computed(lower(twice, chunks))), destination()}},
                        limits(), {.memory_tier = engine.traits().shares_memory},
                        workers_of(engine));
  }

  void run_on(const std::shared_ptr<executor>& engine) const {
    run(plan_for(*engine), {.executor = engine});
  }

  [[nodiscard]] std::shared_ptr<const array_destination> destination() const {
    zarr_destination to;
    const zarr_location where = locate(output_);
    to.store = where.store;
    to.path = where.path;
    to.metadata.shape = {rows, columns};
    to.metadata.chunks = chunks;
    to.metadata.dtype = dtype::float64;
    return as_destination(std::move(to));
  }

  void expect_result() const {
    const auto result = open<double, 2>(output_).compute();
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) {
        double greatest = 0;
        for (index_t k = i / chunks[0] * chunks[0]; k <= i; ++k) {
          greatest = std::max(greatest, 2 * element(k, j));
        }
        EXPECT_EQ(result(i, j), greatest) << i << ", " << j;
      }
    }
  }

  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  std::string output_ = directory_ / "output.zarr";
};

TEST_F(OwnPrimitive, RunsOnThreads) {
  run_on(executors::threads(3));
  expect_result();
  EXPECT_EQ(blocks_made, 6);
}

TEST_F(OwnPrimitive, RunsOnProcesses) {
  run_on(executors::processes(2));
  expect_result();
  EXPECT_EQ(blocks_made, 0) << "in this process";
}

// Blocks of all rows would read each chunk once.
TEST_F(OwnPrimitive, KeepsItsBlocksWhereLargerOnesWouldReadLess) {
  store(open<double, 2>(input_), directory_ / "tall.zarr", {.chunks = {6, 5}});
  input_ = directory_ / "tall.zarr";
  run_on(executors::serial());
  expect_result();
}

TEST_F(OwnPrimitive, IsPrintedByItsDescription) {
  EXPECT_THAT(plan_for(*executors::serial()).to_string(), HasSubstr("running_maximum("));
}

TEST_F(OwnPrimitive, IsReadByOperationsOfTheLibrary) {
  const auto twice = open<double, 2>(input_) * 2.0;
  array_handle node = running_maximum_of(computed(lower(twice, chunks)));
  const array_layout layout{node->shape, node->chunks, nullptr};
  const array<double, 2> greatest(whole_of(std::move(node)), layout);
  const auto total = sum(greatest, axis<1>).compute();
  for (index_t i = 0; i < rows; ++i) {
    double expected = 0;
    for (index_t j = 0; j < columns; ++j) {
      double most = 0;
      for (index_t k = i / chunks[0] * chunks[0]; k <= i; ++k) {
        most = std::max(most, 2 * element(k, j));
      }
      expected += most;
    }
    EXPECT_EQ(total(i), expected) << i;
  }
}

TEST_F(OwnPrimitive, IsSavedAndLoaded) {
  const std::string file = directory_ / "plan";
  const auto engine = executors::threads(2);
  const bounded_plan plan = plan_for(*engine);
  plan.save(file);
  const bounded_plan loaded = bounded_plan::load(file);
  EXPECT_EQ(loaded.identity(), plan.identity());
  EXPECT_EQ(loaded.to_string(), plan.to_string());
  run(loaded, {.executor = engine});
  expect_result();
}

TEST_F(OwnPrimitive, ThatIsUsedAgainstItsRulesIsRefused) {
  const auto matrix = open<double, 2>(input_);
  operation op;
  op.name = "running_maximum";
  const array_handle x = computed(lower(sum(matrix, axis<0>), {5}));
  op.schedule = {x->shape, x->chunks, x->chunks};
  op.operands = {index_map::identity(1)};
  op.primitive = std::make_shared<const running_maximum>();
  op.outputs = op.primitive->outputs(op.schedule);
  const array_handle wrong = std::make_shared<const array_node>(array_node{
      dtype::float64, x->shape, x->chunks, "wrong",
      computed_source{std::make_shared<const operation_node>(operation_node{op, {x}}), 0}});
  EXPECT_THAT(testing::message_of<value_error>(
                  [&] { static_cast<void>(bounded_plan({{wrong}}, limits())); }),
              HasSubstr("a running maximum is of a matrix of float64"));
}

TEST_F(OwnPrimitive, IsContinuedWhereARunHasFailed) {
  blocks_until_failure = 4;
  EXPECT_THROW(run_on(executors::serial()), task_error);
  blocks_until_failure = std::numeric_limits<int>::max();
  blocks_made = 0;
  run_on(executors::serial());
  EXPECT_EQ(blocks_made, 2) << "of six blocks four were there";
  expect_result();
}

}  // namespace
}  // namespace tessera
