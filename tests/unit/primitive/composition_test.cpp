// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compositions: results, memory and rules of lists of stages.

#include "primitive/composition/composition.hpp"

#include "tessera/core/error.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/strip_program.hpp"

#include "core/api/gather.hpp"
#include "primitive/api/build.hpp"
#include "primitive/api/strips.hpp"
#include "unit/primitive/memory_task.hpp"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;

using testing::columns;
using testing::copy_map;
using testing::memory_task;
using testing::rows;

loop_schedule schedule_of_blocks(index_t block, index_t step) {
  loop_schedule schedule{{rows, columns}, {block, columns}, {step, columns}};
  if (step < block) schedule.ordered.set(0);
  return schedule;
}

/// Returns the map of a matrix to itself, and every second row of the result.
std::vector<stage> rows_and_second_rows() {
  const index_map second_rows(2, {axis_map(0, 0, 2), axis_map(1, 0, 1)});
  stage first{.op = copy_map({rows, columns}), .inputs = {stage_input{}}, .is_emitted = true};
  stage second{
      .op = copy_map({rows / 2, columns}),
      .inputs = {stage_input{0, 0, second_rows}},
      .frame = std::vector<output_axis>{{.axis = 0, .length = rows / 2, .step = 2}, {.axis = 1}},
      .at = task_scope::sweep,
      .is_emitted = true};
  return {std::move(first), std::move(second)};
}

/// Expects the elements of the matrix, and those of every second row.
void expect_rows_and_second_rows(const memory_task& task) {
  ASSERT_EQ(task.results.size(), 2U);
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      const auto element = static_cast<double>(i * columns + j);
      EXPECT_EQ(task.results[0][static_cast<std::size_t>(i * columns + j)], element);
      if (i % 2 > 0) continue;
      EXPECT_EQ(task.results[1][static_cast<std::size_t>(i / 2 * columns + j)], element);
    }
  }
}

// Tasks of one schedule share a layout; the next schedule has another one.
TEST(Compositions, ComputeEachStageInEachSweepOfAnySchedule) {
  const composition op(rows_and_second_rows());
  for (const index_t step : {4, 4, 2, 8, 4}) {
    memory_task task(op, schedule_of_blocks(rows, step));
    op.run(task, region::whole(index_vector{rows, columns}));
    EXPECT_EQ(task.num_sweeps, rows / step);
    expect_rows_and_second_rows(task);
  }
}

