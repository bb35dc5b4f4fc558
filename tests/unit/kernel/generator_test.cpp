// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/generator.hpp"

#include "tessera/core/error.hpp"

#include "unit/kernel/run_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tessera {
namespace {

template <class T>
std::vector<T> generate(const generator_kernel& kernel, const kernel_parameters& parameters,
                        index_t size, index_t first = 0, index_t step = 1) {
  testing::buffer<T> out(static_cast<std::size_t>(size));
  kernel.run(out.bytes(), size, first, step, parameters.get());
  return out.values();
}

TEST(Generator, RepeatsAConstant) {
  EXPECT_EQ(
      generate<float>(generator::constant<float>(), generator::constant_parameters<float>(2.5F), 3),
      (std::vector<float>{2.5F, 2.5F, 2.5F}));
  EXPECT_EQ(
      generate<bool>(generator::constant<bool>(), generator::constant_parameters<bool>(true), 2),
      (std::vector<bool>{true, true}));
}

TEST(Generator, ComputesARangeAtAnyPositionWithoutDrift) {
  const auto parameters = generator::arange_parameters<double>(1.0, 0.1);
  EXPECT_EQ(generate<double>(generator::arange<double>(), parameters, 1, 1'000'000'000)[0],
            100'000'001.0);
  EXPECT_EQ(generate<std::int64_t>(generator::arange<std::int64_t>(),
                                   generator::arange_parameters<std::int64_t>(5, -3), 4, 1, 2),
            (std::vector<std::int64_t>{2, -4, -10, -16}));
  EXPECT_EQ(generate<std::uint8_t>(generator::arange<std::uint8_t>(),
                                   generator::arange_parameters<std::uint8_t>(250, 3), 4),
            (std::vector<std::uint8_t>{250, 253, 0, 3}));
}

template <class T>
void expect_range(T start, T step, index_t first, index_t distance) {
  constexpr index_t size = 1000;
  const auto generated = generate<T>(
      generator::arange<T>(), generator::arange_parameters(start, step), size, first, distance);
  for (index_t k = 0; k < size; ++k) {
    const std::uint64_t position = static_cast<std::uint64_t>(first + k * distance);
    const auto expected = static_cast<T>(static_cast<std::uint64_t>(start) +
                                         position * static_cast<std::uint64_t>(step));
    ASSERT_EQ(generated[static_cast<std::size_t>(k)], expected) << k;
  }
}

TEST(Generator, WrapsInLongRangesOfIntegers) {
  expect_range<std::int64_t>(std::numeric_limits<std::int64_t>::max() - 700, 3, 2, 1);
  expect_range<std::int64_t>(-5, index_t{1} << 40, index_t{1} << 30, 7);
  expect_range<std::int32_t>(9, -1'000'003, 11, 3);
  expect_range<std::uint16_t>(65'000, 7, 5, 2);
  expect_range<std::int8_t>(100, 3, 0, -5);
}

TEST(Generator, EndsALinspaceExactlyAtItsStop) {
  const auto& kernel = generator::linspace<double>();
  EXPECT_EQ(generate<double>(kernel, generator::linspace_parameters<double>(-1, 2, 7), 7),
            (std::vector<double>{-1, -0.5, 0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(generate<double>(kernel, generator::linspace_parameters<double>(0, 1, 4, false), 4),
            (std::vector<double>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(generate<double>(kernel, generator::linspace_parameters<double>(3, 9, 1), 1),
            (std::vector<double>{3}));
  for (index_t num = 2; num < 200; ++num) {
    const auto parameters = generator::linspace_parameters<double>(0.1, 0.7, num);
    EXPECT_EQ(generate<double>(kernel, parameters, 1, num - 1)[0], 0.7) << num;
  }
}

// Words of Philox4x32-10 from the algorithm's equations in Python, which gives the three vectors of
// Random123's kat_vectors; the first of them is seed 0, block 0: 6627e8d5 e169c58d bc57ac4c
// 9b00dbd8.
struct known_block {
  std::uint64_t seed;
  index_t block;
  std::vector<float> uniform_floats;
  std::vector<double> uniform_doubles;
  std::vector<double> normal_floats;
  std::vector<double> normal_doubles;
};

const std::vector<known_block> known_blocks{
    {0,
     0,
     {0.3990464210510254F, 0.8805201649665833F, 0.7357127666473389F, 0.6054818034172058F},
     {0.39904647231489565, 0.7357127860596914},
     {0.9911374886798916, -0.9246627929807149, -0.6176091119815644, -0.48206839175268756},
     {-0.12151796233958032, -1.3500326583619138}},
    {0x299f31d0a4093822,
     5,
     {0.12316566705703735F, 0.8106817603111267F, 0.6516932845115662F, 0.5332179665565491F},
     {0.12316568799824834, 0.6516932959349305},
     {0.7615369140322772, -1.8996081500818551, -0.905315592358076, -0.19174498923568217},
     {-1.1852604425683808, -1.6684145856602217}},
    {1,
     index_t{1} << 33,
     {0.8992592692375183F, 0.08621549606323242F, 0.001089632511138916F, 0.3507699966430664F},
     {0.899259322033938, 0.0010896649269015457},
     {0.3948557838135505, 0.23760590206839027, -2.1855619757997315, 2.9777650588202484},
     {0.4608228567817339, 0.0031551037058456235}},
};

TEST(Generator, MakesPhiloxsKnownValues) {
  for (const known_block& known : known_blocks) {
    EXPECT_EQ(
        generate<float>(generator::uniform<float>(),
                        generator::uniform_parameters<float>(known.seed, 0, 1), 4, 4 * known.block),
        known.uniform_floats);
    EXPECT_EQ(generate<double>(generator::uniform<double>(),
                               generator::uniform_parameters<double>(known.seed, 0, 1), 2,
                               2 * known.block),
              known.uniform_doubles);
    const auto floats =
        generate<float>(generator::normal<float>(),
                        generator::normal_parameters<float>(known.seed, 0, 1), 4, 4 * known.block);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(static_cast<double>(floats[i]), known.normal_floats[i], 1e-6);
    }
    const auto doubles = generate<double>(generator::normal<double>(),
                                          generator::normal_parameters<double>(known.seed, 0, 1), 2,
                                          2 * known.block);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(doubles[i], known.normal_doubles[i], 2e-15);
  }
}

template <class T>
void expect_values_of_position_alone(const generator_kernel& kernel,
                                     const kernel_parameters& parameters) {
  const auto whole = generate<T>(kernel, parameters, 4000);
  for (const index_t first : {0, 1, 2, 3, 517, 2047}) {
    for (const index_t size : {1, 2, 5, 511, 800}) {
      const auto part = generate<T>(kernel, parameters, size, first);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first)) << first;
    }
  }
  for (const index_t step : {2, 3, 4, 7, -1, -5, 0}) {
    const index_t first = 1500;
    const auto part = generate<T>(kernel, parameters, 299, first, step);
    for (index_t k = 0; k < 299; ++k) {
      const auto position = static_cast<std::size_t>(first + k * step);
      EXPECT_EQ(part[static_cast<std::size_t>(k)], whole[position]) << step << ", " << k;
    }
  }
}

TEST(Generator, MakesRandomValuesFromTheirPositionAlone) {
  expect_values_of_position_alone<float>(generator::uniform<float>(),
                                         generator::uniform_parameters<float>(7, -2, 5));
  expect_values_of_position_alone<double>(generator::uniform<double>(),
                                          generator::uniform_parameters<double>(7, -2, 5));
  expect_values_of_position_alone<float>(generator::normal<float>(),
                                         generator::normal_parameters<float>(7, 1, 3));
  expect_values_of_position_alone<double>(generator::normal<double>(),
                                          generator::normal_parameters<double>(7, 1, 3));
}

TEST(Generator, KeepsUniformValuesBelowTheirUpperLimit) {
  // Adjacent limits: half of all sums would round up to `high`.
  const double low = 1.0;
  const double high = std::nextafter(1.0, 2.0);
  for (const double x :
       generate<double>(generator::uniform<double>(),
                        generator::uniform_parameters<double>(3, low, high), 999)) {
    EXPECT_EQ(x, low);
  }
  const auto parameters = generator::uniform_parameters<float>(3, 5.0F, 5.0F);
  EXPECT_EQ(generate<float>(generator::uniform<float>(), parameters, 1)[0], 5.0F);
}

/// Expects the first four moments of a million values within five standard errors.
template <class T>
void expect_standard_normal(std::uint64_t seed) {
  constexpr index_t size = 1'000'000;
  const auto x =
      generate<T>(generator::normal<T>(), generator::normal_parameters<T>(seed, 0, 1), size);
  double moments[4] = {};
  double neighbours = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    for (int power = 0; power < 4; ++power) moments[power] += std::pow(value, power + 1) / size;
    if (i > 0) neighbours += value * static_cast<double>(x[i - 1]) / size;
  }
  const double error = 5 / std::sqrt(static_cast<double>(size));
  EXPECT_NEAR(moments[0], 0, error);
  EXPECT_NEAR(moments[1], 1, error * std::sqrt(2.0));
  EXPECT_NEAR(moments[2], 0, error * std::sqrt(15.0));
  EXPECT_NEAR(moments[3], 3, error * std::sqrt(96.0));
  EXPECT_NEAR(neighbours, 0, error);
}

TEST(Generator, MakesNormalValuesOfTheRightMoments) {
  expect_standard_normal<float>(1);
  expect_standard_normal<double>(2);
}

TEST(Generator, TellsParametersApart) {
  EXPECT_EQ(generator::uniform_parameters<float>(1, 0, 1),
            generator::uniform_parameters<float>(1, 0, 1));
  EXPECT_FALSE(generator::uniform_parameters<float>(1, 0, 1) ==
               generator::uniform_parameters<float>(2, 0, 1));
  EXPECT_TRUE(generator::normal_parameters<float>(1, 0, 1).is_portable());
}

TEST(Generator, RefusesLimitsOutOfOrderAndNegativeDeviations) {
  EXPECT_THROW((void)generator::uniform_parameters<double>(0, 1, 0), value_error);
  EXPECT_THROW((void)generator::uniform_parameters<double>(0, 0, INFINITY), value_error);
  EXPECT_THROW((void)generator::normal_parameters<float>(0, 0, -1), value_error);
  EXPECT_THROW((void)generator::normal_parameters<float>(0, std::nanf(""), 1), value_error);
}

}  // namespace
}  // namespace tessera
