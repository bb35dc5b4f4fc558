// SPDX-License-Identifier: Apache-2.0
/// \file
/// States of folds that are handed on to memory: written in place, or copied there if they would
/// lie in other steps.

#include "tessera/tessera.hpp"

#include "primitive/api/results_in_memory.hpp"
#include "primitive/api/strips.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr auto untouched = std::byte{0xAB};

/// A task on an array of float64 in memory with outputs in memory: each has `columns` columns.
class memory_task final : public task_blocks, public results_in_memory {
 public:
  memory_task(const primitive& op, loop_schedule schedule, const std::vector<double>& elements,
              index_t columns, bool is_known)
      : schedule_(std::move(schedule)),
        outputs_(op.outputs(schedule_)),
        operand_{.data = bytes_at(elements.data()), .strides = {8 * schedule_.domain[1], 8}},
        columns_(columns),
        is_known_(is_known) {
    const task_demand needs = op.demand(schedule_, 1);
    for (const buffer_demand& buffer : needs.buffers) buffers_.emplace_back(buffer.size, untouched);
    scratch_.resize(needs.scratch);
    const index_t size = outputs_.front().shape(schedule_)[0] * columns;
    values_.assign(outputs_.size(), std::vector<double>(static_cast<std::size_t>(size), -1));
  }

  [[nodiscard]] const loop_schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return 1; }
  [[nodiscard]] const block_operand& operand(std::size_t, const region& box) override {
    block_ = operand_;
    block_.data += offset_of(box.start, operand_.strides);
    return block_;
  }
  void begin(task_scope, const region&) override {}
  void end(task_scope) override {}
  [[nodiscard]] const region& output_box(std::size_t) const override { return box_; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    void* const first = const_cast<double*>(values_[i].data());
    const index_vector strides{8 * columns_, 8};
    return {static_cast<std::byte*>(first) + offset_of(box.start, strides), strides};
  }
  [[nodiscard]] bool is_in_memory(std::size_t) const override { return is_known_; }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t i) const override {
    return buffers_[i];
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return scratch_; }

  /// Returns output `i`, row by row.
  [[nodiscard]] const std::vector<double>& output_values(std::size_t i) const { return values_[i]; }

  /// Tells whether the task has left its own buffers as they were.
  [[nodiscard]] bool has_untouched_buffers() const {
    return std::all_of(buffers_.begin(), buffers_.end(), [](const std::vector<std::byte>& buffer) {
      return std::all_of(buffer.begin(), buffer.end(),
                         [](std::byte byte) { return byte == untouched; });
    });
  }

 private:
  static const std::byte* bytes_at(const void* first) {
    return static_cast<const std::byte*>(first);
  }

  loop_schedule schedule_;
  std::vector<output> outputs_;
  block_operand operand_;
  block_operand block_;
  index_t columns_;
  bool is_known_;
  region box_;
  mutable std::vector<std::vector<std::byte>> buffers_;
  mutable std::vector<std::byte> scratch_;
  std::vector<std::vector<double>> values_;
};

/// Sums of the array with 10 i + j at (i, j) along an axis, in leaves of two elements.
class StatesInMemory : public ::testing::Test {
 protected:
  static constexpr index_t rows = 8;
  static constexpr index_t columns = 3;

  StatesInMemory() {
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) elements_.push_back(static_cast<double>(10 * i + j));
    }
  }

  /// The output of all tasks.
  struct outcome {
    std::vector<double> sums;
    bool has_untouched_buffers = false;
  };

  /// Runs all tasks on blocks of `block`; rows of their output have `row` elements.
  [[nodiscard]] outcome run(std::size_t axis, const index_vector& block, index_t row,
                            bool is_known = true) const {
    const index_vector shape{rows, columns};
    loop_schedule schedule{shape, block, block};
    schedule.step[axis] = 2;
    fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
    sink.reduced.set(axis);
    sink.leaf[axis] = 2;
    const auto sum =
        fold_of({region::whole(shape), {0}, strip_program::copy(dtype::float64)}, std::move(sink));
    memory_task task(*sum, schedule, elements_, row, is_known);
    for (index_t number = 0; number < schedule.blocks().size(); ++number) {
      sum->run(task, schedule.block_box(number));
    }
    // A state is a sum and an error, which may hold the last elements.
    std::vector<double> sums = task.output_values(0);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += task.output_values(1)[i];
    return {sums, task.has_untouched_buffers()};
  }

  const std::vector<double> of_pairs_of_rows_{10, 12, 14, 50, 52, 54, 90, 92, 94, 130, 132, 134};

 private:
  std::vector<double> elements_;
};

TEST_F(StatesInMemory, AreMadeWhereTheyAreHandedOn) {
  const outcome result = run(0, {2, columns}, columns);
  EXPECT_EQ(result.sums, of_pairs_of_rows_);
  EXPECT_TRUE(result.has_untouched_buffers);
}

TEST_F(StatesInMemory, OfPartsOfRowsAreMadeThereToo) {
  const outcome result = run(0, {2, 2}, columns);
  EXPECT_EQ(result.sums, of_pairs_of_rows_);
  EXPECT_TRUE(result.has_untouched_buffers);
}

TEST_F(StatesInMemory, AreCopiedWhereNobodyKnowsOfThem) {
  const outcome result = run(0, {2, columns}, columns, false);
  EXPECT_EQ(result.sums, of_pairs_of_rows_);
  EXPECT_FALSE(result.has_untouched_buffers);
}

TEST_F(StatesInMemory, OfSeveralLeavesAreMergedBefore) {
  const outcome result = run(0, {4, columns}, columns);
  EXPECT_EQ(result.sums, (std::vector<double>{60, 64, 68, 220, 224, 228}));
  EXPECT_FALSE(result.has_untouched_buffers);
}

TEST_F(StatesInMemory, AreCopiedWhereTheyWouldLieInOtherSteps) {
  const outcome result = run(1, {rows, 2}, 2);
  std::vector<double> expected;
  for (index_t i = 0; i < rows; ++i) {
    expected.push_back(static_cast<double>(20 * i + 1));
    expected.push_back(static_cast<double>(10 * i + 2));
  }
  EXPECT_EQ(result.sums, expected);
  EXPECT_FALSE(result.has_untouched_buffers);
}

}  // namespace
}  // namespace tessera
