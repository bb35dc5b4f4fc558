// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "unit/kernel/negative_kernel.hpp"
#include "unit/kernel/run_fold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace tessera {
namespace {

using testing::buffer;
using testing::doubles;
using testing::fold_states;
using testing::negative;
using testing::run_op;

// Folds of products, whether or not the folds compute the products themselves.

template <class T>
using product_kernel = tree_node<op::multiply, tree_operand<T, 0>, tree_operand<T, 1>>;
template <class T>
using square_kernel = tree_node<op::square, tree_operand<T, 0>>;

const fused_take* find_fused(const fold_kernel& kernel, std::string_view name) {
  const auto entry =
      std::ranges::find_if(kernel.fused, [&](const auto& entry) { return entry.kernel == name; });
  return entry == kernel.fused.end() ? nullptr : &*entry;
}

/// The processor decides which of several NaN results.
template <class T>
std::vector<std::uint64_t> bits_of(const std::vector<T>& values) {
  std::vector<std::uint64_t> bits;
  for (const T value : values) {
    const double wide = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    bits.push_back(std::bit_cast<std::uint64_t>(wide));
  }
  return bits;
}

/// Values of which sums depend on their order, and on every bit of a product.
template <class T>
std::vector<T> rough_values(std::size_t count, std::uint32_t seed) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    const T small = static_cast<T>(seed) / T{3e9};
    values.push_back(seed % 7 == 0 ? small * T{1e7} : seed % 3 == 0 ? -small : small);
  }
  values[5] = std::numeric_limits<T>::infinity();
  values[6] = std::numeric_limits<T>::quiet_NaN();
  values[7] = std::numeric_limits<T>::denorm_min();
  values[8] = T{-0.0};
  return values;
}

template <class T>
void expect_bits_of_products(const fold_kernel& kernel) {
  constexpr std::size_t count = 103;
  fold_states of_products(kernel, count);
  fold_states of_squares(kernel, count);
  fold_states products(kernel, count);
  fold_states squares(kernel, count);
  const fused_take* const product = find_fused(kernel, typeid(product_kernel<T>).name());
  const fused_take* const square = find_fused(kernel, typeid(square_kernel<T>).name());
  ASSERT_NE(product, nullptr);
  ASSERT_NE(square, nullptr);
  for (std::uint32_t layer = 0; layer < 9; ++layer) {
    const std::vector<T> x = rough_values<T>(count, 2 * layer);
    const std::vector<T> y = rough_values<T>(count, 2 * layer + 1);
    of_products.take_each(buffer<T>(run_op<op::multiply>(x, y)).bytes());
    of_squares.take_each(buffer<T>(run_op<op::square>(x)).bytes());
    buffer<T> first(x);
    buffer<T> second(y);
    products.take_fused(*product, {first.bytes(), second.bytes()});
    squares.take_fused(*square, {first.bytes()});
  }
  EXPECT_EQ(bits_of(products.template finish<T>()), bits_of(of_products.template finish<T>()));
  EXPECT_EQ(bits_of(squares.template finish<T>()), bits_of(of_squares.template finish<T>()));
}

/// Of four layers, taken at once, as of each alone.
template <class T>
void expect_bits_of_layers(const fold_kernel& kernel) {
  constexpr std::size_t count = 103;
  ASSERT_EQ(kernel.fused.size(), 2U);
  for (const fused_take& fused : kernel.fused) {
    fold_states alone(kernel, count);
    fold_states at_once(kernel, count);
    ASSERT_NE(fused.take_layers, nullptr);
    for (std::uint32_t first = 0; first < 3 * layers_at_once; first += layers_at_once) {
      std::vector<std::vector<const std::byte*>> layers;
      std::vector<buffer<T>> values;
      for (std::uint32_t layer = first; layer < first + layers_at_once; ++layer) {
        values.emplace_back(rough_values<T>(count, 2 * layer));
        values.emplace_back(rough_values<T>(count, 2 * layer + 1));
        layers.push_back({values[values.size() - 2].bytes(), values.back().bytes()});
        alone.take_fused(fused, layers.back());
      }
      at_once.take_fused_layers(fused, layers);
    }
    EXPECT_EQ(bits_of(at_once.values()), bits_of(alone.values()));
  }
}

