// SPDX-License-Identifier: Apache-2.0
#include "tessera/meta/promotion.hpp"

#include "tessera/function/elementwise.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// numpy.promote_types of each pair, in the order of `dtype`.
constexpr std::array<std::array<dtype, 14>, 14> of_numpy{{
    {{dtype::boolean, dtype::int8, dtype::int16, dtype::int32, dtype::int64, dtype::uint8,
      dtype::uint16, dtype::uint32, dtype::uint64, dtype::float16, dtype::float32, dtype::float64,
      dtype::complex64, dtype::complex128}},
    {{dtype::int8, dtype::int8, dtype::int16, dtype::int32, dtype::int64, dtype::int16,
      dtype::int32, dtype::int64, dtype::float64, dtype::float16, dtype::float32, dtype::float64,
      dtype::complex64, dtype::complex128}},
    {{dtype::int16, dtype::int16, dtype::int16, dtype::int32, dtype::int64, dtype::int16,
      dtype::int32, dtype::int64, dtype::float64, dtype::float32, dtype::float32, dtype::float64,
      dtype::complex64, dtype::complex128}},
    {{dtype::int32, dtype::int32, dtype::int32, dtype::int32, dtype::int64, dtype::int32,
      dtype::int32, dtype::int64, dtype::float64, dtype::float64, dtype::float64, dtype::float64,
      dtype::complex128, dtype::complex128}},
    {{dtype::int64, dtype::int64, dtype::int64, dtype::int64, dtype::int64, dtype::int64,
      dtype::int64, dtype::int64, dtype::float64, dtype::float64, dtype::float64, dtype::float64,
      dtype::complex128, dtype::complex128}},
    {{dtype::uint8, dtype::int16, dtype::int16, dtype::int32, dtype::int64, dtype::uint8,
      dtype::uint16, dtype::uint32, dtype::uint64, dtype::float16, dtype::float32, dtype::float64,
      dtype::complex64, dtype::complex128}},
    {{dtype::uint16, dtype::int32, dtype::int32, dtype::int32, dtype::int64, dtype::uint16,
      dtype::uint16, dtype::uint32, dtype::uint64, dtype::float32, dtype::float32, dtype::float64,
      dtype::complex64, dtype::complex128}},
    {{dtype::uint32, dtype::int64, dtype::int64, dtype::int64, dtype::int64, dtype::uint32,
      dtype::uint32, dtype::uint32, dtype::uint64, dtype::float64, dtype::float64, dtype::float64,
      dtype::complex128, dtype::complex128}},
    {{dtype::uint64, dtype::float64, dtype::float64, dtype::float64, dtype::float64, dtype::uint64,
      dtype::uint64, dtype::uint64, dtype::uint64, dtype::float64, dtype::float64, dtype::float64,
      dtype::complex128, dtype::complex128}},
    {{dtype::float16, dtype::float16, dtype::float32, dtype::float64, dtype::float64,
      dtype::float16, dtype::float32, dtype::float64, dtype::float64, dtype::float16,
      dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}},
    {{dtype::float32, dtype::float32, dtype::float32, dtype::float64, dtype::float64,
      dtype::float32, dtype::float32, dtype::float64, dtype::float64, dtype::float32,
      dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}},
    {{dtype::float64, dtype::float64, dtype::float64, dtype::float64, dtype::float64,
      dtype::float64, dtype::float64, dtype::float64, dtype::float64, dtype::float64,
      dtype::float64, dtype::float64, dtype::complex128, dtype::complex128}},
    {{dtype::complex64, dtype::complex64, dtype::complex64, dtype::complex128, dtype::complex128,
      dtype::complex64, dtype::complex64, dtype::complex128, dtype::complex128, dtype::complex64,
      dtype::complex64, dtype::complex128, dtype::complex64, dtype::complex128}},
    {{dtype::complex128, dtype::complex128, dtype::complex128, dtype::complex128, dtype::complex128,
      dtype::complex128, dtype::complex128, dtype::complex128, dtype::complex128, dtype::complex128,
      dtype::complex128, dtype::complex128, dtype::complex128, dtype::complex128}},
}};

