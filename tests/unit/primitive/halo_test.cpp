// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stages with halos: windows of computed elements.

#include "tessera/core/error.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/strip_program.hpp"

#include "primitive/api/build.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/composition/composition.hpp"
#include "unit/primitive/memory_task.hpp"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

/// Returns a fold of windows of `width` in a line of `extent` windows.
primitive_handle fold_of_windows(index_t extent, index_t width) {
  fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
  sink.reduced.set(1);
  return fold_of(
      {region::whole(index_vector{extent, width}), {0}, strip_program::copy(dtype::float64)},
      std::move(sink));
}

/// The map from windows to the elements of a line.
index_map within_line() {
  axis_map within(0, 0, 1);
  within.add({1, 1});
  return {2, {within}};
}

/// Returns the sums of `width` elements from each of the elements of a copy of a line on, which has
/// the elements of the matrix: the copy has a halo. It lies along `axis`, that of the windows or
/// that of the elements of a window.
primitive_handle sums_of_windows(index_t width, std::size_t axis = 0) {
  const index_vector line{rows * columns};
  const merged_producer producer{copy_map(line), {line, line, line}, {0}, {axis}, {{0, 1 - axis}}};
  const index_vector windows{rows * columns - width + 1, width};
  const loop_schedule schedule{windows, windows, windows};
  return prepend_producer(
      {fold_of_windows(windows[0], width), 2, schedule, {std::nullopt}, {within_line()}}, producer);
}

// Each window of three elements begins one element behind the one before: 3 (i + 1).
TEST(Compositions, ComputeTheSurroundingsOfABlockOnce) {
  const primitive_handle op = sums_of_windows(3);
  const index_vector domain{rows * columns - 2, 3};
  for (const index_t step : {1, 5, 46}) {
    const loop_schedule schedule{domain, {step, 3}, {step, 3}};
    const std::vector<buffer_demand> buffers = op->demand(schedule, 1).buffers;
    const auto copy = std::ranges::find(buffers, "output of a stage", &buffer_demand::name);
    ASSERT_NE(copy, buffers.end());
    EXPECT_EQ(copy->size, static_cast<std::size_t>(step + 2) * sizeof(double)) << step;
    memory_task task(*op, schedule, {1, 1});
    for (index_t i = 0; i < domain[0]; i += step) {
      op->run(task, {{i, 0}, {std::min(i + step, domain[0]), 3}});
    }
    ASSERT_EQ(task.results.size(), 1U);
    for (index_t i = 0; i < domain[0]; ++i) {
      EXPECT_EQ(task.results[0][static_cast<std::size_t>(i)], static_cast<double>(3 * (i + 1)));
    }
  }
  EXPECT_TRUE(equal(*op, *parse_primitive("stages", op->to_json())));
}

// Windows of windows extend an axis of the sums. The copy has its halo along an axis of its own,
// and cannot be as long as the extended one.
TEST(Compositions, ExtendNoAxisThatAHaloIsAsLongAs) {
  const index_vector sums{rows * columns - 2, 3};
  const index_vector domain{rows * columns - 4, 3, 3};
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const merged_producer producer{
        sums_of_windows(3, axis), {sums, sums, sums}, {0}, {0, 2}, {{0, 1}}};
    const merged_reader reader{fold_of_windows(domain[0], 3),
                               2,
                               {domain, domain, domain},
                               {std::nullopt},
                               {within_line()}};
    EXPECT_EQ(prepend_producer(reader, producer), nullptr) << axis;
  }
}

