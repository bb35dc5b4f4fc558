// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the elementwise functions, by name, of all pairs of hard values in chunks of one, of two
/// and of all. See hard_values.py.
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/function/hard_values.hpp"

#include <boost/hana/for_each.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

/// Returns each hard value once, and a few numbers between.
template <class T>
std::vector<T> operand_values(std::size_t arity) {
  if constexpr (std::same_as<T, bool>) {
    return {false, true};
  } else {
    std::vector<T> values{static_cast<T>(0.5F), T{3}};
    if (arity < 3) values.insert(values.end(), {T{2}, T{7}});
    for (const std::vector<T>& table : hard_values<T>()) {
      for (const T value : table) {
        const auto is_same = [value](T earlier) {
          return (earlier == value && std::signbit(static_cast<double>(earlier)) ==
                                          std::signbit(static_cast<double>(value))) ||
                 (earlier != earlier && value != value);
        };
        if (std::none_of(values.begin(), values.end(), is_same)) values.push_back(value);
      }
    }
    // Of three operands there are as many cases as the third power of their number.
    if (arity == 3 && values.size() > 8) values.erase(values.begin() + 2, values.end() - 6);
    return values;
  }
}

/// Integers have no negative powers.
template <class T>
T fitting(std::string_view name, std::size_t operand, T value) {
  if constexpr (std::signed_integral<T>) {
    if (name == "pow" && operand == 1 && value < 0) return T{0};
  }
  return value;
}

void print_result(std::string_view name, const std::vector<any_operand>& operands) {
  const any_array result = elementwise(name, operands);
  visit_dtype(result.dtype(), [&]<class R>(type_tag<R>) {
    const std::string call = std::string(name) + " " + std::to_string(operands.size());
    print_array("call", call, result.as<R, 1>().compute());
  });
}

/// Returns operand number `i` of all combinations of values, the first `count` of them.
template <class T>
any_operand operand_of(std::string_view name, std::size_t i, std::size_t period, index_t count,
                       const std::vector<T>& values, index_t chunk) {
  ndarray<T, 1> elements({count});
  for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
    elements.data()[at] = fitting<T>(name, i, values[at / period % values.size()]);
  }
  print_array("let", "a" + std::to_string(i), elements);
  return any_array(asarray(elements, {.chunks = {chunk}}));
}

template <class... Ts>
void print_of_dtypes(std::string_view name) {
  const std::size_t arity = sizeof...(Ts);
  index_t size = 1;
  ((size *= std::ssize(operand_values<Ts>(arity))), ...);
  for (const index_t chunk : {index_t{1}, index_t{2}, size}) {
    for (const index_t count : {index_t{0}, index_t{1}, size}) {
      if (count < chunk && chunk != 1) continue;
      std::vector<any_operand> operands;
      std::size_t period = 1;
      const auto add = [&]<class T>(type_tag<T>) {
        const auto values = operand_values<T>(arity);
        operands.push_back(operand_of<T>(name, operands.size(), period, count, values, chunk));
        period *= values.size();
      };
      (add(type_tag<Ts>{}), ...);
      print_result(name, operands);
    }
  }
}

template <class Op, class T>
void print_function() {
  constexpr std::string_view name = Op::name;
  if constexpr (Op::arity == 1) {
    if constexpr (op::accepts<Op, T>()) print_of_dtypes<T>(name);
  } else if constexpr (Op::arity == 2) {
    if constexpr (op::accepts<Op, T, T>()) print_of_dtypes<T, T>(name);
  } else if constexpr (Op::rule == op::dtype_rule::choice) {
    if constexpr (op::accepts<Op, bool, T, T>()) print_of_dtypes<bool, T, T>(name);
  } else {
    if constexpr (op::accepts<Op, T, T, T>()) print_of_dtypes<T, T, T>(name);
  }
}

/// Functions that `elementwise` has not by name: print_hard_moves.cpp calls them.
const std::set<std::string_view> typed_functions{"frexp_exponent", "ldexp"};

template <class T>
void print_of_dtype() {
  boost::hana::for_each(function::elementwise_families{}, [](auto family) {
    boost::hana::for_each(decltype(family){}, []<class Op>(Op) {
      if (!typed_functions.contains(Op::name)) print_function<Op, T>();
    });
  });
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  for_each_hard_dtype<bool, std::int8_t>(
      []<class T>(tessera::type_tag<T>) { print_of_dtype<T>(); });
}
