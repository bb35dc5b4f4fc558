// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "unit/kernel/negative_kernel.hpp"
#include "unit/kernel/run_fold.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tessera {
namespace {

using testing::buffer;
using testing::doubles;
using testing::fold_states;
using testing::negative;

// Folds that take several strips at once: the states that they take are as if one came after the
// other.

/// Returns the states of layers, four of which are folded at once and the rest by themselves.
template <class T>
fold_states states_of_layers(const fold_kernel& kernel, const std::vector<std::vector<T>>& layers) {
  std::vector<buffer<T>> in;
  for (const std::vector<T>& layer : layers) in.emplace_back(layer);
  fold_states states(kernel, static_cast<index_t>(layers.front().size()));
  std::size_t i = 0;
  for (; i + layers_at_once <= in.size(); i += layers_at_once) {
    states.take_layers({in[i].bytes(), in[i + 1].bytes(), in[i + 2].bytes(), in[i + 3].bytes()});
  }
  for (; i < in.size(); ++i) states.take_each(in[i].bytes());
  return states;
}

template <class Output, class T>
std::vector<Output> fold_layers(const fold_kernel& kernel,
                                const std::vector<std::vector<T>>& layers) {
  return states_of_layers(kernel, layers).template finish<Output>();
}

template <class T>
using layers_of = std::vector<std::vector<T>>;

/// Layers of small whole numbers, of which sums and products are exact.
template <class T>
layers_of<T> whole_numbers(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  layers_of<T> layers(1 + random() % 11, std::vector<T>(1 + random() % 150));
  for (std::vector<T>& layer : layers) {
    for (T& x : layer) x = static_cast<T>(static_cast<int>(random() % 7) - 3);
  }
  return layers;
}

template <class Output, class T, class Step>
void expect_folds(const fold_kernel& kernel, std::uint64_t seed, Output start, Step step) {
  RC_ASSERT(kernel.take_layers != nullptr);
  const layers_of<T> layers = whole_numbers<T>(seed);
  std::vector<Output> expected(layers.front().size(), start);
  for (const std::vector<T>& layer : layers) {
    for (std::size_t i = 0; i < layer.size(); ++i) {
      expected[i] = static_cast<Output>(step(expected[i], static_cast<Output>(layer[i])));
    }
  }
  RC_ASSERT((fold_layers<Output, T>(kernel, layers)) == expected);
}

RC_GTEST_PROP(Layers, GiveWhatLoopsGive, (std::uint64_t seed)) {
  const auto most = [](auto x, auto y) { return std::max(x, y); };
  const auto least = [](auto x, auto y) { return std::min(x, y); };
  expect_folds<float, float>(op::sum::kernel<float>(), seed, 0.0F, std::plus<>());
  expect_folds<double, double>(op::sum::kernel<double>(), seed, 0.0, std::plus<>());
  expect_folds<std::int64_t, std::int32_t>(op::sum::kernel<std::int32_t>(), seed, 0, std::plus<>());
  expect_folds<double, double>(op::prod::kernel<double>(), seed, 1.0, std::multiplies<>());
  expect_folds<float, float>(op::max::kernel<float>(), seed, -4.0F, most);
  expect_folds<std::int16_t, std::int16_t>(op::min::kernel<std::int16_t>(), seed, 4, least);
  expect_folds<bool, double>(op::any::kernel<double>(), seed, false, std::logical_or<>());
}

RC_GTEST_PROP(Layers, GiveVariances, (std::uint64_t seed)) {
  const layers_of<double> layers = whole_numbers<double>(seed);
  const auto n = static_cast<double>(layers.size());
  const auto variances = fold_layers<double, double>(op::var::kernel<double>(), layers);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    double sum = 0;
    double squares = 0;
    for (const std::vector<double>& layer : layers) {
      sum += layer[i];
      squares += layer[i] * layer[i];
    }
    RC_ASSERT(std::abs(variances[i] - (squares - sum * sum / n) / n) < 1e-12);
  }
}

/// Values of which sums, and squares of distances, depend on the order of all steps.
template <class T>
void expect_bits(const fold_kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> spread(0.0, 9.0);
  layers_of<T> layers(4 * (1 + random() % 4), std::vector<T>(1 + random() % 150));
  fold_states alone(kernel, static_cast<index_t>(layers.front().size()));
  for (std::vector<T>& layer : layers) {
    for (T& x : layer) x = static_cast<T>(random() % 2 == 0 ? spread(random) : -spread(random));
    alone.take_each(buffer<T>(layer).bytes());
  }
  RC_ASSERT(states_of_layers(kernel, layers).values() == alone.values());
}

RC_GTEST_PROP(Layers, GiveTheBitsThatEachGivesAlone, (std::uint64_t seed)) {
  expect_bits<float>(op::sum::kernel<float>(), seed);
  expect_bits<double>(op::sum::kernel<double>(), seed);
  expect_bits<double>(op::prod::kernel<double>(), seed);
  expect_bits<float>(op::stddev::kernel<float>(), seed);
  expect_bits<double>(op::var::kernel<double>(), seed);
}

