// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of functions for arrays with names: dimensions become axes, arrays are seen under common
/// names, and the result gets its names.

#include "tessera/function/counted_where.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/labelled/detail/alignment.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/dims.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera {

namespace detail {

/// The first of several lists of names that is longest.
template <class Found, class... Ds>
struct longest_dims {
  using type = Found;
};
template <class Found, class D, class... Ds>
struct longest_dims<Found, D, Ds...>
    : longest_dims<std::conditional_t<(D::size > Found::size), D, Found>, Ds...> {};
template <class... Ds>
using longest_dims_t = typename longest_dims<dims<>, Ds...>::type;

/// The names that arrays have together. If their names differ, each axis needs a name: axes without
/// a name cannot be aligned.
template <bool AreSame, class... Ds>
struct common_dims {
  using type = longest_dims_t<Ds...>;
  static constexpr bool are_whole = true;
};
template <class... Ds>
struct common_dims<false, Ds...> {
  using type = union_of_dims<Ds...>;
  static constexpr bool are_whole = position_of("", type::names) == type::size;
};
template <class... Ds>
using common_dims_of =
    common_dims<((Ds::size == 0 || std::same_as<Ds, longest_dims_t<Ds...>>)&&...), Ds...>;

/// Tells whether an argument is an array of rank 1 or more without names.
template <class Arg>
inline constexpr bool lacks_names = false;
template <array_expression Arg>
inline constexpr bool lacks_names<Arg> = Arg::rank > 0;
template <class Arg>
requires is_computed<Arg>
inline constexpr bool lacks_names<Arg> = true;

/// The names in an option.
template <class Option>
struct dims_named {
  using type = dims<>;
};
template <fixed_string... Names>
struct dims_named<dim_list<Names...>> {
  using type = dims<Names...>;
};

/// Tells whether each dimension in an option is one of the array with the most names. Functions
/// that call `along_names` state it themselves: compilers then say it in few lines.
template <class... Args>
inline constexpr bool names_are_of_x = (has_dims<longest_dims_t<dims_in_t<Args>...>, Args> && ...);

/// Returns the first array with names: the result of a call that breaks a rule.
template <class Arg, class... Args>
const auto& first_with_names(const Arg& arg, const Args&... args) {
  if constexpr (has_names<Arg>) {
    return arg;
  } else {
    return first_with_names(args...);
  }
}

/// An argument as a function without names takes it: arrays under the names `D`, dimensions as
/// axes.
template <class D, bool IsFull, class Arg>
decltype(auto) under_names(const Arg& arg) {
  if constexpr (has_names<Arg>) {
    return laid_along<D, IsFull>(arg);
  } else if constexpr (is_dim_list<Arg>) {
    return typename axes_by_name<D, Arg>::type{};
  } else {
    return (arg);
  }
}
template <class D, bool IsFull, class E, class M>
auto under_names(const counted_where<labelled<E, M>>& mask) {
  return counted_where{laid_along<D, false>(mask.valid)};
}

/// The names of a result of rank `Rank` of an array of the names `D`: all of them if the rank is
/// the same, and all but the names of `Axes` if these axes are gone.
template <class D, class Axes, std::size_t Rank>
struct kept_dims {
  using type = std::conditional_t<Rank == D::size, D, dims<>>;
};
template <class D, int... Axes, std::size_t Rank>
requires(Rank + sizeof...(Axes) == D::size && Rank != D::size &&
         axes_in_range<D::size, Axes...>) struct kept_dims<D, axis_list<Axes...>, Rank> {
  using type = dims_without<D, axis_mask_of<D::size, Axes...>>;
};

/// The names of a result: names of new first axes, kept names, names of new last axes.
template <class D, class Axes, class Front, class Back, std::size_t Rank>
struct result_dims {
  static constexpr std::size_t added = Front::size + Back::size;
  using kept = typename kept_dims<D, Axes, (Rank < added ? 0 : Rank - added)>::type;
  using type = joined_dims_t<Front, kept, Back>;
};

/// Returns a result of a function of an array of the names `D`, or several, with names.
template <class D, class Axes, class Front, class Back, class R>
auto with_kept_names(const R& result) {
  if constexpr (array_expression<R>) {
    return labelled_as<typename result_dims<D, Axes, Front, Back, R::rank>::type>(result);
  } else {
    return result;
  }
}
template <class D, class Axes, class Front, class Back, class... Rs>
auto with_kept_names(const std::tuple<Rs...>& results) {
  return std::apply(
      [](const auto&... arrays) {
        return std::tuple(with_kept_names<D, Axes, Front, Back>(arrays)...);
      },
      results);
}
template <class D, class Axes, class Front, class Back, array_expression R>
auto with_kept_names(const std::vector<R>& results) {
  return labelled_as<typename result_dims<D, Axes, Front, Back, R::rank>::type>(results);
}

/// Returns the result of `f` of arrays that are aligned by names. The result has all names of the
/// operands, but for axes that options name and `f` reduces. `Front` are names of new first axes.
template <bool IsFull, class Front, class F, class... Args>
auto by_names(const F& f, const Args&... args) {
  using common = common_dims_of<dims_in_t<Args>...>;
  using names = typename common::type;
  constexpr bool have_all_names = !(lacks_names<Args> || ...) && common::are_whole;
  static_assert(have_all_names,
                "tessera: f(x, y) of an x whose axes have names: requires names of all axes of y "
                "as well; label<names...>(y) gives them, and x.array() has none");
  constexpr bool have_dimensions = (has_dims<names, Args> && ...);
  static_assert(have_dimensions,
                "tessera: f(x, dim<...>): requires each dimension to be one that x has");
  if constexpr (have_all_names && have_dimensions) {
    using axes = axes_of<std::remove_cvref_t<decltype(under_names<names, IsFull>(args))>...>;
    return with_kept_names<names, axes, Front, dims<>>(f(under_names<names, IsFull>(args)...));
  } else {
    return first_with_names(args...);
  }
}

/// The names in options, if there is one array of rank 1 for each of them beside the array of the
/// names `D`; else none.
template <class D, class... Args>
struct lines_named {
  using named = joined_dims_t<dims<>, typename dims_named<Args>::type...>;
  static constexpr std::size_t count =
      (std::size_t{0} + ... + (D::size > 1 && dims_in_t<Args>::size == 1 ? 1U : 0U));
  using type = std::conditional_t<count == named::size, named, dims<>>;
};

/// An array beside the array of the names `D` and of the shape `shape`, in that shape. An array of
/// rank 1 along an axis in `Named` stays as it is.
template <class D, class Named, class Arg>
decltype(auto) beside_names(const Arg& arg, const index_vector& shape) {
  if constexpr (has_names<Arg>) {
    using names = dims_in_t<Arg>;
    if constexpr (names::size == D::size) {
      return laid_along<D, true>(arg);
    } else if constexpr (names::size == 1 && are_among(names::names, Named::names)) {
      return arg.array();
    } else {
      const auto laid = laid_along<D, true>(arg);
      return make_view<D::size>("broadcast_to", laid, map_broadcast(laid.layout().shape, shape));
    }
  } else {
    return under_names<D, false>(arg);
  }
}

template <class D, class Arg>
inline constexpr bool stands_beside = !has_names<Arg> || are_among(dims_in_t<Arg>::names, D::names);

template <class D, class Arg, class... Args>
const index_vector& shape_of_names(const Arg& arg, const Args&... args) {
  if constexpr (std::same_as<dims_in_t<Arg>, D>) {
    return arg.array().layout().shape;
  } else {
    return shape_of_names<D>(args...);
  }
}

/// Returns the result of `f` of the array with the most names among `args`, of arrays beside it,
/// and of options. `Front` and `Back` are names of new axes, the first and the last of the result.
///
/// Requires: `names_are_of_x<Args...>`.
template <class Front, class Back, class F, class... Args>
auto along_names(const F& f, const Args&... args) {
  using names = longest_dims_t<dims_in_t<Args>...>;
  using named = typename lines_named<names, Args...>::type;
  constexpr bool fit = (stands_beside<names, Args> && ...);
  static_assert(fit,
                "tessera: f(x, y, options...): requires y to have no dimension that x has not");
  if constexpr (names_are_of_x<Args...> && fit) {
    const index_vector& shape = shape_of_names<names>(args...);
    using axes = axes_of<std::remove_cvref_t<decltype(beside_names<names, named>(args, shape))>...>;
    return with_kept_names<names, axes, Front, Back>(f(beside_names<names, named>(args, shape)...));
  } else {
    return first_with_names(args...);
  }
}

}  // namespace detail
}  // namespace tessera