/// Returns the refusal of `stages`, sums of windows of three elements.
std::string refusal_of_windows(std::vector<stage> stages, const index_vector& step) {
  const index_vector domain{rows * columns - 2, 3};
  axis_map within(0, 0, 1);
  within.add({1, 1});
  const std::vector<index_map> maps{index_map(2, {within})};
  const std::string name = "an operation";
  try {
    composition(std::move(stages))
        .check({name, {domain, domain, step}, maps, {dtype::float64}, {{rows * columns}}});
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Compositions, KeepTheRulesOfHalos) {
  const primitive_handle op = sums_of_windows(3);
  const std::vector<stage> windows = dynamic_cast<const composition&>(*op).stages();
  EXPECT_EQ(refusal_of_windows(windows, {5, 3}), "");
  std::vector<stage> stages = windows;
  stages[0].halo = {{0, 7, 0, rows * columns}};
  EXPECT_THAT(refusal_of_windows(stages, {5, 3}), HasSubstr("a halo goes along an axis"));
  stages[0].halo = {{0, 0, 0, rows * columns}};
  EXPECT_THAT(refusal_of_windows(stages, {5, 3}), HasSubstr("a halo goes along an axis"));
  stages[0].halo = {{0, 1, 0, rows * columns}, {0, 1, 0, rows * columns}};
  EXPECT_THAT(refusal_of_windows(stages, {5, 3}), HasSubstr("a halo goes along an axis"));
  stages[0].halo.clear();
  EXPECT_NE(refusal_of_windows(stages, {5, 3}), "");
  stages = windows;
  stages[1].halo = {{0, 1, 0, rows * columns}};
  EXPECT_THAT(refusal_of_windows(stages, {5, 3}), HasSubstr("may have a halo"));
  stages = windows;
  axis_map shifted(0, 1, 1);
  shifted.add({1, 1});
  stages[1].inputs[0].map = index_map(2, {shifted});
  EXPECT_NE(refusal_of_windows(stages, {5, 3}), "");
}

// Windows take their axes whole, but a halo of offset 1 has no sum of 0, and so no element 0.
TEST(Compositions, ReadNoElementBesideAHaloThatIsWhole) {
  const index_vector domain{rows * columns - 2, 3};
  const std::vector<index_map> maps{index_map(2, {axis_map(0)})};
  const std::string name = "an operation";
  std::vector<stage> stages = dynamic_cast<const composition&>(*sums_of_windows(3)).stages();
  const auto check = [&] {
    composition(stages).check(
        {name, {domain, domain, domain}, maps, {dtype::float64}, {{rows * columns}}});
  };
  EXPECT_NO_THROW(check());
  stages[0].halo.front().offset = 1;
  EXPECT_THROW(check(), value_error);
}

/// Returns the sums of three elements of a line of `n`, with a border that `before` and `behind`
/// show at the ends: a stage that adds the border reads the elements around each block.
std::string refusal_of_border(index_t n, const axis_map& before, const axis_map& behind) {
  const index_vector domain{n, 3};
  const auto line = [](index_t start, index_t stop) {
    return region{index_vector{start}, index_vector{stop}};
  };
  const strip_program copy = strip_program::copy(dtype::float64);
  axis_map within(0, -1, 1);
  within.add({1, 1});
  const std::vector<output_axis> along{{.axis = 0}};
  std::vector<stage> stages{
      {.op = copy_map({n}), .inputs = {{}}, .frame = along, .halo = {{0, 1, -1, n}}, .step = {n}}};
  const primitive_handle border = std::make_shared<const strips>(
      std::vector<piece>{
          {line(0, 1), {0}, copy}, {line(1, n + 1), {1}, copy}, {line(n + 1, n + 2), {2}, copy}},
      std::vector<strip_sink>{result_sink{dtype::float64}});
  const auto read = [](const axis_map& map) {
    return stage_input{.stage = 0, .map = index_map(1, {map})};
  };
  stages.push_back({.op = border,
                    .inputs = {read(before), read(axis_map(0, -1, 1)), read(behind)},
                    .frame = along,
                    .halo = {{0, 1, 0, n + 2}},
                    .step = {n + 2}});
  fold_sink sum{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
  sum.reduced.set(1);
  axis_map window(0, 0, 1);
  window.add({1, 1});
  stages.push_back({.op = fold_of({region::whole(domain), {0}, copy}, std::move(sum)),
                    .inputs = {{.stage = 1, .map = index_map(2, {window})}},
                    .is_emitted = true});
  const std::vector<index_map> maps{index_map(2, {within})};
  const std::string name = "an operation";
  try {
    composition(std::move(stages))
        .check({name, {domain, {2, 3}, {2, 3}}, maps, {dtype::float64}, {{n}}});
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "";
}

// A border shows elements around its block: reflections, and the elements at the ends. The other
// end of a period is in another block.
TEST(Compositions, ReadBordersOfTheElementsAroundABlock) {
  constexpr index_t n = 12;
  const axis_map mirror(0, 1, -1);
  const axis_map mirror_behind(0, 2 * n - 1, -1);
  EXPECT_EQ(refusal_of_border(n, mirror, mirror_behind), "");
  EXPECT_EQ(refusal_of_border(n, axis_map(0, 0, -1), axis_map(0, 2 * n, -1)), "");
  EXPECT_EQ(refusal_of_border(n, axis_map(0), axis_map(n - 1)), "");
  const std::string not_computed = "a stage reads elements that the task has computed";
  EXPECT_THAT(refusal_of_border(n, axis_map(n - 1), mirror_behind), HasSubstr(not_computed));
  EXPECT_THAT(refusal_of_border(n, mirror, axis_map(0)), HasSubstr(not_computed));
  EXPECT_THAT(refusal_of_border(n, axis_map(3), mirror_behind), HasSubstr(not_computed));
  EXPECT_THAT(refusal_of_border(n, mirror, axis_map(0, -(n + 1), 1)), HasSubstr(not_computed));
}

}  // namespace
}  // namespace tessera