TEST(Layers, LoseNoSmallElementsBesideAGreatSum) {
  // Each 1 is half a unit in the last place of 1e16: a plain sum loses all.
  constexpr auto group = static_cast<std::size_t>(detail::plain_additions);
  layers_of<double> layers(10 * group + 1, {0, 0});
  layers[0] = {1e16, 1};
  for (std::size_t i = group; i < layers.size(); i += group) layers[i] = {1, 0.5};
  EXPECT_EQ((fold_layers<double, double>(op::sum::kernel<double>(), layers)),
            (std::vector<double>{1e16 + 10, 6}));
}

TEST(Layers, KeepASumThatIsInfinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  layers_of<double> layers(11, {1, 1, 1, 1});
  layers[2] = {infinity, -infinity, infinity, infinity};
  layers[7] = {2, 2, -infinity, 2};
  layers[9] = {2, 2, 2, -infinity};
  const auto sums = fold_layers<double, double>(op::sum::kernel<double>(), layers);
  EXPECT_EQ(sums[0], infinity);
  EXPECT_EQ(sums[1], -infinity);
  EXPECT_NE(sums[2], sums[2]);
  EXPECT_NE(sums[3], sums[3]);
}

TEST(Layers, CarryWhatIsNoNumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const layers_of<double> layers{{1, 1}, {nan, infinity}, {2, 2}, {3, 3}};
  const auto sums = fold_layers<double, double>(op::sum::kernel<double>(), layers);
  EXPECT_NE(sums[0], sums[0]);
  EXPECT_EQ(sums[1], infinity);
  const auto largest = fold_layers<double, double>(op::max::kernel<double>(), layers);
  EXPECT_NE(largest[0], largest[0]);
  EXPECT_EQ(largest[1], infinity);
}

// The condition under which a block is walked layer by layer.

index_t num_at_once = 0;
index_t num_alone = 0;

/// Horner's rule, so that the order of layers is seen: a state becomes 3 times itself plus x.
double next(double state, double x) { return 3 * state + x; }

fold_kernel alone() {
  return {.name = "layers_test alone",
          .label = "digits",
          .inputs = {dtype::float64},
          .outputs = {dtype::float64},
          .state_fields = {dtype::float64},
          .start = [](std::byte* const* state_fields, index_t size,
                      const void*) { std::fill_n(doubles(state_fields[0]), size, 0.0); },
          .take_each =
              [](std::byte* const* state_fields, const fold_strip& strip) {
                num_alone += strip.size;
                for (index_t i = 0; i < strip.size; ++i) {
                  double& state = doubles(state_fields[0])[i];
                  state = next(state, doubles(strip.inputs[0])[i]);
                }
              }};
}

fold_kernel at_once() {
  fold_kernel kernel = alone();
  kernel.take_layers = [](std::byte* const* state_fields, const fold_strip& strip) {
    num_at_once += strip.size * static_cast<index_t>(layers_at_once);
    for (index_t i = 0; i < strip.size; ++i) {
      for (std::size_t layer = 0; layer < layers_at_once; ++layer) {
        double& state = doubles(state_fields[0])[i];
        state = next(state, doubles(strip.inputs[layer])[i]);
      }
    }
  };
  return kernel;
}

/// Elements of a block of outer x kept x inner x columns. The second and the last axis are kept,
/// the first and the third are folded.
class LayersOfABlock : public ::testing::Test {
 protected:
  LayersOfABlock() {
    num_at_once = 0;
    num_alone = 0;
  }

  static double value(index_t i) { return static_cast<double>(i * i % 11); }

  static strip_program plain() {
    return {.num_operands = 1, .registers = {dtype::float64}, .steps = {}, .results = {0}};
  }

  struct options {
    strip_program program = plain();
    double* target = nullptr;
    /// The elements that each state has taken before.
    index_t taken = 0;
  };

  /// Folds a block of `extents` with rows of `pitch` elements, in steps of `step`; returns states.
  static std::vector<double> fold(const index_vector& extents, index_t pitch, index_t step,
                                  const fold_kernel& kernel) {
    return fold(extents, pitch, step, kernel, options{});
  }
  static std::vector<double> fold(const index_vector& extents, index_t pitch, index_t step,
                                  const fold_kernel& kernel, const options& chosen) {
    const auto& [program, target, taken] = chosen;
    const index_t rows = extents[0] * extents[1] * extents[2];
    buffer<double> x(static_cast<std::size_t>(rows * pitch));
    for (index_t i = 0; i < rows * pitch; ++i) x.data()[i] = value(i);
    constexpr index_t item = sizeof(double);
    const index_vector strides{extents[1] * extents[2] * pitch * item, extents[2] * pitch * item,
                               pitch * item, step * item};
    const index_t num_states = extents[1] * extents[3];
    std::vector<double> states(static_cast<std::size_t>(num_states), 0.0);
    std::vector<strip_target> targets;
    if (target != nullptr) {
      targets.push_back({0, {static_cast<std::byte*>(static_cast<void*>(target)), strides}});
    }
    std::vector<std::byte> scratch(scratch_bytes(program, num_elements(extents)));
    const index_vector state_strides{0, extents[3], 0, 1};
    run_strips(program, std::vector<block_operand>{{.data = x.bytes(), .strides = strides}},
               targets,
               std::vector<block_states>{
                   {.kernel = &kernel,
                    .state_fields = {static_cast<std::byte*>(static_cast<void*>(states.data()))},
                    .num_taken = taken}},
               extents, {.reduced = 0b0101, .state_strides = state_strides}, scratch);
    return states;
  }

