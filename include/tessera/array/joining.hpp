// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions that join arrays along an axis: `concat` and `stack`.

#include "tessera/array/array.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

template <element T, std::size_t N>
std::vector<array_view> views_of(const std::vector<array<T, N>>& arrays) {
  std::vector<array_view> views;
  for (const array<T, N>& x : arrays) views.push_back(x.view());
  return views;
}

/// Throws value_error if `count` is 0.
void require_arrays(std::string_view function, std::size_t count);

/// Returns the assembly `joined` of the arrays that `views` show.
[[nodiscard]] array_view assembled(std::string_view name, const std::vector<array_view>& views,
                                   const assembly& joined);

/// Returns the assembly by `assemble_joined` or its like of arrays whose number is known at run
/// time. Throws: value_error <- there is none.
template <std::size_t Rank, element T, std::size_t N, class Assemble>
array<T, Rank> assembled(std::string_view name, const std::vector<array<T, N>>& arrays,
                         std::size_t axis, Assemble assemble) {
  require_arrays(name, arrays.size());
  std::vector<const array_layout*> layouts;
  for (const array<T, N>& x : arrays) layouts.push_back(&x.layout());
  assembly joined = assemble(layouts, axis);
  return {assembled(name, views_of(arrays), joined), std::move(joined.layout)};
}

/// The one axis among `Options`; the first of the array by default.
template <class... Options>
using one_axis =
    std::conditional_t<std::is_void_v<axes_of<Options...>>, axis_list<0>, axes_of<Options...>>;

template <class T>
inline constexpr bool is_one_axis = false;
template <int Axis>
inline constexpr bool is_one_axis<axis_list<Axis>> = true;

/// Tells whether `Xs` are arrays, and the last of them may be an axis.
template <class... Xs>
inline constexpr bool are_arrays_and_axis = ((array_expression<Xs> || is_one_axis<Xs>)&&...) &&
                                            (std::size_t{0} + ... + (is_one_axis<Xs> ? 1u : 0u)) <=
                                                1;

template <class X>
auto array_or_nothing([[maybe_unused]] const X& x) {
  if constexpr (array_expression<X>) {
    return std::tuple(x);
  } else {
    return std::tuple();
  }
}

template <int Axis, array_expression X, array_expression... Xs>
auto concatenated(const std::tuple<X, Xs...>& arrays, axis_list<Axis>) {
  static_assert(ranks_equal<X::rank, Xs::rank...>,
                "tessera::concat({xs...}, axis<...>): requires arrays of equal rank");
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::concat({xs...}, axis<...>): requires an axis in [-rank, rank)");
  if constexpr (ranks_equal<X::rank, Xs::rank...> && axes_in_range<X::rank, Axis>) {
    return std::apply(
        [](const auto&... xs) {
          using type = promote_t<typename X::value_type, typename Xs::value_type...>;
          return make_assembly<X::rank>(
              "concat", assemble_joined(detail::layouts_of(xs...), normalised_axis(Axis, X::rank)),
              converted<type>(xs)...);
        },
        arrays);
  } else {
    return std::get<0>(arrays);
  }
}

template <int Axis, array_expression X, array_expression... Xs>
auto stacked(const std::tuple<X, Xs...>& arrays, axis_list<Axis>) {
  constexpr std::size_t rank = X::rank + 1;
  static_assert(ranks_equal<X::rank, Xs::rank...>,
                "tessera::stack({xs...}, axis<...>): requires arrays of equal rank");
  static_assert(
      axes_in_range<rank, Axis>,
      "tessera::stack({xs...}, axis<...>): requires an axis in [-rank, rank) of the result");
  if constexpr (ranks_equal<X::rank, Xs::rank...> && axes_in_range<rank, Axis>) {
    return std::apply(
        [](const auto&... xs) {
          using type = promote_t<typename X::value_type, typename Xs::value_type...>;
          return make_assembly<rank>(
              "stack", assemble_stacked(detail::layouts_of(xs...), normalised_axis(Axis, rank)),
              converted<type>(xs)...);
        },
        arrays);
  } else {
    return std::get<0>(arrays);
  }
}

}  // namespace detail

