// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Packed data by the CF conventions: stored integers that encode real numbers.

#include "tessera/array/array.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/stored_array.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// The packing of stored values, `value = stored * scale_factor + add_offset`, and the values that
/// are missing.
struct cf_packing {
  double scale_factor = 1;
  double add_offset = 0;
  /// The stored values of missing elements; values that the element type lacks are ignored.
  std::vector<std::variant<std::int64_t, std::uint64_t, double>> missing = {};
  /// Stored values outside of [valid_min, valid_max] are missing.
  double valid_min = -std::numeric_limits<double>::infinity();
  double valid_max = std::numeric_limits<double>::infinity();
  /// Whether integers are meant to be of the other signedness than they are stored in.
  bool changes_sign = false;

  /// Returns the packing that attributes of an array of `type` state: `scale_factor`, `add_offset`,
  /// `_FillValue`, `missing_value`, `valid_range`, `valid_min`, `valid_max`, `_Unsigned`.
  ///
  /// Throws: value_error <- one of them is malformed; the message names `array` and the attribute.
  /// Source: CF conventions 1.10, sections 2.5.1 and 8.1; xarray.coding.variables.
  [[nodiscard]] static cf_packing parse(const attributes& given, dtype type,
                                        std::string_view array);
};

namespace detail {

/// The greatest number of stored values of missing elements.
inline constexpr std::size_t max_missing = 4;

/// Returns the stored values of missing elements: `_FillValue` and `missing_value` of the
/// attributes, and, as xarray does, the array's own fill value if there is no `_FillValue`.
///
/// Throws: value_error <- an attribute is malformed.
[[nodiscard]] std::vector<std::variant<std::int64_t, std::uint64_t, double>> missing_values_of(
    const stored_array& array);

/// Returns the packing of a stored array. As xarray does, it takes the array's own fill value for
/// `_FillValue` if the attributes have none.
///
/// Throws: as `cf_packing::parse`; value_error <- `view` is not of a stored array.
[[nodiscard]] cf_packing packing_of(const array_view& view);

/// Throws value_error unless there are at most `max_missing` missing values.
void check_num_missing(std::size_t count);

/// Returns `value` as a `T`, or false if there is no such `T`.
template <class T, class Value>
std::pair<T, bool> stored_value(Value value, bool changes_sign) {
  if constexpr (std::integral<T> && std::integral<Value>) {
    // Of the other signedness, a value has the same bits.
    return {static_cast<T>(value), changes_sign || std::in_range<T>(value)};
  } else if constexpr (std::integral<T>) {
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const bool fits = value >= (std::is_signed_v<T> ? -end : 0.0) && value < end;
    return {fits ? static_cast<T>(value) : T{}, fits && std::trunc(value) == value};
  } else {
    using real = std::conditional_t<std::same_as<T, double>, double, float>;
    return {static_cast<T>(static_cast<real>(value)), value == value};
  }
}

/// Unpacks one element. Its state is kept as bits, so that equal decoders are equal byte for byte.
template <element T, std::floating_point R>
class cf_decoder {
 public:
  static constexpr std::string_view name = "decode_cf";

  explicit cf_decoder(const cf_packing& packing)
      : scale_(bits(packing.scale_factor)),
        offset_(bits(packing.add_offset == 0 ? -0.0 : packing.add_offset)),  // keeps -0
        low_(bits(packing.valid_min)),
        high_(bits(packing.valid_max)),
        changes_sign_(packing.changes_sign ? 1 : 0) {
    check_num_missing(packing.missing.size());
    for (const auto& value : packing.missing) {
      const auto [stored, exists] = std::visit(
          [&](auto number) { return stored_value<T>(number, packing.changes_sign); }, value);
      if (exists) missing_[num_missing_++] = std::bit_cast<stored_bits>(stored);
    }
    for (std::size_t i = num_missing_; i < max_missing; ++i) missing_[i] = missing_[0];
  }

  R operator()(T x) const {
    const R value = real_value(x);
    bool is_missing = either(value<from_bits(low_), value> from_bits(high_));
    if (num_missing_ != 0) {
      for (const std::uint64_t known : missing_) {
        is_missing = either(is_missing, x == std::bit_cast<T>(static_cast<stored_bits>(known)));
      }
    }
    const R unpacked = value * from_bits(scale_) + from_bits(offset_);
    return is_missing ? std::numeric_limits<R>::quiet_NaN() : unpacked;
  }

 private:
  using stored_bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

  static std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<R>(value)));
  }
  static R from_bits(std::uint64_t value) { return static_cast<R>(std::bit_cast<double>(value)); }

  R real_value(T x) const {
    if constexpr (std::integral<T>) {
      using opposite_sign = typename std::conditional_t<std::is_signed_v<T>, std::make_unsigned<T>,
                                                        std::make_signed<T>>::type;
      return changes_sign_ != 0 ? static_cast<R>(static_cast<opposite_sign>(x)) : static_cast<R>(x);
    } else {
      return static_cast<R>(x);
    }
  }

  std::uint64_t scale_;
  std::uint64_t offset_;
  std::uint64_t low_;
  std::uint64_t high_;
  std::uint64_t changes_sign_;
  std::uint64_t num_missing_ = 0;
  std::array<std::uint64_t, max_missing> missing_{};
};

}  // namespace detail

/// The dtype of unpacked values: float32 of float16 and float32, else float64.
///
/// Without `add_offset`, xarray takes float32 for integers of 8 and 16 bits as well, because it
/// holds their values; `decode_cf<float>` does so too.
template <element T>
using unpacked_t =
    std::conditional_t<floating_element<T> && size_of(dtype_of<T>) <= 4, float, double>;

/// Tells whether elements of type `T` can be packed values.
template <class T>
inline constexpr bool can_be_packed = real_element<T>;

/// Returns the values that `x` holds packed by `packing`, as floats of type `R`; missing ones are
/// NaN.
///
/// Memory:   nothing is stored between; it is one function of an element, fused as any other.
/// Requires: elements that are real numbers.
/// Throws:   value_error <- missing elements have more than four stored values.
template <std::floating_point R, array_expression X>
[[nodiscard]] auto decode_cf(const X& x, const cf_packing& packing) {
  using type = typename X::value_type;
  static_assert(can_be_packed<type>,
                "tessera::decode_cf(x): requires elements that are real numbers, not bool or "
                "complex");
  if constexpr (can_be_packed<type>) {
    return make_elementwise(
        op::map<detail::cf_decoder<type, R>, 1>{detail::cf_decoder<type, R>(packing)}, x);
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto decode_cf(const X& x, const cf_packing& packing) {
  return decode_cf<unpacked_t<typename X::value_type>>(x, packing);
}

/// Returns the values of an array that was opened, unpacked by its attributes. Otherwise as
/// above.
///
/// Example: `auto t = ts::decode_cf(ts::open<std::int16_t, 3>("era5.zarr/t2m"));`
/// Throws:  value_error <- an attribute is malformed, or `x` is no stored array.
template <std::floating_point R, element T, std::size_t N>
[[nodiscard]] auto decode_cf(const array<T, N>& x) {
  return decode_cf<R>(x, detail::packing_of(x.view()));
}
template <element T, std::size_t N>
[[nodiscard]] auto decode_cf(const array<T, N>& x) {
  return decode_cf(x, detail::packing_of(x.view()));
}

}  // namespace tessera