std::string refusal_of(std::vector<stage> stages,
                       const loop_schedule& schedule = schedule_of_blocks(rows, 4)) {
  const std::vector<index_map> maps{index_map::identity(2)};
  const std::string name = "an operation";
  try {
    composition(std::move(stages))
        .check({name, schedule, maps, {dtype::float64}, {{rows, columns}}});
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Compositions, KeepTheRulesOfStages) {
  EXPECT_EQ(refusal_of(rows_and_second_rows()), "");
  std::vector<stage> stages = rows_and_second_rows();
  stages[1].at = task_scope::task;
  EXPECT_THAT(refusal_of(stages), HasSubstr("is complete at the scope of the stage"));
  stages = rows_and_second_rows();
  stages[1].inputs[0].map = index_map(2, {axis_map(0, 2, 2), axis_map(1, 0, 1)});
  EXPECT_THAT(refusal_of(stages), HasSubstr("a map leads into the array"));
  stages[1].inputs[0].map = index_map(2, {axis_map(0, 0, 1), axis_map(1, 0, 1)});
  EXPECT_THAT(refusal_of(stages), HasSubstr("a stage reads elements that the task has computed"));
  stages = rows_and_second_rows();
  stages[1].frame = {{.axis = 7, .length = 4, .step = 2}, {.axis = 1}};
  EXPECT_THAT(refusal_of(stages), HasSubstr("an axis of a stage goes along one of the domain"));
  stages = rows_and_second_rows();
  stages[1].frame.reset();
  EXPECT_THAT(refusal_of(stages), HasSubstr("a stage in the steps of the operation is the first"));
  stages = rows_and_second_rows();
  stages[1].inputs[0].stage = 1;
  EXPECT_THAT(refusal_of(stages), HasSubstr("reads those of earlier stages"));
  stages = rows_and_second_rows();
  stages[0].is_emitted = stages[1].is_emitted = false;
  EXPECT_THAT(refusal_of(stages), HasSubstr("a stage is emitted"));
  EXPECT_THAT(refusal_of({}), HasSubstr("an operation has up to 128 stages"));
  EXPECT_THAT(refusal_of(rows_and_second_rows(), schedule_of_blocks(3, 3)),
              HasSubstr("no element of a stage is cut by blocks"));
}

TEST(Compositions, EqualTheirJson) {
  const composition op(rows_and_second_rows());
  EXPECT_TRUE(equal(op, *parse_primitive("stages", op.to_json())));
  std::vector<stage> others = rows_and_second_rows();
  others[1].is_emitted = false;
  EXPECT_FALSE(equal(op, composition(others)));
}

TEST(Compositions, KeepOutputsThatAreNotNeededInTheTask) {
  std::vector<stage> second_rows = rows_and_second_rows();
  second_rows[0].is_emitted = false;
  const primitive_handle op = composition(rows_and_second_rows()).with_outputs({false, true});
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(equal(*op, composition(second_rows)));
  EXPECT_EQ(composition(second_rows).with_outputs({true, true}), nullptr);
}

TEST(Compositions, WorkInPlaceIfOneMapReadsAnOutputOfItsType) {
  const loop_schedule schedule = schedule_of_blocks(rows, 4);
  const primitive_handle once =
      append_epilogue(copy_map({rows, columns}), 1, copy_map({rows, columns}), {0}, schedule);
  const primitive_handle twice = append_epilogue(once, 1, copy_map({rows, columns}), {0}, schedule);
  EXPECT_TRUE(twice->demand(schedule, 1).buffers.empty());
  // Every second row has other extents than the rows, so these need memory: 4 x 6 elements.
  std::vector<stage> stages = rows_and_second_rows();
  stages[0].is_emitted = false;
  const std::vector<buffer_demand> buffers = composition(stages).demand(schedule, 1).buffers;
  ASSERT_EQ(buffers.size(), 1U);
  EXPECT_EQ(buffers[0].size, 4 * columns * sizeof(double));
}

/// Returns the sum of each column, in steps of rows.
primitive_handle sum_of_columns() {
  fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
  sink.reduced.set(0);
  return fold_of(
      {region::whole(index_vector{rows, columns}), {0}, strip_program::copy(dtype::float64)},
      std::move(sink));
}

/// Returns the schedule of one step.
loop_schedule at_once(const index_vector& domain) { return {domain, domain, domain}; }

/// Returns the sum of each column of a copy of the matrix, seen through `view`.
primitive_handle sum_of_copy(const index_map& view, const std::vector<std::size_t>& axes) {
  const merged_producer producer{
      copy_map({rows, columns}), {{rows, columns}, {rows, columns}, {rows, columns}}, {0}, axes};
  index_vector domain{rows, columns};
  if (axes.front() == 2) domain.push_back(rows);
  return prepend_producer({sum_of_columns(), 2, at_once(domain), {std::nullopt}, {view}}, producer);
}

TEST(Compositions, ComputeAnOperandInEachStepOfAFold) {
  const primitive_handle op = sum_of_copy(index_map::identity(2), {0, 1});
  const loop_schedule schedule{{rows, columns}, {rows, columns}, {2, columns}};
  EXPECT_EQ(op->in_steps(schedule), axis_set(1));
  memory_task task(*op, schedule);
  op->run(task, region::whole(index_vector{rows, columns}));
  EXPECT_EQ(task.num_rows_read, 2);
  ASSERT_EQ(task.results.size(), 1U);
  for (index_t j = 0; j < columns; ++j) {
    const auto sum = static_cast<double>(columns * rows * (rows - 1) / 2 + rows * j);
    EXPECT_EQ(task.results[0][static_cast<std::size_t>(j)], sum) << j;
  }
}

// Rows in reverse order are another axis than that of the fold: it is private, and taken whole.
TEST(Compositions, TakeAPrivateAxisOfAProducerWhole) {
  const index_map reversed(2, {axis_map(0, rows - 1, -1), axis_map(1, 0, 1)});
  const primitive_handle op = sum_of_copy(reversed, {2, 1});
  EXPECT_TRUE(op->reduced()[2]);
  const index_vector domain{rows, columns, rows};
  const std::vector<index_map> maps{index_map(3, {axis_map(2, 0, 1), axis_map(1, 0, 1)})};
  const std::string name = "an operation";
  op->check(
      {name, {domain, domain, {2, columns, rows}}, maps, {dtype::float64}, {{rows, columns}}});
  EXPECT_THROW(
      op->check(
          {name, {domain, domain, {2, columns, 1}}, maps, {dtype::float64}, {{rows, columns}}}),
      value_error);
}

/// The matrix as one axis, with private axes of rows and columns.
const index_vector reshaped_domain{rows * columns, rows, columns};

/// Returns the sum of all elements of a copy of the matrix, which the fold sees as one axis: by
/// `factors`, the rows and columns are private axes.
primitive_handle sum_of_reshape(std::vector<gathered_axes> factors) {
  const merged_producer producer{
      copy_map({rows, columns}), {{rows, columns}, {rows, columns}, {rows, columns}}, {0}, {1, 2}};
  fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1}};
  sink.reduced.set(0);
  const index_vector extents{rows * columns};
  const primitive_handle fold =
      fold_of({region::whole(extents), {0}, strip_program::copy(dtype::float64)}, std::move(sink));
  const index_map flat(1, {axis_map(0, 0, 1)},
                       std::make_shared<const gather>(std::move(factors), index_map::identity(2)));
  return prepend_producer({fold, 1, at_once(reshaped_domain), {std::nullopt}, {flat}}, producer);
}

