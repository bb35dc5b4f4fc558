// SPDX-License-Identifier: Apache-2.0
// Expected values are NumPy's.
#include "tessera/array/run_time_elementwise.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "unit/array/support.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>

namespace tessera {
namespace {

template <class T>
any_array line(std::initializer_list<T> values, index_t chunk = 2) {
  return asarray(ndarray<T, 1>::of(values), {.chunks = {chunk}});
}

template <class T>
ndarray<T, 1> values_of(const any_array& x) {
  return x.as<T, 1>().compute();
}

TEST(RunTimeElementwise, PromotesAsNumPyDoes) {
  EXPECT_EQ(result_type({dtype::int16, dtype::float16}), dtype::float32);
  EXPECT_EQ(result_type({dtype::int64, dtype::uint64}), dtype::float64);
  EXPECT_EQ(result_type({dtype::int8, dtype::uint8, dtype::boolean}), dtype::int16);
  EXPECT_EQ(result_type({dtype::complex64, dtype::float64}), dtype::complex128);
  const any_array small = line<std::int8_t>({-1, 2, 127});
  const any_array sum = small + line<std::uint8_t>({1, 2, 255});
  EXPECT_EQ(sum.dtype(), dtype::int16);
  test::expect_values<std::int16_t, 1>(values_of<std::int16_t>(sum), {3}, {0, 4, 382});
  const any_array quotient = small / line<std::int8_t>({2, 4, 2});
  test::expect_values<double, 1>(values_of<double>(quotient), {3}, {-0.5, 0.5, 63.5});
  test::expect_values<bool, 1>(values_of<bool>(small < line<float>({0, 2, 126.5F})), {3},
                               {true, false, false});
}

TEST(RunTimeElementwise, GivesNumbersTheDtypeOfTheArrays) {
  const any_array floats = line<float>({1, 4, 9});
  EXPECT_EQ((floats * 2.0).dtype(), dtype::float32);
  EXPECT_EQ((floats * complex128(0, 1)).dtype(), dtype::complex64);
  const any_array integers = line<std::int16_t>({7, -7, 3});
  EXPECT_EQ((integers + 1).dtype(), dtype::int16);
  EXPECT_EQ((integers + 0.5).dtype(), dtype::float64);
  EXPECT_EQ((line<bool>({true, false}) + 2).dtype(), dtype::int64);
  test::expect_values<std::int16_t, 1>(values_of<std::int16_t>(-integers % 4), {3}, {1, 3, 1});
  test::expect_values<std::int16_t, 1>(values_of<std::int16_t>(2 - integers), {3}, {-5, 9, -1});
  test::expect_error<value_error>([&] { static_cast<void>(integers + 40000); },
                                  {"add", "40000", "int16"});
}

TEST(RunTimeElementwise, ReplacesNanAndTellsClosenessByDefault) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const any_array x = line<double>({1, nan, -infinity, infinity});
  const auto expect = [](const any_array& result, const ndarray<double, 1>& expected) {
    EXPECT_EQ(values_of<double>(result), expected);
  };
  constexpr double greatest = std::numeric_limits<double>::max();
  expect(elementwise("nan_to_num", {x}), {1, 0, -greatest, greatest});
  expect(elementwise("fillna", {x, 7.0}), {1, 7, -infinity, infinity});
  test::expect_values<bool, 1>(values_of<bool>(elementwise("isclose", {x, x + 1e-9})), {4},
                               {true, false, true, true});
}

TEST(RunTimeElementwise, ComparesIntegersByTheirValues) {
  const auto expect = [](const any_array& result, std::initializer_list<bool> expected) {
    test::expect_values<bool, 1>(values_of<bool>(result), {3}, expected);
  };
  const any_array bytes = line<std::uint8_t>({0, 7, 255});
  expect(bytes == -1, {false, false, false});
  expect(bytes < 256, {true, true, true});
  expect(-1 < bytes, {true, true, true});
  expect(bytes >= std::uint64_t{1} << 63, {false, false, false});
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const any_array a = line<std::int64_t>({odd, -1, odd});
  const any_array b = line<std::uint64_t>({odd - 1, ~std::uint64_t{0}, odd});
  expect(a == b, {false, false, true});
  expect(a < b, {false, true, false});
  expect(b < a, {true, false, false});
  expect(a != std::uint64_t{odd}, {false, true, false});
  expect(b > -1, {true, true, true});
  expect(line<float>({1, -1, 0}) < 1e300, {true, true, true});
}

TEST(RunTimeElementwise, ClipsToWhatTheDtypeHolds) {
  const any_array bytes = line<std::uint8_t>({0, 7, 255});
  test::expect_values<std::uint8_t, 1>(
      values_of<std::uint8_t>(elementwise("clip", {bytes, -1, 300})), {3}, {0, 7, 255});
  test::expect_error<value_error>(
      [&] {
        static_cast<void>(elementwise("clip", {bytes, 300, 400}));
      },
      {"300", "uint8"});
}

TEST(RunTimeElementwise, CallsFunctionsByName) {
  const any_array x = line<double>({3, -8, 0.25});
  test::expect_values<double, 1>(values_of<double>(elementwise("hypot", {x, 4.0})), {3},
                                 {5, std::sqrt(80.0), std::sqrt(16.0625)});
  test::expect_values<double, 1>(values_of<double>(elementwise("clip", {x, -1, 1})), {3},
                                 {1, -1, 0.25});
  test::expect_values<double, 1>(values_of<double>(elementwise("where", {x > 0, x, 7.0})), {3},
                                 {3, 7, 0.25});
  // Integers as float64.
  test::expect_values<double, 1>(
      values_of<double>(elementwise("sqrt", {line<std::uint8_t>({4, 9})})), {2}, {2, 3});
  test::expect_values<bool, 1>(values_of<bool>(!(x == -8)), {3}, {true, false, true});
}

TEST(RunTimeElementwise, BroadcastsArraysOfAnyRank) {
  const any_array column = asarray(ndarray<int, 2>::of({{10}, {20}}), {.chunks = {1, 1}});
  const any_array sum = column + line<int>({1, 2, 3});
  EXPECT_EQ(sum.shape(), (index_vector{2, 3}));
  test::expect_values<int, 2>(sum.as<int, 2>().compute(), {2, 3}, {11, 12, 13, 21, 22, 23});
  test::expect_error<shape_error>(
      [&] {
        static_cast<void>(sum + line<int>({1, 2}));
      },
      {"add", "(2, 3)", "(2,)"});
}

TEST(RunTimeElementwise, ComputesFloat16InFloat32AndRoundsOnce) {
  const any_array x = astype(line<float>({1, 2, 8}), dtype::float16);
  const any_array y = elementwise("exp", {x / 3});
  EXPECT_EQ(y.dtype(), dtype::float16);
  // numpy.exp(numpy.float16([1, 2, 8]) / numpy.float16(3))
  const ndarray<float, 1> wide = values_of<float>(astype(y, dtype::float32));
  EXPECT_EQ(wide, (ndarray<float, 1>::of({1.3955078125F, 1.947265625F, 14.3828125F})));
}

TEST(RunTimeElementwise, ConvertsAsTypedArraysDo) {
  const any_array x = line<double>({-1.5, 300, std::nan("")});
  const auto typed = x.as<double, 1>();
  EXPECT_EQ(values_of<std::uint8_t>(astype(x, dtype::uint8)),
            astype<std::uint8_t>(typed).compute());
  EXPECT_EQ(values_of<std::int32_t>(astype(x, dtype::int32)),
            astype<std::int32_t>(typed).compute());
  EXPECT_EQ(values_of<bool>(astype(x, dtype::boolean)), astype<bool>(typed).compute());
  test::expect_error<dtype_error>(
      [&] { static_cast<void>(astype(astype(x, dtype::complex64), dtype::float32)); },
      {"complex64", "float32"});
}

TEST(RunTimeElementwise, ReadsOnceWhatSeveralFunctionsTake) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(ndarray<std::int16_t, 1>::of({1, 2, 3, 4}), {.chunks = {2}}), memory, "x");
  const any_array x = open_any(memory, "x");
  EXPECT_TRUE(x.is_stored());
  const any_array y = elementwise("sqrt", {x * x + 0.25}) - x;
  EXPECT_FALSE(y.is_stored());
  const auto asked = plan(y.as<double, 1>());
  EXPECT_EQ(asked.num_operations(), 1U);
  EXPECT_EQ(asked.cost().bytes_read, bytes(8));
  const any_array stored = store(y, memory, "y");
  EXPECT_EQ(stored.chunks(), (index_vector{2}));
  test::expect_values<double, 1>(
      values_of<double>(stored), {4},
      {std::sqrt(1.25) - 1, std::sqrt(4.25) - 2, std::sqrt(9.25) - 3, std::sqrt(16.25) - 4});
  test::expect_error<value_error>([&] { static_cast<void>(y.metadata()); }, {"not stored"});
}

