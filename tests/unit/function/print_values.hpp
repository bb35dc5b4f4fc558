// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints results of the functions of a list for edge values of each dtype that they take, for
/// values.py to compare with NumPy. A line: name, dtypes of the operands and of the result, then
/// the bytes of each of them; separated by blanks.

#include "tessera/core/dtype.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"
#include "tessera/lower/lower_strips.hpp"

#include "unit/function/element_types.hpp"
#include "unit/kernel/run_kernel.hpp"

#include <algorithm>
#include <boost/hana/for_each.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Zeros, ties, infinities, NaN, extremes, integers that no float64 is and a few numbers between.
template <class T>
std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::same_as<T, bool>) {
    return {false, true};
  } else if constexpr (complex_element<T>) {
    using part = real_t<T>;
    std::vector<T> values;
    for (const part re : {0.0F, -0.0F, 0.5F, -1.0F, 3.0F}) {
      for (const part im : {0.0F, -0.0F, 0.25F, 1.0F, -2.5F}) values.push_back({re, im});
    }
    constexpr part inf = std::numeric_limits<part>::infinity();
    constexpr part nan = std::numeric_limits<part>::quiet_NaN();
    values.insert(values.end(), {{inf, 1}, {1, -inf}, {nan, 0}, {2, nan}, {inf, nan}});
    return values;
  } else if constexpr (std::integral<T>) {
    std::vector<T> values{0, 1, 2, 3, 7, 8, 15, 100};
    values.insert(values.end(), {limits::max(), static_cast<T>(limits::max() - 1),
                                 static_cast<T>(limits::max() / 2), limits::min()});
    if constexpr (sizeof(T) == 8) values.push_back((T{1} << 53) + 1);
    if constexpr (std::is_signed_v<T>) {
      values.insert(values.end(), {-1, -2, -3, -7, static_cast<T>(limits::min() + 1)});
    }
    return values;
  } else {
    std::vector<T> values;
    for (const double x : {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 100.0, 700.0}) {
      values.push_back(static_cast<T>(x));
      values.push_back(static_cast<T>(-x));
    }
    values.insert(values.end(), {limits::max(), limits::lowest(), limits::min(),
                                 limits::denorm_min(), limits::infinity()});
    values.push_back(static_cast<T>(-limits::infinity()));
    values.push_back(limits::quiet_NaN());
    return values;
  }
}

/// An operand: its values in all combinations with the `period` combinations of the operands before
/// it.
template <class T>
struct operand_values {
  std::vector<T> edges = edge_values<T>();
  std::size_t period = 1;

  T at(std::size_t i) const { return edges[i / period % edges.size()]; }
};

template <class... Ts>
void print_line(std::string_view name, buffer<Ts>&... values) {
  std::fputs(std::string(name).c_str(), stdout);
  (std::printf(" %s", std::string(name_of(dtype_of<Ts>)).c_str()), ...);
  const auto print_bytes = [](const std::byte* bytes, std::size_t size) {
    std::fputc(' ', stdout);
    for (std::size_t i = 0; i < size; ++i) std::printf("%02x", static_cast<unsigned>(bytes[i]));
  };
  (print_bytes(values.bytes(), values.size() * sizeof(Ts)), ...);
  std::fputc('\n', stdout);
}

/// Integers have no negative powers.
template <class Op, class T, std::size_t I>
T fitting(T x) {
  if constexpr (std::same_as<Op, op::pow> && I == 1 && std::is_signed_v<T> && std::integral<T>) {
    return x < 0 ? T{0} : x;
  } else {
    return x;
  }
}

template <class Op, class... Ts, std::size_t... I>
void print_function(std::index_sequence<I...>) {
  std::tuple<operand_values<Ts>...> values;
  std::size_t size = 1;
  ((std::get<I>(values).period = size, size *= std::get<I>(values).edges.size()), ...);
  std::tuple<buffer<Ts>...> operands{buffer<Ts>(size)...};
  for (std::size_t i = 0; i < size; ++i) {
    ((std::get<I>(operands).data()[i] = fitting<Op, Ts, I>(std::get<I>(values).at(i))), ...);
  }

  using tree = tree_node<Op, decltype(tessera::detail::convert_tree<op::operand_t<Op, I, Ts...>>(
                                 tree_operand<Ts, I>{}))...>;
  using result = typename tree::value_type;
  static_assert(std::same_as<result, op::result_t<Op, Ts...>>);
  buffer<result> results(size);
  constexpr tree parameters{};
  constexpr std::size_t strip_size = 45;  // ends within a packet
  for (std::size_t at = 0; at < size; at += strip_size) {
    const std::byte* const inputs[] = {std::get<I>(operands).bytes() + at * sizeof(Ts)...};
    std::byte* const outputs[] = {results.bytes() + at * sizeof(result)};
    const auto count = static_cast<index_t>(std::min(strip_size, size - at));
    tessera::detail::run_tree<tree>({count, inputs, outputs, &parameters});
  }
  print_line<Ts..., result>(Op::name, std::get<I>(operands)..., results);
}

template <class Op, class... Ts>
void print_if_accepted() {
  if constexpr (op::accepts<Op, Ts...>()) {
    print_function<Op, Ts...>(std::index_sequence_for<Ts...>{});
  }
}

template <class Op, class T>
void print_of_dtype() {
  if constexpr (Op::arity == 1) {
    print_if_accepted<Op, T>();
  } else if constexpr (Op::arity == 2) {
    print_if_accepted<Op, T, T>();
  } else if constexpr (Op::rule == op::dtype_rule::choice) {
    print_if_accepted<Op, bool, T, T>();
  } else {
    print_if_accepted<Op, T, T, T>();
  }
}

/// Prints the functions of a family, a list of tags, with `Arity` operands.
template <class Family, std::size_t Arity>
void print_family() {
  boost::hana::for_each(Family{}, []<class Op>(Op) {
    if constexpr (Op::arity == Arity) {
      boost::hana::for_each(element_types{}, []<class T>(type_tag<T>) { print_of_dtype<Op, T>(); });
    }
  });
}

/// Prints the families of all elementwise functions that have `arity` operands.
template <std::size_t Arity>
void print_elementwise() {
  boost::hana::for_each(function::elementwise_families{},
                        [](auto family) { print_family<decltype(family), Arity>(); });
}

}  // namespace tessera::testing
