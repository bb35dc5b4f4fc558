// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions that move elements, of arrays with names: each calls the function of the same name.
/// Each takes `dim<"time">` wherever it takes `axis<k>`.
///
/// Memory: none; nothing is computed or copied.

#include "tessera/array/append.hpp"
#include "tessera/array/decode_cf.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/array/differences.hpp"
#include "tessera/array/editing.hpp"
#include "tessera/array/filtering.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/grouping.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/interpolation.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/named.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/array/products.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/array/selection.hpp"
#include "tessera/array/sets.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/function/histogram.hpp"
#include "tessera/labelled/detail/call.hpp"
#include "tessera/labelled/labelled.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

// clang-format off
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto diff(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::diff(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::diff(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto gradient(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::gradient(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::gradient(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto squeeze(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::squeeze(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::squeeze(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto flip(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::flip(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::flip(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto unstack(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::unstack(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::unstack(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto split(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::split(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::split(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto array_split(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::array_split(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::array_split(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto repeat(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::repeat(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::repeat(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto take(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::take(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::take(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto compress(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::compress(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::compress(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto take_along_axis(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::take_along_axis(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::take_along_axis(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto erase(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::erase(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::erase(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto insert(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::insert(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::insert(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto roll(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::roll(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::roll(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto diagonal(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::diagonal(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::diagonal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto trace(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::trace(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::trace(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto correlate(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::correlate(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::correlate(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto convolve(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::convolve(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::convolve(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto expand_groups(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::expand_groups(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::expand_groups(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto gaussian_filter(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::gaussian_filter(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::gaussian_filter(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto uniform_filter(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::uniform_filter(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::uniform_filter(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto tril(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::tril(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::tril(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto triu(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::triu(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::triu(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto full_like(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::full_like(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::full_like(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto zeros_like(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::zeros_like(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::zeros_like(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ones_like(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ones_like(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ones_like(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto empty_like(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::empty_like(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::empty_like(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto decode_cf(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::decode_cf(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::decode_cf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto digitize(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::digitize(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::digitize(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isin(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::isin(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::isin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto flipud(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::flipud(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::flipud(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fliplr(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fliplr(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fliplr(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fftshift(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fftshift(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fftshift(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ifftshift(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ifftshift(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ifftshift(x...); }, xs...); }
template <labelled_array X, class... Options> [[nodiscard]] auto take(const X& x, std::initializer_list<index_t> indices, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::take(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... array) { return tessera::take(array...); }, x, std::vector<index_t>(indices), options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto repeat(const X& x, std::initializer_list<index_t> indices, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::repeat(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... array) { return tessera::repeat(array...); }, x, std::vector<index_t>(indices), options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto split(const X& x, std::initializer_list<index_t> indices, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::split(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... array) { return tessera::split(array...); }, x, std::vector<index_t>(indices), options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto array_split(const X& x, std::initializer_list<index_t> indices, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::array_split(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... array) { return tessera::array_split(array...); }, x, std::vector<index_t>(indices), options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto digitize(const X& x, std::initializer_list<double> edges, const Options&... options) { return detail::along_names([](const auto&... array) { return tessera::digitize(array...); }, x, std::vector<double>(edges), options...); }
template <labelled_array X> [[nodiscard]] auto interp(const X& x, std::initializer_list<double> places, std::initializer_list<double> values) { return detail::along_names([](const auto&... array) { return tessera::interp(array...); }, x, std::vector<double>(places), std::vector<double>(values)); }
template <class... Xs> requires have_names<Xs...> auto append(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::append(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::append(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> auto appended(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::appended(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::appended(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto interp(const Xs&... xs) { return detail::along_names([](const auto&... x) { return tessera::interp(x...); }, xs...); }

template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto concat(const Xs&... xs) { return detail::by_names<true>([](const auto&... x) { return tessera::concat(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto vecdot(const Xs&... xs) { return detail::by_names<true>([](const auto&... x) { return tessera::vecdot(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cross(const Xs&... xs) { return detail::by_names<true>([](const auto&... x) { return tessera::cross(x...); }, xs...); }
// clang-format on

namespace detail {

/// The first axes, for the names of new ones; any other argument as it is.
template <class Arg>
decltype(auto) new_axes_first(const Arg& arg) {
  if constexpr (is_dim_list<Arg>) {
    return axes_or_all<Arg::size>{};
  } else {
    return (arg);
  }
}

/// Tells whether no array among `Args` has a dimension that an option among `Args` names.
template <class... Args>
inline constexpr bool name_new_axes = [] {
  using names =
      joined_dims_t<dims<>, union_of_dims<dims_in_t<Args>...>, typename dims_named<Args>::type...>;
  return are_distinct(names::names);
}();

/// The names `D` without `Names`.
template <class D, fixed_string... Names>
using dims_beside =
    dims_without<D, (axis_mask{0} | ... | (axis_mask{1} << position_of(Names.view(), D::names)))>;

template <class... Args>
using named_together = joined_dims_t<dims<>, typename dims_named<Args>::type...>;

template <class Numbers>
struct nameless;
template <std::size_t... I>
struct nameless<std::index_sequence<I...>> {
  using type = joined_dims_t<dims<>, std::conditional_t<(I < 64), dims<"">, dims<>>...>;
};

}  // namespace detail

/// Returns arrays joined along a new dimension, the first of the result: `stack(a, b,
/// dim<"member">)`.
///
/// Requires: a dimension that no array has.
template <class... Args>
requires have_names<Args...>
[[nodiscard]] auto stack(const Args&... args) {
  constexpr bool is_new = detail::name_new_axes<Args...>;
  static_assert(is_new,
                "tessera::stack(a, b, ..., dim<...>): requires a dimension that no array has");
  if constexpr (is_new) {
    return detail::by_names<true, detail::named_together<Args...>>(
        [](const auto&... xs) { return tessera::stack(xs...); }, detail::new_axes_first(args)...);
  } else {
    return detail::first_with_names(args...);
  }
}

/// Returns `x` with new dimensions of extent 1, the first of the result: `expand_dims(x,
/// dim<"member">)`.
///
/// Requires: dimensions that `x` has not.
template <labelled_array X, class Axes>
[[nodiscard]] auto expand_dims(const X& x, const Axes& axes) {
  constexpr bool are_new = detail::name_new_axes<X, Axes>;
  static_assert(are_new, "tessera::expand_dims(x, dim<...>): requires dimensions that x has not");
  if constexpr (are_new) {
    return detail::along_names<detail::named_together<Axes>>(
        [](const auto&... xs) { return tessera::expand_dims(xs...); }, x,
        detail::new_axes_first(axes));
  } else {
    return x;
  }
}

/// Returns all windows along dimensions; the windows' own axes come last, and have no names.
template <labelled_array X, class Lengths, class Axes>
[[nodiscard]] auto sliding_window_view(const X& x, const Lengths& lengths, const Axes& axes) {
  using windows = typename detail::nameless<std::make_index_sequence<Axes::size>>::type;
  static_assert(detail::names_are_of_x<X, Axes>,
                "tessera::sliding_window_view(x, dim<...>): requires a dimension that x has");
  return detail::along_names<dims<>, windows>(
      [](const auto&... xs) { return tessera::sliding_window_view(xs...); }, x, lengths, axes);
}

/// Returns the sums of products of `a` and `b` along dimensions that both have.
///
/// Shape: the remaining axes of `a`, then of `b`. They keep their names if all names differ.
template <labelled_array A, labelled_array B, fixed_string... Names>
[[nodiscard]] auto tensordot(const A& a, const B& b, dim_list<Names...> along) {
  constexpr bool have_dimensions = detail::has_dims<typename A::dims, dim_list<Names...>> &&
                                   detail::has_dims<typename B::dims, dim_list<Names...>>;
  static_assert(have_dimensions,
                "tessera::tensordot(a, b, dim<...>): requires each dimension to be one of a and b");
  if constexpr (have_dimensions) {
    const auto of_a = detail::under_names<typename A::dims, false>(along);
    const auto of_b = detail::under_names<typename B::dims, false>(along);
    const auto product = tessera::tensordot(a.array(), b.array(), of_a, of_b);
    using names = detail::joined_dims_t<detail::dims_beside<typename A::dims, Names...>,
                                        detail::dims_beside<typename B::dims, Names...>>;
    if constexpr (names_differ<names>) {
      return detail::labelled_as<names>(product);
    } else {
      return product;
    }
  } else {
    return a;
  }
}

/// Return positions along coordinates with a name, as along coordinates without.
template <labelled_array C>
[[nodiscard]] index_t nearest(const C& coordinates, double value) {
  return nearest(coordinates.array(), value);
}
template <labelled_array C, class V>
requires detail::are_coordinates<V>
[[nodiscard]] index_list nearest(const C& coordinates, const V& values) {
  return nearest(coordinates.array(), values);
}
template <labelled_array C>
[[nodiscard]] index_list nearest(const C& coordinates, std::initializer_list<double> values) {
  return nearest(coordinates.array(), values);
}
template <labelled_array C>
[[nodiscard]] slice between(const C& coordinates, double low, double high) {
  return between(coordinates.array(), low, high);
}

/// Returns `x` under a label, as of an array without names of axes.
template <labelled_array X>
[[nodiscard]] auto named(const X& x, const std::string& label) {
  return detail::labelled_as<typename X::dims>(tessera::named(x.array(), label));
}

/// Return `x` in other chunks, padded, or coarsened, as of an array without names.
template <labelled_array X>
[[nodiscard]] auto rechunk(const X& x, const chunk_lengths& chunks) {
  return detail::labelled_as<typename X::dims>(tessera::rechunk(x.array(), chunks));
}
template <labelled_array X, std::size_t M, class... Options>
[[nodiscard]] auto pad(const X& x, const index_t (&widths)[M][2], const Options&... options) {
  return detail::labelled_as<typename X::dims>(tessera::pad(x.array(), widths, options...));
}
template <labelled_array X, class... Options>
[[nodiscard]] auto pad(const X& x, index_t width, const Options&... options) {
  return detail::labelled_as<typename X::dims>(tessera::pad(x.array(), width, options...));
}
template <class Fold, labelled_array X>
[[nodiscard]] auto coarsen(const Fold& fold, const X& x, index_t length) {
  return detail::labelled_as<typename X::dims>(tessera::coarsen(fold, x.array(), length));
}
template <class Fold, labelled_array X>
[[nodiscard]] auto coarsen(const Fold& fold, const X& x,
                           const std::array<index_t, X::rank>& lengths) {
  return detail::labelled_as<typename X::dims>(tessera::coarsen(fold, x.array(), lengths));
}

}  // namespace tessera
