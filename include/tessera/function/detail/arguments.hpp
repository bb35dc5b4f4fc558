// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Concepts for the arguments of functions of arrays, and refusals of wrong arguments.

#include "tessera/expr/elementwise_node.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/fixed_string.hpp"

#include <initializer_list>
#include <iosfwd>
#include <type_traits>

namespace tessera {

namespace detail {

/// Tells whether `X` is an array with names of axes; see `labelled`.
template <class X>
inline constexpr bool has_names = false;

/// Returns the result of `f`, a function of arrays without names, of arrays that are aligned by
/// the names of their axes. The result has all the names; `Front` are names of new first axes.
///
/// Declared here for the functions that take arrays with names; `labelled` defines it.
template <bool IsFull = false, class Front = dims<>, class F, class... Args>
auto by_names(const F& f, const Args&... args);

/// Returns the result of `f` of the array with the most names among `args`, of arrays beside it,
/// and of options. Names in options become axes. `Front` and `Back` are names of new axes, the
/// first and the last of the result. Declared here as `by_names` is.
template <class Front = dims<>, class Back = dims<>, class F, class... Args>
auto along_names(const F& f, const Args&... args);

/// The names of the axes of `X`; none if it is no array with names.
template <class X>
struct dims_in {
  using type = dims<>;
};
template <class X>
using dims_in_t = typename dims_in<X>::type;

/// Tells whether the dimensions of an option are among the names `D`.
template <class D, class Option>
inline constexpr bool has_dims = true;
template <class D, fixed_string... Names>
inline constexpr bool has_dims<D, dim_list<Names...>> = are_among(dims<Names...>::names, D::names);

}  // namespace detail

/// Tells whether each dimension among `Options` is one that `X` has.
template <class X, class... Options>
inline constexpr bool dims_fit = (detail::has_dims<detail::dims_in_t<X>, Options> && ...);

/// Tells whether an axis of an array among `Args` has a name.
template <class... Args>
inline constexpr bool have_names = (detail::has_names<Args> || ...);

/// Tells whether any of `Args` is an array without names, lazy or computed.
template <class... Args>
inline constexpr bool has_unnamed_array = ((array_expression<Args> || detail::is_computed<Args>) ||
                                           ...) &&
                                          !have_names<Args...>;

/// The argument of a function that takes no arrays with names, or leaves them to `labelled`.
template <class X>
concept unnamed_argument = has_unnamed_array<X>;

/// Tells whether any of `Args` is an array: the library declares functions and operators of these
/// only. An ndarray is refused in the function, with the remedy.
template <class... Args>
inline constexpr bool has_array = (array_expression<Args> || ...) ||
                                  (detail::is_computed<Args> || ...) || have_names<Args...>;

/// The array that a function is called for.
template <class X>
concept array_argument = has_array<X>;

/// A lazy array, with or without names.
template <class X>
concept lazy_array = array_expression<X> || detail::has_names<X>;

/// Tells whether each of `Args` can be an operand. Beside names, `by_names` refuses an ndarray.
template <class... Args>
inline constexpr bool are_operands = ((elementwise_operand<detail::unnamed_t<Args>> ||
                                       (have_names<Args...> && detail::is_computed<Args>)) &&
                                      ...);

/// A stream of characters, which `<<` prints to.
template <class S>
inline constexpr bool is_stream = std::is_convertible_v<S*, std::ostream*>;

namespace detail {

/// Returns `x`, and refuses arrays that are computed.
template <class X>
decltype(auto) lazy(const X& x) {
  static_assert(are_operands<X>,
                "tessera: this function takes lazy arrays; asarray(m) is one of the ndarray m");
  return (x);
}

/// A parameter of a refused overload, which takes any argument. The conversion is worse than that
/// to a parameter of a function of the user, which an unqualified call of the same name prefers.
struct any_argument {
  template <class T>
  any_argument(const T&) {}
};
/// As `any_argument`, but for arrays.
struct any_option {
  template <class T>
  requires(!has_array<T>) any_option(const T&) {}
};
/// As `any_argument`, for values between braces too. GCC 12 takes no designated initialisers in
/// calls of a function with such an overload.
struct any_braces {
  template <class T>
  any_braces(const T&) {}
  template <class T>
  any_braces(std::initializer_list<T>) {}
  template <class T>
  any_braces(std::initializer_list<std::initializer_list<T>>) {}
};

/// Arrays of different types between braces, which cannot be taken apart again; refused.
struct joined_in_braces {
  template <array_expression... Xs>
  requires(sizeof...(Xs) > 1) joined_in_braces(const Xs&...) {
    static_assert(is_allowed<Xs...>,
                  "tessera: concat({a, b}), stack({a, b}): requires arrays of one type in braces; "
                  "write concat(a, b, axis<0>), stack(a, b, axis<0>)");
  }
};
}  // namespace detail
}  // namespace tessera