TEST(FusedTake, GivesTheSameBitsOfSeveralLayersAtOnce) {
  expect_bits_of_layers<float>(op::sum::kernel<float>());
  expect_bits_of_layers<float>(op::mean::kernel<float>());
  expect_bits_of_layers<double>(op::sum::kernel<double>());
  expect_bits_of_layers<double>(op::mean::kernel<double>());
}

TEST(FusedTake, GivesTheBitsOfProductsThatAreMadeBefore) {
  expect_bits_of_products<float>(op::sum::kernel<float>());
  expect_bits_of_products<float>(op::mean::kernel<float>());
  expect_bits_of_products<double>(op::sum::kernel<double>());
  expect_bits_of_products<double>(op::mean::kernel<double>());
}

// The condition under which products are fused.

int num_made = 0;
int num_fused = 0;
index_t num_at_once = 0;

double value_of(double x, double y) { return x - 2 * y; }

/// Of no commuting operands, so that their order is seen.
const strip_kernel& difference() {
  static const strip_kernel kernel{.name = "fused_take_test difference",
                                   .label = "({0} - 2 * {1})",
                                   .inputs = {dtype::float64, dtype::float64},
                                   .outputs = {dtype::float64},
                                   .run = [](const strip& s) {
                                     ++num_made;
                                     for (index_t i = 0; i < s.size; ++i) {
                                       doubles(s.outputs[0])[i] = value_of(doubles(s.inputs[0])[i],
                                                                           doubles(s.inputs[1])[i]);
                                     }
                                   }};
  return kernel;
}

fold_kernel plain_total() {
  return {.name = "fused_take_test total",
          .label = "total",
          .inputs = {dtype::float64},
          .outputs = {dtype::float64},
          .state_fields = {dtype::float64},
          .start = [](std::byte* const* state_fields, index_t size,
                      const void*) { std::fill_n(doubles(state_fields[0]), size, 0.0); },
          .take_each =
              [](std::byte* const* state_fields, const fold_strip& strip) {
                for (index_t i = 0; i < strip.size; ++i) {
                  doubles(state_fields[0])[i] += doubles(strip.inputs[0])[i];
                }
              }};
}

fold_kernel fused_total() {
  fold_kernel kernel = plain_total();
  kernel.fused = {
      {difference().name, {0, 1}, [](std::byte* const* state_fields, const fold_strip& s) {
         ++num_fused;
         for (index_t i = 0; i < s.size; ++i) {
           doubles(state_fields[0])[i] +=
               value_of(doubles(s.inputs[0])[i], doubles(s.inputs[1])[i]);
         }
       }}};
  return kernel;
}

/// As `fused_total`, and of several layers at once.
fold_kernel layered_total() {
  fold_kernel kernel = fused_total();
  kernel.fused.front().take_layers = [](std::byte* const* state_fields, const fold_strip& s) {
    num_at_once += s.size * static_cast<index_t>(layers_at_once);
    for (std::size_t layer = 0; layer < layers_at_once; ++layer) {
      for (index_t i = 0; i < s.size; ++i) {
        doubles(state_fields[0])[i] +=
            value_of(doubles(s.inputs[2 * layer])[i], doubles(s.inputs[2 * layer + 1])[i]);
      }
    }
  };
  return kernel;
}

/// A block of layers of 100,000 elements, more than are gone along at once.
class FusedWalk : public ::testing::Test {
 protected:
  static constexpr index_t depth = 6;
  static constexpr index_t length = 100'000;
  static constexpr index_t period_of_x = 1013;
  static constexpr index_t period_of_y = 517;