/// Returns arrays, in a number known at run time, joined along an existing axis.
///
/// Throws: as `concat(a, b, ...)`; value_error <- there is no array.
template <int Axis = 0, element T, std::size_t N>
[[nodiscard]] array<T, N> concat(const std::vector<array<T, N>>& arrays, axis_list<Axis> = {}) {
  static_assert(axes_in_range<N, Axis>,
                "tessera::concat({xs...}, axis<...>): requires an axis in [-rank, rank)");
  return detail::assembled<N>("concat", arrays, normalised_axis(Axis, N), assemble_joined);
}
template <int Axis = 0, array_expression X>
[[nodiscard]] auto concat(std::initializer_list<X> arrays, axis_list<Axis> along = {}) {
  using array_type = array<typename X::value_type, X::rank>;
  return concat(std::vector<array_type>(arrays.begin(), arrays.end()), along);
}
/// Refused, with the remedy: an axis is known to the compiler.
template <class Arrays>
requires(!unnamed_argument<Arrays>) const Arrays& concat(const Arrays& arrays, index_t) {
  static_assert(detail::is_allowed<Arrays>,
                "tessera::concat({xs...}, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return arrays;
}
template <array_expression X>
X concat(std::initializer_list<X> arrays, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::concat({xs...}, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return *arrays.begin();
}
/// Refused, with the remedy: the values in braces are of one type.
template <int Axis = 0>
detail::joined_in_braces concat(const detail::joined_in_braces& arrays, axis_list<Axis> = {}) {
  return arrays;
}

/// Returns the arrays of a tuple joined, as `concat(a, b, ...)`.
template <int Axis = 0, array_expression... Xs>
[[nodiscard]] auto concat(const std::tuple<Xs...>& arrays, axis_list<Axis> along = {}) {
  return std::apply([along](const auto&... xs) { return concat(xs..., along); }, arrays);
}

/// Returns the arrays joined along an existing axis: `concat(a, b, c, axis<0>)`. The first axis is
/// the default; dtypes are promoted.
///
/// Throws: shape_error <- extents differ on another axis. value_error <- specs differ.
template <unnamed_argument X, class... More>
[[nodiscard]] auto concat(const X& x, const More&... rest) {
  constexpr bool are_arrays = detail::are_arrays_and_axis<X, More...>;
  static_assert(are_arrays,
                "tessera::concat(a, b, ..., axis<k>): requires lazy arrays, then at most one axis; "
                "asarray(m) is one of the ndarray m");
  if constexpr (are_arrays) {
    return detail::concatenated(std::tuple_cat(std::tuple(x), detail::array_or_nothing(rest)...),
                                detail::one_axis<More...>{});
  } else {
    return x;
  }
}

/// Returns arrays, in a number known at run time, joined along a new axis.
///
/// Throws: as `stack(a, b, ...)`; value_error <- there is no array.
template <int Axis = 0, element T, std::size_t N>
[[nodiscard]] array<T, N + 1> stack(const std::vector<array<T, N>>& arrays, axis_list<Axis> = {}) {
  static_assert(
      axes_in_range<N + 1, Axis>,
      "tessera::stack({xs...}, axis<...>): requires an axis in [-rank, rank) of the result");
  return detail::assembled<N + 1>("stack", arrays, normalised_axis(Axis, N + 1), assemble_stacked);
}
template <int Axis = 0, array_expression X>
[[nodiscard]] auto stack(std::initializer_list<X> arrays, axis_list<Axis> along = {}) {
  using array_type = array<typename X::value_type, X::rank>;
  return stack(std::vector<array_type>(arrays.begin(), arrays.end()), along);
}
/// Refused, with the remedy: an axis is known to the compiler.
template <class Arrays>
requires(!unnamed_argument<Arrays>) const Arrays& stack(const Arrays& arrays, index_t) {
  static_assert(detail::is_allowed<Arrays>,
                "tessera::stack({xs...}, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return arrays;
}
template <array_expression X>
X stack(std::initializer_list<X> arrays, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::stack({xs...}, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return *arrays.begin();
}
/// Refused, with the remedy: the values in braces are of one type.
template <int Axis = 0>
detail::joined_in_braces stack(const detail::joined_in_braces& arrays, axis_list<Axis> = {}) {
  return arrays;
}

/// Returns the arrays of a tuple joined, as `stack(a, b, ...)`.
template <int Axis = 0, array_expression... Xs>
[[nodiscard]] auto stack(const std::tuple<Xs...>& arrays, axis_list<Axis> along = {}) {
  return std::apply([along](const auto&... xs) { return stack(xs..., along); }, arrays);
}

/// Returns the arrays joined along a new axis, at the given position of the result:
/// `stack(a, b, c, axis<1>)`. The first position is the default; dtypes are promoted.
///
/// Throws: shape_error <- shapes differ. value_error <- specs differ.
template <unnamed_argument X, class... More>
[[nodiscard]] auto stack(const X& x, const More&... rest) {
  constexpr bool are_arrays = detail::are_arrays_and_axis<X, More...>;
  static_assert(are_arrays,
                "tessera::stack(a, b, ..., axis<k>): requires lazy arrays, then at most one axis; "
                "asarray(m) is one of the ndarray m");
  if constexpr (are_arrays) {
    return detail::stacked(std::tuple_cat(std::tuple(x), detail::array_or_nothing(rest)...),
                           detail::one_axis<More...>{});
  } else {
    return x;
  }
}

}  // namespace tessera
