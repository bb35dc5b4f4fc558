// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passive primitives: the loops around `start`, `take` and `finish`.

#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/strips.hpp"
#include "primitive/sweeps.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr index_t rows = 5;
constexpr index_t columns = 4;
constexpr index_t itemsize = sizeof(double);

/// A task on a matrix in memory, which notes the scopes that begin and end.
class recorded_task final : public task_blocks {
 public:
  explicit recorded_task(loop_schedule schedule) : schedule_(std::move(schedule)) {
    std::iota(operand_values.begin(), operand_values.end(), 1.0);
  }

  [[nodiscard]] const loop_schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return 1; }
  [[nodiscard]] const block_operand& operand(std::size_t /*i*/, const region& box) override {
    const auto* const data = reinterpret_cast<const std::byte*>(operand_values.data());
    operand_ = {.data = data + offset(box), .strides = {columns * itemsize, itemsize}};
    return operand_;
  }
  void begin(task_scope scope, const region& box) override {
    scopes.push_back(word(scope) + " " + std::to_string(box.start[0]) + " to " +
                     std::to_string(box.stop[0]));
  }
  void end(task_scope scope) override { scopes.push_back("end of " + word(scope)); }
  [[nodiscard]] const region& output_box(std::size_t /*i*/) const override { return whole_; }
  [[nodiscard]] block_result result(std::size_t /*i*/, const region& box) const override {
    auto* const data = reinterpret_cast<std::byte*>(result_values.data());
    return {data + offset(box), {columns * itemsize, itemsize}};
  }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t /*i*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> scratch() const override { return scratch_; }

  std::array<double, rows * columns> operand_values{};
  mutable std::array<double, rows * columns> result_values{};
  std::vector<std::string> scopes;

 private:
  static std::string word(task_scope scope) { return scope == task_scope::step ? "step" : "sweep"; }
  static index_t offset(const region& box) {
    return (box.start[0] * columns + box.start[1]) * itemsize;
  }

  loop_schedule schedule_;
  region whole_ = region::whole(index_vector{rows, columns});
  block_operand operand_;
  mutable std::array<std::byte, 4096> scratch_{};
};

/// Returns the map of a matrix to itself.
primitive_handle identity_map() {
  return map_of(
      {{region::whole(index_vector{rows, columns}), {0}, strip_program::copy(dtype::float64)}},
      dtype::float64);
}

TEST(PassivePrimitives, AreDrivenThroughSweepsAndSteps) {
  loop_schedule schedule{{rows, columns}, {rows, columns}, {3, columns}};
  schedule.ordered.set(0);
  recorded_task task(schedule);
  identity_map()->run(task, region::whole(index_vector{rows, columns}));
  EXPECT_EQ(task.scopes, (std::vector<std::string>{"sweep 0 to 3", "step 0 to 3", "end of step",
                                                   "end of sweep", "sweep 3 to 5", "step 3 to 5",
                                                   "end of step", "end of sweep"}));
  EXPECT_EQ(task.result_values, task.operand_values);
}

TEST(PassivePrimitives, BeginNoScopeWhenTheCallerTakesSteps) {
  recorded_task task({{rows, columns}, {rows, columns}, {rows, columns}});
  const primitive_handle map = identity_map();
  ASSERT_TRUE(map->is_passive());
  const auto computation = map->start(task, region::whole(index_vector{rows, columns}));
  computation->take({{0, 0}, {2, columns}});
  EXPECT_EQ(task.result_values[2 * columns - 1], 8);
  EXPECT_EQ(task.result_values[2 * columns], 0);
  computation->take({{2, 0}, {rows, columns}});
  computation->finish();
  EXPECT_EQ(task.result_values, task.operand_values);
  EXPECT_TRUE(task.scopes.empty());
}

/// Returns the sweeps along an axis of `extent`, and whether outputs have elements in them.
std::vector<std::string> sweeps_of(index_t extent, const carried_state& carried, index_t length) {
  std::vector<std::string> sweeps;
  detail::for_each_carried_sweep(region::whole(index_vector{extent}), carried, length,
                                 [&](const region& sweep, bool has_outputs) {
                                   sweeps.push_back(std::to_string(sweep.start[0]) + " to " +
                                                    std::to_string(sweep.stop[0]) +
                                                    (has_outputs ? "" : ", no outputs"));
                                 });
  return sweeps;
}

// Three rows leave at once: with two elements skipped, these are the elements 2 to 5, 5 to 8, ...
TEST(PassivePrimitives, SweepsOfCarriedStatesHoldWholePartsOfTheOutputs) {
  using strings = std::vector<std::string>;
  EXPECT_EQ(sweeps_of(10, {.axis = 0, .skipped = 2}, 3), (strings{"0 to 5", "5 to 8", "8 to 10"}));
  EXPECT_EQ(sweeps_of(7, {}, 3), (strings{"0 to 3", "3 to 6", "6 to 7"}));
  EXPECT_EQ(sweeps_of(7, {.axis = 0, .is_reversed = true}, 3),
            (strings{"6 to 7", "3 to 6", "0 to 3"}));
  EXPECT_EQ(sweeps_of(2, {.axis = 0, .skipped = 2}, 3), (strings{"0 to 2, no outputs"}));
}

}  // namespace
}  // namespace tessera