TEST(Promotion, IsThatOfNumPyForEachPair) {
  for (std::size_t i = 0; i < of_numpy.size(); ++i) {
    for (std::size_t j = 0; j < of_numpy.size(); ++j) {
      const dtype promoted = visit_dtype(static_cast<dtype>(i), [&]<class A>(type_tag<A>) {
        return visit_dtype(static_cast<dtype>(j),
                           []<class B>(type_tag<B>) { return dtype_of<promote_t<A, B>>; });
      });
      EXPECT_EQ(promoted, of_numpy[i][j]) << i << ", " << j;
    }
  }
}

TEST(Promotion, FunctionsOfRealNumbersMakeFloat64OfIntegers) {
  static_assert(std::same_as<op::result_t<op::sqrt, int32_t>, double>);
  static_assert(std::same_as<op::result_t<op::sqrt, float>, float>);
  static_assert(std::same_as<op::result_t<op::divide, int8_t, int8_t>, double>);
  static_assert(std::same_as<op::result_t<op::divide, float, int16_t>, float>);
  static_assert(std::same_as<op::operand_t<op::divide, 1, float, int64_t>, double>);
}

TEST(Promotion, ComparisonsWorkInTheCommonDtypeThatHoldsBoth) {
  static_assert(std::same_as<op::result_t<op::less, int8_t, double>, bool>);
  static_assert(std::same_as<op::operand_t<op::less, 0, int8_t, uint8_t>, int16_t>);
  static_assert(std::same_as<op::operand_t<op::less, 0, int64_t, uint64_t>, int64_t>);
  static_assert(std::same_as<op::operand_t<op::equal, 1, int64_t, uint64_t>, uint64_t>);
  static_assert(std::same_as<op::operand_t<op::less, 0, int64_t, double>, double>);
  static_assert(std::same_as<op::operand_t<op::isnan, 0, int8_t>, double>);
}

TEST(Promotion, AChoiceHasTheDtypeOfWhatIsChosen) {
  static_assert(std::same_as<op::result_t<op::where, bool, int32_t, float>, double>);
  static_assert(std::same_as<op::operand_t<op::where, 0, bool, int32_t, float>, bool>);
  static_assert(!op::accepts<op::where, int32_t, float, float>());
}

TEST(Promotion, WeakScalarsTakeTheDtypeOfArraysOfTheirKind) {
  static_assert(std::same_as<weak_t<double, float>, float>);
  static_assert(std::same_as<weak_t<int, float>, float>);
  static_assert(std::same_as<weak_t<int, uint8_t>, uint8_t>);
  static_assert(std::same_as<weak_t<float, int32_t>, double>);
  static_assert(std::same_as<weak_t<bool, int16_t>, int16_t>);
  static_assert(std::same_as<weak_t<int, bool>, int64_t>);
  static_assert(std::same_as<weak_t<double, bool>, double>);
  static_assert(std::same_as<weak_t<double, float16>, float16>);
  static_assert(std::same_as<weak_t<int, complex64>, complex64>);
  static_assert(std::same_as<weak_t<double, complex64>, complex64>);
  // numpy 2: result_type(dtype, 1j)
  static_assert(std::same_as<weak_t<complex128, float>, complex64>);
  static_assert(std::same_as<weak_t<complex128, float16>, complex64>);
  static_assert(std::same_as<weak_t<complex64, double>, complex128>);
  static_assert(std::same_as<weak_t<complex64, int32_t>, complex128>);
}

TEST(Promotion, FunctionsRefuseDtypesThatTheyDoNotHave) {
  static_assert(!op::accepts<op::add, bool, bool>());
  static_assert(op::accepts<op::add, bool, uint16_t>());
  static_assert(!op::accepts<op::bitwise_and, int32_t, float>());
  static_assert(!op::accepts<op::bitwise_or, uint64_t, int64_t>());
  static_assert(op::accepts<op::bitwise_xor, bool, uint32_t>());
  static_assert(!op::accepts<op::bitwise_left_shift, bool, bool>());
  static_assert(!op::accepts<op::logical_and, bool, int8_t>());
  static_assert(op::accepts<op::equal, bool, double>());
}

}  // namespace
}  // namespace tessera
