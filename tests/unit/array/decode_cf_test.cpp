// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/decode_cf.hpp"

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

// Expected values come from xarray.conventions.decode_cf_variable, xarray 2023.1.

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Returns an open array of `values` with attributes, stored without a fill value of its own.
template <class T>
array<T, 1> packed(const std::vector<T>& values, const attributes& given,
                   std::optional<element_bytes> fill = std::nullopt) {
  const auto store = std::make_shared<memory_store>();
  const auto size = static_cast<index_t>(values.size());
  const zarr_array packed_array = zarr_array::create(
      store, "x", {.shape = {size}, .chunks = {size}, .dtype = dtype_of<T>, .fill_value = fill},
      given);
  std::vector<std::byte> encoded(packed_array.encoded_bound());
  packed_array.write_chunk(index_vector{0}, reinterpret_cast<const std::byte*>(values.data()),
                           encoded);
  return open<T, 1>(store, "x");
}

template <class R>
void expect(const ndarray<R, 1>& values, const std::vector<double>& expected) {
  ASSERT_EQ(static_cast<std::size_t>(values.size()), expected.size());
  for (index_t i = 0; i < values.size(); ++i) {
    const double value = expected[static_cast<std::size_t>(i)];
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(values(i))) << i;
    } else {
      const double tolerance = std::numeric_limits<R>::epsilon() * std::abs(value);
      EXPECT_NEAR(values(i), value, tolerance) << i;
      EXPECT_EQ(std::signbit(values(i)), std::signbit(value)) << i;
    }
  }
}

TEST(DecodeCf, ScalesAddsTheOffsetAndMasks) {
  const auto x = packed<std::int16_t>(
      {-32767, 0, 100, 32767},
      {{"scale_factor", 0.01}, {"add_offset", 273.15}, {"_FillValue", std::int64_t{-32767}}});
  const auto decoded = decode_cf(x);
  static_assert(std::same_as<decltype(decoded)::value_type, double>);
  expect(decoded.compute(), {nan, 273.15, 274.15, 600.82});
  const auto narrow = decode_cf<float>(x);
  static_assert(std::same_as<decltype(narrow)::value_type, float>);
  expect(narrow.compute(), {nan, 273.15F, 274.15F, 600.81995F});
}

TEST(DecodeCf, MasksEachMissingValue) {
  const auto x = packed<std::uint8_t>(
      {1, 2, 3, 4},
      {{"missing_value", std::vector<std::int64_t>{2, 4}}, {"_FillValue", std::int64_t{2}}});
  expect(decode_cf<float>(x).compute(), {1, nan, 3, nan});
}

TEST(DecodeCf, TakesTheFillValueOfTheArrayWhereTheAttributesHaveNone) {
  const auto fill = element_bytes(std::int64_t{9007199254740993});
  expect(decode_cf(packed<std::int64_t>({9007199254740993, 9007199254740992}, {}, fill)).compute(),
         {nan, 9007199254740992});
  const attributes fill_attributes{{"_FillValue", std::int64_t{5}}};
  expect(decode_cf(packed<std::int32_t>({7, 5}, fill_attributes, element_bytes(std::int32_t{7})))
             .compute(),
         {7, nan});
}

TEST(DecodeCf, KeepsFloatsFloats) {
  const auto decoded =
      decode_cf(packed<float>({1e20F, 1.5F, std::nanf(""), -0.0F}, {{"_FillValue", 1e20}}));
  static_assert(std::same_as<decltype(decoded)::value_type, float>);
  expect(decoded.compute(), {nan, 1.5, nan, -0.0});
  const auto half = decode_cf(packed<float16>({float16(1.5F), float16(2.5F), float16(-1.0F)},
                                              {{"scale_factor", 0.1}, {"_FillValue", -1.0}}));
  static_assert(std::same_as<decltype(half)::value_type, float>);
  expect(half.compute(), {0.15F, 0.25F, nan});
}

TEST(DecodeCf, ReadsIntegersOfTheOtherSignedness) {
  const auto bytes = packed<std::int8_t>(
      {-1, 0, 127, -128},
      {{"_Unsigned", "true"}, {"scale_factor", 0.5}, {"_FillValue", std::int64_t{-128}}});
  expect(decode_cf(bytes).compute(), {127.5, 0, 63.5, nan});
  const auto of_signed =
      packed<std::uint8_t>({255, 0, 127, 128}, {{"_Unsigned", "false"}, {"scale_factor", 2.0}});
  expect(decode_cf(of_signed).compute(), {-2, 0, 254, -256});
}

// The CF conventions, section 2.5.1: values outside of the range, in packed units, are missing.
TEST(DecodeCf, MasksWhatIsNotValid) {
  const std::vector<std::int16_t> values{-1, 0, 10, 11};
  const attributes range{{"valid_range", std::vector<std::int64_t>{0, 10}}, {"scale_factor", 10.0}};
  expect(decode_cf(packed(values, range)).compute(), {nan, 0, 100, nan});
  expect(decode_cf(packed(values, {{"valid_min", std::int64_t{0}}})).compute(), {nan, 0, 10, 11});
  expect(decode_cf(packed(values, {{"valid_max", 10.0}})).compute(), {-1, 0, 10, nan});
}

TEST(DecodeCf, IgnoresMissingValuesThatTheElementTypeDoesNotHave) {
  const attributes given{{"_FillValue", 1e20}, {"missing_value", std::int64_t{256}}};
  expect(decode_cf(packed<std::uint8_t>({0, 255}, given)).compute(), {0, 255});
}

TEST(DecodeCf, IsOneOperationWithWhatFollows) {
  const auto x = packed<std::int16_t>({1, 2, 3, 4}, {{"scale_factor", 0.5}, {"add_offset", 1.0}});
  const auto program = mean(decode_cf(x) * 2 + 1);
  EXPECT_EQ(plan(program).num_operations(), 1U);
  std::ostringstream table;
  table << plan(program);
  EXPECT_NE(table.str().find("decode_cf(x)"), std::string::npos) << table.str();
  EXPECT_EQ(program.compute(), 5.5);
}

TEST(DecodeCf, SaysWhichAttributeIsMalformed) {
  const auto refused = [](const attributes& given, std::initializer_list<std::string_view> parts) {
    const auto x = packed<std::int16_t>({1}, given);
    test::expect_error<value_error>([&] { static_cast<void>(decode_cf(x)); }, parts);
  };
  refused({{"scale_factor", "0.1"}}, {"\"scale_factor\"", "memory", "a number"});
  refused({{"add_offset", nan}}, {"\"add_offset\"", "finite"});
  refused({{"scale_factor", std::vector<double>{1, 2}}}, {"\"scale_factor\"", "a number"});
  refused({{"valid_range", 1.0}}, {"\"valid_range\"", "two numbers"});
  refused({{"valid_range", std::vector<double>{1, 2}}, {"valid_min", 1.0}},
          {"\"valid_range\"", "valid_min"});
  refused({{"_Unsigned", "yes"}}, {"\"_Unsigned\"", "\"true\" or \"false\""});
  refused({{"missing_value", "none"}}, {"\"missing_value\"", "numbers"});
  test::expect_error<value_error>([] { static_cast<void>(decode_cf(zeros<std::int16_t>({2}))); },
                                  {"zeros", "not a stored array"});
}

}  // namespace
}  // namespace tessera
