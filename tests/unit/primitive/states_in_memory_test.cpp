// SPDX-License-Identifier: Apache-2.0
/// \file
/// States of folds that are handed on to memory: made there, or copied there where they would lie
/// in other steps.

#include "tessera/primitive/results_in_memory.hpp"
#include "tessera/primitive/strips.hpp"
#include "tessera/tessera.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr auto untouched = std::byte{0xAB};

/// A task on an array of float64 in memory, whose outputs are as well: each has `columns` columns.
class memory_task final : public task_blocks, public results_in_memory {
 public:
  memory_task(const primitive& what, walk how, const std::vector<double>& elements, index_t columns,
              bool is_known)
      : how_(std::move(how)),
        outputs_(what.outputs(how_)),
        operand_{.data = bytes_at(elements.data()), .strides = {8 * how_.domain[1], 8}},
        columns_(columns),
        is_known_(is_known) {
    const task_demand needs = what.demand(how_, 1);
    for (const own_buffer& each : needs.own) own_.emplace_back(each.size, untouched);
    scratch_.resize(needs.scratch);
    const index_t size = outputs_.front().shape(how_)[0] * columns;
    made_.assign(outputs_.size(), std::vector<double>(static_cast<std::size_t>(size), -1));
  }

  [[nodiscard]] const walk& how() const override { return how_; }
  [[nodiscard]] std::size_t num_operands() const override { return 1; }
  [[nodiscard]] const block_operand& operand(std::size_t, const region& box) override {
    seen_ = operand_;
    seen_.data += offset_of(box.start, operand_.strides);
    return seen_;
  }
  void begin(walk_stretch, const region&) override {}
  void end(walk_stretch) override {}
  [[nodiscard]] const region& output_box(std::size_t) const override { return box_; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    void* const first = const_cast<double*>(made_[i].data());
    const index_vector strides{8 * columns_, 8};
    return {static_cast<std::byte*>(first) + offset_of(box.start, strides), strides};
  }
  [[nodiscard]] bool is_in_memory(std::size_t) const override { return is_known_; }
  [[nodiscard]] std::span<std::byte> own(std::size_t i) const override { return own_[i]; }
  [[nodiscard]] std::span<std::byte> scratch() const override { return scratch_; }

  /// Returns output `i`, row by row.
  [[nodiscard]] const std::vector<double>& made(std::size_t i) const { return made_[i]; }

  /// Tells whether the task has left its own buffers as they were.
  [[nodiscard]] bool has_own_left() const {
    return std::all_of(own_.begin(), own_.end(), [](const std::vector<std::byte>& buffer) {
      return std::all_of(buffer.begin(), buffer.end(),
                         [](std::byte each) { return each == untouched; });
    });
  }

 private:
  static const std::byte* bytes_at(const void* first) {
    return static_cast<const std::byte*>(first);
  }

  walk how_;
  std::vector<output> outputs_;
  block_operand operand_;
  block_operand seen_;
  index_t columns_;
  bool is_known_;
  region box_;
  mutable std::vector<std::vector<std::byte>> own_;
  mutable std::vector<std::byte> scratch_;
  std::vector<std::vector<double>> made_;
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

  /// What all tasks have made.
  struct outcome {
    std::vector<double> sums;
    std::vector<double> errors;
    bool has_own_left = false;
  };

  /// Runs all tasks on blocks of `block`; rows of what they make have `row` elements.
  [[nodiscard]] outcome run(std::size_t axis, const index_vector& block, index_t row,
                            bool is_known = true) const {
    const index_vector shape{rows, columns};
    walk how{shape, block, block};
    how.stream[axis] = 2;
    fold_sink sink{.step = {&op::sum::kernel<double>(), {}}, .reduced = {}, .leaf = {1, 1}};
    sink.reduced.set(axis);
    sink.leaf[axis] = 2;
    const auto sum =
        fold_of({region::whole(shape), {0}, strip_program::copy(dtype::float64)}, std::move(sink));
    memory_task task(*sum, how, elements_, row, is_known);
    for (index_t number = 0; number < how.tasks().size(); ++number) {
      sum->run(task, how.task_box(number));
    }
    return {task.made(0), task.made(1), task.has_own_left()};
  }

  const std::vector<double> of_pairs_of_rows_{10, 12, 14, 50, 52, 54, 90, 92, 94, 130, 132, 134};

 private:
  std::vector<double> elements_;
};

TEST_F(StatesInMemory, AreMadeWhereTheyAreHandedOn) {
  const outcome made = run(0, {2, columns}, columns);
  EXPECT_EQ(made.sums, of_pairs_of_rows_);
  EXPECT_EQ(made.errors, std::vector<double>(12, 0)) << "these sums are exact";
  EXPECT_TRUE(made.has_own_left);
}

TEST_F(StatesInMemory, OfPartsOfRowsAreMadeThereToo) {
  const outcome made = run(0, {2, 2}, columns);
  EXPECT_EQ(made.sums, of_pairs_of_rows_);
  EXPECT_TRUE(made.has_own_left);
}

TEST_F(StatesInMemory, AreCopiedWhereNobodyKnowsOfThem) {
  const outcome made = run(0, {2, columns}, columns, false);
  EXPECT_EQ(made.sums, of_pairs_of_rows_);
  EXPECT_FALSE(made.has_own_left);
}

TEST_F(StatesInMemory, OfSeveralLeavesAreMergedBefore) {
  const outcome made = run(0, {4, columns}, columns);
  EXPECT_EQ(made.sums, (std::vector<double>{60, 64, 68, 220, 224, 228}));
  EXPECT_FALSE(made.has_own_left);
}

TEST_F(StatesInMemory, AreCopiedWhereTheyWouldLieInOtherSteps) {
  const outcome made = run(1, {rows, 2}, 2);
  std::vector<double> expected;
  for (index_t i = 0; i < rows; ++i) {
    expected.push_back(static_cast<double>(20 * i + 1));
    expected.push_back(static_cast<double>(10 * i + 2));
  }
  EXPECT_EQ(made.sums, expected);
  EXPECT_FALSE(made.has_own_left);
}

}  // namespace
}  // namespace tessera