/// Returns the refusal of `op` in steps of `step`, or nothing.
std::string refusal_of_reshape(const primitive& op, const index_vector& step) {
  const std::vector<index_map> maps{index_map(3, {axis_map(1, 0, 1), axis_map(2, 0, 1)})};
  const std::string name = "an operation";
  try {
    op.check({name,
              {reshaped_domain, reshaped_domain, step},
              maps,
              {dtype::float64},
              {{rows, columns}}});
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "";
}

// The sum of 0 to 47.
TEST(Compositions, SeeAnOutputInAnotherShape) {
  const primitive_handle op = sum_of_reshape({{{rows * columns}, {rows, columns}}});
  EXPECT_EQ(refusal_of_reshape(*op, reshaped_domain), "");
  memory_task task(*op, {reshaped_domain, reshaped_domain, reshaped_domain}, {0, columns, 1});
  op->run(task, region::whole(reshaped_domain));
  ASSERT_EQ(task.results.size(), 1U);
  EXPECT_EQ(task.results[0], std::vector<double>{48 * 47 / 2});
  EXPECT_TRUE(equal(*op, *parse_primitive("stages", op->to_json())));
}

TEST(Compositions, SeeOutputsThatAStepHoldsInAnotherShape) {
  const primitive_handle op = sum_of_reshape({{{rows * columns}, {rows, columns}}});
  EXPECT_THAT(refusal_of_reshape(*op, {rows * columns, rows / 2, columns}),
              HasSubstr("a stage reads elements that the task has computed"));
  const auto in_turn = std::make_shared<const index_table>(std::vector<index_t>(48, 1));
  EXPECT_THAT(refusal_of_reshape(*sum_of_reshape({{{rows * columns}, {rows, columns}, in_turn}}),
                                 reshaped_domain),
              HasSubstr("numbers axes of an output anew"));
}

/// Returns a copy of the sums of columns, which `pieces` of two operands compute in each step, in
/// steps of two rows.
composition copy_of_sums(std::vector<piece> pieces) {
  fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
  sink.reduced.set(0);
  stage sums{.op = std::make_shared<const strips>(std::move(pieces),
                                                  std::vector<strip_sink>{std::move(sink)}),
             .inputs = {{.number = 0}, {.number = 1}},
             .frame = std::vector<output_axis>{{.axis = 1}, {.axis = 0}},
             .step = {2, columns}};
  stage copy{.op = copy_map({columns}),
             .inputs = {{0, 0, index_map::identity(1)}},
             .frame = std::vector<output_axis>{{.axis = 0}},
             .is_emitted = true};
  return composition({std::move(sums), std::move(copy)});
}

/// The columns, and the rows as a private axis.
const loop_schedule columns_of_sums{{columns, rows}, {columns, rows}, {columns, rows}};

// The sum reads operand 0, then operand 1, adds them, and goes on with the next two rows. Both
// operands stay until the last rows.
TEST(Compositions, KeepOperandsForTheLoopOfAStage) {
  const strip_program program = strip_program::copy(dtype::float64);
  const region matrix = region::whole(index_vector{rows, columns});
  const composition op = copy_of_sums({{matrix, {0}, program}});
  const std::vector<operand_demand> in_whole = op.demand(columns_of_sums, 2).operands;
  EXPECT_EQ(in_whole[0].used.first, 0U);
  EXPECT_EQ(in_whole[0].used.last, 1U);

  // The last steps of the loop read the second piece, and may come before steps of the first one.
  region upper = matrix;
  upper.stop[0] = rows / 2;
  region lower = matrix;
  lower.start[0] = rows / 2;
  const composition pieces = copy_of_sums({{upper, {0}, program}, {lower, {1}, program}});
  const std::vector<operand_demand> in_halves = pieces.demand(columns_of_sums, 2).operands;
  for (const operand_demand& operand : in_halves) {
    EXPECT_EQ(operand.used.first, 0U);
    EXPECT_EQ(operand.used.last, 3U);
  }
}

// Each step of two rows computes the sums of all rows. Maps may be computed as often as they like.
TEST(Compositions, CountTheRunsOfTheirProducers) {
  const loop_schedule steps{{rows, columns}, {rows, columns}, {2, columns}};
  const merged_producer sums{
      sum_of_columns(), {{rows, columns}, {rows, columns}, {2, columns}}, {0}, {2, 1}};
  const index_map of_columns(2, {axis_map(1, 0, 1)});
  const index_vector domain{rows, columns, rows};
  const primitive_handle op =
      prepend_producer({sum_of_columns(), 2, at_once(domain), {std::nullopt}, {of_columns}}, sums);
  EXPECT_EQ(runs_of_producers(*op, {domain, domain, domain}), 1);
  EXPECT_EQ(runs_of_producers(*op, {domain, domain, {2, columns, rows}}), rows / 2);
  const index_map reversed(2, {axis_map(0, rows - 1, -1), axis_map(1, 0, 1)});
  EXPECT_EQ(runs_of_producers(*sum_of_copy(reversed, {2, 1}), {domain, domain, {2, columns, rows}}),
            1);
  EXPECT_EQ(runs_of_producers(*copy_map({rows, columns}), steps), 1);
}

}  // namespace
}  // namespace tessera