TEST(RunTimeElementwise, IsStoredInTheChunksThatRechunkGaveIt) {
  const auto memory = std::make_shared<memory_store>();
  const any_array stored =
      store(rechunk(line<int>({1, 2, 3, 4}) + 1, chunk_lengths({4})), memory, "x");
  EXPECT_EQ(stored.metadata().chunks, (index_vector{4}));
  test::expect_values<int, 1>(values_of<int>(stored), {4}, {2, 3, 4, 5});
}

TEST(RunTimeElementwise, RefusesWithOneSentence) {
  const any_array x = line<double>({1, 2});
  test::expect_error<value_error>([&] { static_cast<void>(elementwise("sqr", {x})); },
                                  {"\"sqr\"", "did you mean \"sqrt\""});
  test::expect_error<value_error>(
      [&] {
        static_cast<void>(elementwise("sqrt", {x, x}));
      },
      {"takes 1 operand, and 2 are given"});
  test::expect_error<value_error>(
      [&] {
        static_cast<void>(elementwise("add", {1, 2}));
      },
      {"none of its operands is an array"});
  test::expect_error<dtype_error>([&] { static_cast<void>(x & x); },
                                  {"bitwise_and", "float64, float64", "bool, int8"});
  test::expect_error<dtype_error>(
      [&] {
        static_cast<void>(elementwise("where", {x, x, x}));
      },
      {"where", "condition"});
  test::expect_error<dtype_error>([&] { static_cast<void>(x.as<float, 1>()); },
                                  {"float64", "float32", "astype"});
  test::expect_error<shape_error>([&] { static_cast<void>(x.as<double, 2>()); }, {"rank 1", "2"});
}

TEST(RunTimeElementwise, TakesTypedArraysToo) {
  const array<int, 1> typed = asarray(ndarray<int, 1>::of({1, 2}));
  test::expect_values<int, 1>(values_of<int>(elementwise("add", {line<int>({10, 20}), typed})), {2},
                              {11, 22});
}

}  // namespace
}  // namespace tessera