  FusedWalk() : x_(depth * length), y_(depth * length) {
    num_made = 0;
    num_fused = 0;
    num_at_once = 0;
    for (index_t i = 0; i < depth * length; ++i) {
      x_.data()[i] = static_cast<double>(i % period_of_x);
      y_.data()[i] = static_cast<double>(i % period_of_y);
    }
  }

  /// The sum along axis 0 of `difference` of operands of these periods.
  [[nodiscard]] static std::vector<double> expected(double sign = 1, index_t first = period_of_x,
                                                    index_t second = period_of_y) {
    std::vector<double> sums(length, 0.0);
    for (index_t i = 0; i < depth * length; ++i) {
      sums[static_cast<std::size_t>(i % length)] +=
          sign * (static_cast<double>(i % first) - 2 * static_cast<double>(i % second));
    }
    return sums;
  }

  /// Registers 0 and 1 are operands, 2 is the difference.
  static strip_program program() {
    return {.num_operands = 2,
            .registers = {dtype::float64, dtype::float64, dtype::float64},
            .steps = {{&difference(), {}, {0, 1}, {2}}},
            .results = {2}};
  }

  block_states fold(const fold_kernel& kernel, std::vector<double>& into, std::size_t result = 0) {
    into.assign(length, 0.0);
    auto* const field = static_cast<std::byte*>(static_cast<void*>(into.data()));
    return {.kernel = &kernel, .state_fields = {field}, .result = result};
  }

  void run_program(const strip_program& program, const std::vector<block_states>& folds,
                   const std::vector<strip_target>& targets = {}) {
    constexpr index_t item = sizeof(double);
    std::vector<block_operand> operands{{.data = x_.bytes(), .strides = {length * item, item}},
                                        {.data = y_.bytes(), .strides = {length * item, item}}};
    std::vector<std::byte> scratch(scratch_bytes(program, depth * length));
    const index_vector state_strides{0, 1};
    run_strips(program, operands, targets, folds, index_vector{depth, length},
               {.reduced = 1, .state_strides = state_strides}, scratch);
  }

  buffer<double> x_;
  buffer<double> y_;
};