  static std::vector<double> expected(const index_vector& extents, index_t pitch, index_t step,
                                      double sign = 1) {
    std::vector<double> states(static_cast<std::size_t>(extents[1] * extents[3]), 0.0);
    for (index_t i = 0; i < extents[0]; ++i) {
      for (index_t j = 0; j < extents[1]; ++j) {
        for (index_t k = 0; k < extents[2]; ++k) {
          const index_t row = (i * extents[1] + j) * extents[2] + k;
          for (index_t l = 0; l < extents[3]; ++l) {
            double& state = states[static_cast<std::size_t>(j * extents[3] + l)];
            state = next(state, sign * value(row * pitch + l * step));
          }
        }
      }
    }
    return states;
  }
};

TEST_F(LayersOfABlock, AreTakenFourAtOnceAndTheRestAlone) {
  const index_vector extents{3, 2, 7, 5'000};
  EXPECT_EQ(fold(extents, 5'003, 1, at_once()), expected(extents, 5'003, 1));
  // 20 of the 21 layers.
  EXPECT_EQ(num_at_once, 2 * 20 * 5'000);
  EXPECT_EQ(num_alone, 2 * 5'000);
}

// Groups of four are counted from the first element of a state.
TEST_F(LayersOfABlock, AreTakenAloneUpToTheNextGroup) {
  const index_vector extents{3, 2, 7, 5'000};
  EXPECT_EQ(fold(extents, 5'003, 1, at_once(), {.taken = 6}), expected(extents, 5'003, 1));
  // 2 layers, then 16 of the other 19, then 3.
  EXPECT_EQ(num_at_once, 2 * 16 * 5'000);
  EXPECT_EQ(num_alone, 2 * 5 * 5'000);
}

// More than lies in caches: states are gone along in longer runs.
TEST_F(LayersOfABlock, AreTakenSoOfALargeBlock) {
  const index_vector extents{2, 1, 5, 200'000};
  EXPECT_EQ(fold(extents, 200'000, 1, at_once()), expected(extents, 200'000, 1));
  EXPECT_EQ(num_at_once, 8 * 200'000);
  EXPECT_EQ(num_alone, 2 * 200'000);
}

TEST_F(LayersOfABlock, AreTakenAloneWhereThereAreFew) {
  const index_vector extents{1, 2, 3, 1'500};
  EXPECT_EQ(fold(extents, 1'500, 1, at_once()), expected(extents, 1'500, 1));
  EXPECT_EQ(num_at_once, 0);
}

TEST_F(LayersOfABlock, AreTakenAloneByAFoldThatKnowsNoOtherWay) {
  const index_vector extents{3, 2, 3, 1'500};
  EXPECT_EQ(fold(extents, 1'500, 1, alone()), expected(extents, 1'500, 1));
}

TEST_F(LayersOfABlock, AreTakenAloneWhereElementsLieApart) {
  const index_vector extents{3, 2, 3, 1'500};
  EXPECT_EQ(fold(extents, 3'000, 2, at_once()), expected(extents, 3'000, 2));
  EXPECT_EQ(num_at_once, 0);
}

TEST_F(LayersOfABlock, AreTakenAloneWhereAStepMakesThem) {
  const index_vector extents{3, 2, 3, 1'500};
  const strip_program program{.num_operands = 1,
                              .registers = {dtype::float64, dtype::float64},
                              .steps = {{&negative(), {}, {0}, {1}}},
                              .results = {1}};
  EXPECT_EQ(fold(extents, 1'500, 1, at_once(), {.program = program}),
            expected(extents, 1'500, 1, -1));
  EXPECT_EQ(num_at_once, 0);
}

TEST_F(LayersOfABlock, AreTakenAloneWhereTheyAreStoredAsWell) {
  const index_vector extents{3, 2, 3, 1'500};
  std::vector<double> stored(3 * 2 * 3 * 1'500);
  EXPECT_EQ(fold(extents, 1'500, 1, at_once(), {.target = stored.data()}),
            expected(extents, 1'500, 1));
  EXPECT_EQ(num_at_once, 0);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    ASSERT_EQ(stored[i], value(static_cast<index_t>(i)));
  }
}

}  // namespace
}  // namespace tessera
