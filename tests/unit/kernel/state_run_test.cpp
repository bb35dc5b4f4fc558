// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "unit/kernel/run_kernel.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::buffer;

// Folds go through the states of a block in runs; the length of a run depends on the planes of the
// states.

/// Some layers are taken at once, and one is left.
constexpr index_t depth = 5;
constexpr index_t item = sizeof(double);
/// States of sums have two planes.
constexpr std::size_t num_state_fields = 2;

/// Of 40 kB, and of 24 MB, more than is taken to lie in a cache.
class StateRun : public ::testing::TestWithParam<index_t> {
 protected:
  using state_fields = std::vector<buffer<double>>;

  [[nodiscard]] static state_fields states(double sum) {
    state_fields fields;
    fields.emplace_back(std::vector<double>(static_cast<std::size_t>(GetParam()), sum));
    fields.emplace_back(std::vector<double>(static_cast<std::size_t>(GetParam()), 0.0));
    return fields;
  }

  [[nodiscard]] static std::vector<std::byte*> bytes_of(state_fields& fields) {
    std::vector<std::byte*> bytes;
    for (buffer<double>& field : fields) bytes.push_back(field.bytes());
    return bytes;
  }

  /// Sums i % 1013 of the i-th element along the first axis.
  static void take(const block_states& fold) {
    const index_t length = GetParam();
    buffer<double> x(static_cast<std::size_t>(depth * length));
    for (index_t i = 0; i < depth * length; ++i) x.data()[i] = static_cast<double>(i % 1013);
    const strip_program program{
        .num_operands = 1, .registers = {dtype::float64}, .steps = {}, .results = {0}};
    const std::vector<block_operand> operands{
        {.data = x.bytes(), .strides = {length * item, item}}};
    std::vector<std::byte> scratch(scratch_bytes(program, depth * length));
    const index_vector state_strides{0, 1};
    run_strips(program, operands, {}, std::vector{fold}, index_vector{depth, length},
               {.reduced = 1, .state_strides = state_strides}, scratch);
  }

  static void expect_sums(state_fields& sums, double before) {
    const index_t length = GetParam();
    index_t num_wrong = 0;
    for (index_t i = 0; i < length; ++i) {
      double sum = 0;
      for (index_t layer = 0; layer < depth; ++layer) {
        sum += static_cast<double>((i + layer * length) % 1013);
      }
      if (sums[0].data()[i] + sums[1].data()[i] != before + sum) ++num_wrong;
    }
    EXPECT_EQ(num_wrong, 0);
  }
};

TEST_P(StateRun, GoesOnWithStatesThatThereAre) {
  state_fields sums = states(5);
  take({.kernel = &op::sum::kernel<double>(), .state_fields = bytes_of(sums), .num_taken = 4});
  expect_sums(sums, 5);
}

TEST_P(StateRun, MakesNewStates) {
  state_fields sums = states(-7);
  take({.kernel = &op::sum::kernel<double>(), .state_fields = bytes_of(sums), .are_new = true});
  expect_sums(sums, 0);
}

TEST_P(StateRun, MergesNewStatesIntoEarlierOnesAndThoseIntoOthers) {
  state_fields sums = states(-7);
  state_fields earlier = states(10);
  state_fields earliest = states(100);
  take({.kernel = &op::sum::kernel<double>(),
        .state_fields = bytes_of(sums),
        .are_new = true,
        .into = {{bytes_of(earlier), 2}, {bytes_of(earliest), 4}}});
  expect_sums(earlier, 10);
  expect_sums(earliest, 110);
}

TEST_P(StateRun, MergesStatesThatThereAre) {
  state_fields sums = states(1);
  state_fields earlier = states(10);
  take({.kernel = &op::sum::kernel<double>(),
        .state_fields = bytes_of(sums),
        .num_taken = 1,
        .into = {{bytes_of(earlier), 2}}});
  expect_sums(sums, 1);
  expect_sums(earlier, 11);
}

TEST_P(StateRun, TouchesNoMoreThanARunOfNewStatesThatAreMerged) {
  constexpr index_t longest_run = 1024 * 1024 / index_t{num_state_fields * sizeof(double)};
  state_fields sums = states(-7);
  state_fields earlier = states(10);
  take({.kernel = &op::sum::kernel<double>(),
        .state_fields = bytes_of(sums),
        .are_new = true,
        .into = {{bytes_of(earlier), 2}}});
  expect_sums(earlier, 10);
  const double* const first = sums[0].data();
  EXPECT_LE(std::count_if(first, first + GetParam(), [](double x) { return x != -7; }),
            longest_run);
}

INSTANTIATE_TEST_SUITE_P(Lengths, StateRun, ::testing::Values(1'000, 600'001),
                         [](const auto& info) { return "Of" + std::to_string(info.param); });

}  // namespace
}  // namespace tessera