TEST_F(FusedWalk, MakesNothingThatFoldsMakeThemselves) {
  const fold_kernel total = fused_total();
  std::vector<double> sums;
  std::vector<double> again;
  strip_program twice = program();
  twice.results = {2, 2};
  run_program(twice, {fold(total, sums), fold(total, again, 1)});
  EXPECT_EQ(num_made, 0);
  EXPECT_GT(num_fused, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(again, expected());
}

TEST_F(FusedWalk, TakesFourLayersAtOnceAndTheRestAlone) {
  const fold_kernel total = layered_total();
  std::vector<double> sums;
  std::vector<double> swapped_sums;
  strip_program program_of_two = program();
  program_of_two.registers.push_back(dtype::float64);
  program_of_two.steps.push_back({&difference(), {}, {1, 0}, {3}});
  program_of_two.results = {2, 3};
  run_program(program_of_two, {fold(total, sums), fold(total, swapped_sums, 1)});
  EXPECT_EQ(num_made, 0);
  EXPECT_EQ(num_at_once, 2 * 4 * length);
  EXPECT_GT(num_fused, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(swapped_sums, expected(1, period_of_y, period_of_x));
}

// All folds of a walk take layers so, or none.
TEST_F(FusedWalk, TakesEachLayerAloneWhereOneFoldCanNot) {
  const fold_kernel layered = layered_total();
  const fold_kernel fused = fused_total();
  std::vector<double> sums;
  std::vector<double> again;
  strip_program twice = program();
  twice.results = {2, 2};
  run_program(twice, {fold(layered, sums), fold(fused, again, 1)});
  EXPECT_EQ(num_made, 0);
  EXPECT_EQ(num_at_once, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(again, expected());
}

TEST_F(FusedWalk, HandsOperandsOnInTheOrderOfTheStep) {
  const fold_kernel total = fused_total();
  std::vector<double> sums;
  strip_program swapped = program();
  swapped.steps[0].inputs = {1, 0};
  std::swap(x_, y_);
  run_program(swapped, {fold(total, sums)});
  EXPECT_EQ(num_made, 0);
  EXPECT_EQ(sums, expected());
}

TEST_F(FusedWalk, MakesOnceWhatAnotherFoldNeeds) {
  const fold_kernel total = fused_total();
  const fold_kernel plain = plain_total();
  std::vector<double> sums;
  std::vector<double> again;
  strip_program twice = program();
  twice.results = {2, 2};
  run_program(twice, {fold(total, sums), fold(plain, again, 1)});
  EXPECT_GT(num_made, 0);
  EXPECT_EQ(num_fused, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(again, expected());
}

TEST_F(FusedWalk, MakesOnceWhatIsStored) {
  const fold_kernel total = fused_total();
  std::vector<double> sums;
  buffer<double> stored(depth * length);
  run_program(program(), {fold(total, sums)},
              {{0, {stored.bytes(), {length * index_t{sizeof(double)}, sizeof(double)}}}});
  EXPECT_GT(num_made, 0);
  EXPECT_EQ(num_fused, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(stored.data()[0], 0.0);
  EXPECT_EQ(stored.data()[length + 1], value_of((length + 1) % 1013, (length + 1) % 517));
}

TEST_F(FusedWalk, MakesOnceWhatAnotherStepNeeds) {
  const fold_kernel total = fused_total();
  const fold_kernel plain = plain_total();
  std::vector<double> sums;
  std::vector<double> negatives;
  strip_program program_of_two = program();
  program_of_two.registers.push_back(dtype::float64);
  program_of_two.steps.push_back({&negative(), {}, {2}, {3}});
  program_of_two.results = {2, 3};
  run_program(program_of_two, {fold(total, sums), fold(plain, negatives, 1)});
  EXPECT_GT(num_made, 0);
  EXPECT_EQ(num_fused, 0);
  EXPECT_EQ(sums, expected());
  EXPECT_EQ(negatives, expected(-1));
}

TEST_F(FusedWalk, MakesOnceWhatGoesIntoGroups) {
  const fold_kernel total = fused_total();
  std::vector<double> sums(2 * length, 0.0);
  buffer<std::int64_t> labels(std::vector<std::int64_t>{1, 0, 1, -1, 2, -1});
  constexpr index_t item = sizeof(double);
  const std::vector<block_operand> operands{{.data = x_.bytes(), .strides = {length * item, item}},
                                            {.data = y_.bytes(), .strides = {length * item, item}},
                                            {.data = labels.bytes(), .strides = {item, 0}}};
  const strip_program program{
      .num_operands = 3,
      .registers = {dtype::float64, dtype::float64, dtype::int64, dtype::float64},
      .steps = {{&difference(), {}, {0, 1}, {3}}},
      .results = {3, 2}};
  auto* const field = static_cast<std::byte*>(static_cast<void*>(sums.data()));
  const std::vector<block_states> folds{
      {.kernel = &total, .state_fields = {field}, .num_groups = 2, .group_stride = length}};
  std::vector<std::byte> scratch(scratch_bytes(program, depth * length));
  const index_vector state_strides{0, 1};
  run_strips(program, operands, {}, folds, index_vector{depth, length},
             {.reduced = 1, .state_strides = state_strides}, scratch);
  EXPECT_EQ(num_fused, 0);
  for (const index_t i : {index_t{0}, index_t{1}, length / 2, length - 1}) {
    const auto of_layer = [&](index_t layer) {
      const index_t k = layer * length + i;
      return static_cast<double>(k % 1013) - 2 * static_cast<double>(k % 517);
    };
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], of_layer(1));
    EXPECT_EQ(sums[static_cast<std::size_t>(length + i)], of_layer(0) + of_layer(2));
  }
}

}  // namespace
}  // namespace tessera
