// SPDX-License-Identifier: Apache-2.0
// Every function with every dtype: refusals and results. The compiler checks them.
#include "tessera/array/array.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/function/dtype_table.hpp"
#include "unit/function/element_types.hpp"

#include <algorithm>
#include <boost/hana/length.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>
#include <type_traits>

namespace tessera::testing {
namespace {

/// Returns the row of a function; one that has none does not compile.
consteval const dtype_row& row_of(std::string_view name) {
  return *std::find_if(dtype_table.begin(), dtype_table.end(),
                       [&](const dtype_row& row) { return row.name == name; });
}

template <class T>
consteval char kind_of() {
  if constexpr (std::same_as<T, bool>) return 'b';
  if constexpr (complex_element<T>) return 'c';
  if constexpr (std::integral<T>) return std::is_signed_v<T> ? 'i' : 'u';
  return 'f';
}

template <gives Result, class T>
consteval auto given() {
  constexpr char kind = kind_of<T>();
  constexpr bool is_whole = kind == 'b' || kind == 'i' || kind == 'u';
  if constexpr (Result == gives::boolean) {
    return type_tag<bool>{};
  } else if constexpr (Result == gives::position) {
    return type_tag<std::int64_t>{};
  } else if constexpr (Result == gives::exponent) {
    return type_tag<std::int32_t>{};
  } else if constexpr ((Result == gives::floating || Result == gives::deviation) && is_whole) {
    return type_tag<double>{};
  } else if constexpr (Result == gives::accumulated && is_whole) {
    return type_tag<std::conditional_t<kind == 'u', std::uint64_t, std::int64_t>>{};
  } else if constexpr ((Result == gives::part || Result == gives::deviation) && kind == 'c') {
    return type_tag<typename T::value_type>{};
  } else {
    return type_tag<T>{};
  }
}

/// Checks that `Op` takes and gives the dtypes of its row, for arrays of `Ts`, the last of which
/// decides.
template <class Op, class T, class... Ts>
consteval bool keeps_to_row() {
  constexpr const dtype_row& row = row_of(Op::name);
  constexpr bool takes = row.takes.find(kind_of<T>()) != std::string_view::npos;
  static_assert(dtypes_accepted<Op, array<Ts, 1>...> == takes);
  if constexpr (takes) {
    using result = op::result_t<Op, Ts...>;
    static_assert(std::same_as<result, typename decltype(given<row.result, T>())::type>);
    static_assert(std::same_as<result, typename decltype(make_elementwise(
                                           Op{}, std::declval<array<Ts, 1>>()...))::value_type>);
  }
  return true;
}

template <class Op, class T>
consteval bool elementwise_keeps_to_row() {
  if constexpr (std::same_as<Op, op::where>) {
    static_assert(!dtypes_accepted<Op, array<std::int8_t, 1>, array<T, 1>, array<T, 1>>);
    return keeps_to_row<Op, T, bool, T, T>();
  } else if constexpr (Op::arity == 1) {
    return keeps_to_row<Op, T, T>();
  } else if constexpr (Op::arity == 2) {
    return keeps_to_row<Op, T, T, T>();
  } else {
    return keeps_to_row<Op, T, T, T, T>();
  }
}

template <class Op, class T>
consteval bool fold_keeps_to_row() {
  constexpr const dtype_row& row = row_of(Op::name);
  constexpr bool takes = row.takes.find(kind_of<T>()) != std::string_view::npos;
  static_assert(fold_takes<Op, T> == takes);
  if constexpr (takes) {
    using result = typename Op::template result<T>;
    static_assert(std::same_as<result, typename decltype(given<row.result, T>())::type>);
  }
  return true;
}

/// Checks each function of each family with each dtype; returns how many functions there are.
template <class Families, class Check>
consteval std::size_t check_all(Check check) {
  return boost::hana::unpack(Families{}, [&](auto... families) {
    return (std::size_t{0} + ... + boost::hana::unpack(families, [&](auto... ops) {
              const auto with_each_dtype = [&]<class Op>(Op) {
                boost::hana::unpack(element_types{}, [&]<class... Ts>(type_tag<Ts>...) {
                  (check.template operator()<Op, Ts>(), ...);
                });
              };
              (with_each_dtype(ops), ...);
              return sizeof...(ops);
            }));
  });
}

constexpr std::size_t num_elementwise = check_all<function::elementwise_families>(
    []<class Op, class T>() { return elementwise_keeps_to_row<Op, T>(); });
constexpr std::size_t num_folds = check_all<function::fold_families>(
    []<class Op, class T>() { return fold_keeps_to_row<Op, T>(); });

TEST(DtypeRules, AreThoseOfTheTableForEveryFunctionOfTheLists) {
  EXPECT_EQ(num_elementwise + num_folds, dtype_table.size());
}

}  // namespace
}  // namespace tessera::testing
