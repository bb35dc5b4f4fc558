// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// User functions that see many elements at once: whole blocks, blocks with a halo, whole axes.

#include "tessera/array/detail/block_calls.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/signature.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

/// Returns the array that `f` computes block by block from arrays, which are broadcast:
/// `f(block_view<const T, N>..., block_view<R, N>)`. Elements of a block may lie apart; iteration,
/// rows, `fill` and `copy_from` take them all the same.
///
/// With several types, `map_blocks<float, double>(f, x)`, `f` takes a block of each result. A tuple
/// of arrays is returned, which one operation computes.
/// Shape, chunks: as of an elementwise function of `xs`. `f` is called for each chunk.
/// Memory:   a block of each array, and the memory that `allocating(f, 10_MB)` declares.
/// Requires: `f` depends on nothing else. It is copied, and called by several threads at once; it
///           travels to other processes as functions of `map` do.
/// Source:   dask.array.map_blocks.
template <element... Rs, class F, class... Xs>
requires(sizeof...(Rs) > 0 && has_unnamed_array<Xs...>)  //
    [[nodiscard]] auto map_blocks(const F& f, const Xs&... xs) {
  constexpr bool are_arrays = (array_expression<Xs> && ...);
  static_assert(are_arrays,
                "tessera::map_blocks<R>(f, xs...): requires each of xs to be a lazy array");
  if constexpr (are_arrays) {
    using results = detail::element_types<Rs...>;
    constexpr bool is_called = detail::takes_blocks<results, detail::called_t<F>, Xs...>;
    static_assert(is_called,
                  "tessera::map_blocks<R...>(f, xs...): requires f to take block_view<const T, N> "
                  "for each of xs, of the greatest rank N of them, and behind these "
                  "block_view<R, N> for each result");
    if constexpr (is_called) {
      return detail::make_block_call<results>(
          "map_blocks", f, map_form("map_blocks", std::array{&xs.layout()...}, {}, sizeof...(Rs)),
          xs...);
    } else {
      return detail::first_array(xs...);
    }
  } else {
    return detail::first_array(xs...);
  }
}

/// The halo that a function sees around its blocks.
template <std::size_t N>
struct overlap_options {
  /// For each axis the number of elements before and behind a block.
  index_t depth[N][2] = {};
  /// The elements beyond the ends of the array.
  boundary beyond = boundary::reflect;
};

namespace detail {

template <class Rs, class F, class X, class... Xs>
auto map_with_overlap(const F& f, const overlap_options<X::rank>& options, const X& x,
                      const Xs&... xs) {
  constexpr bool are_alike = (array_expression<X> && ... && (Xs::rank == X::rank));
  static_assert(
      are_alike,
      "tessera::map_overlap<R>(f, xs..., {.depth, .beyond}): requires arrays of one rank");
  if constexpr (are_alike) {
    constexpr bool is_called = takes_blocks<Rs, called_t<F>, X, Xs...>;
    static_assert(is_called,
                  "tessera::map_overlap<R...>(f, xs..., {.depth, .beyond}): requires f to take "
                  "block_view<const T, N> for each of xs, and behind these block_view<R, N> for "
                  "each result");
    if constexpr (is_called) {
      std::array<std::array<index_t, 2>, X::rank> depth{};
      for (std::size_t k = 0; k < X::rank; ++k) depth[k] = std::to_array(options.depth[k]);
      return make_block_call<Rs>(
          "map_overlap", f,
          map_form("map_overlap", std::array{&x.layout(), &xs.layout()...}, depth, Rs::size),
          pad(x, options.depth, options.beyond), pad(xs, options.depth, options.beyond)...);
    } else {
      return x;
    }
  } else {
    return x;
  }
}

}  // namespace detail

/// Returns the array that `f` computes block by block from one to three arrays of one shape, with
/// `depth` elements more before and behind each axis:
/// `map_overlap<float>(f, x, {.depth = {{1, 2}, {0, 0}}, .beyond = boundary::wrap})`.
///
/// `f` is called as by `map_blocks`, also for several results. Blocks of `xs` are longer than the
/// block of the result by the depth. The element `y(i)` of the result lies over `x(i + before)`.
/// Throws: shape_error <- shapes differ; a depth is negative, or more than the boundary can show.
/// Source: dask.array.map_overlap.
template <element... Rs, class F, array_expression X>
requires(sizeof...(Rs) > 0)  //
    [[nodiscard]] auto map_overlap(const F& f, const X& x,
                                   const std::type_identity_t<overlap_options<X::rank>>& options) {
  return detail::map_with_overlap<detail::element_types<Rs...>>(f, options, x);
}
template <element... Rs, class F, array_expression X, array_expression Y>
requires(sizeof...(Rs) > 0)  //
    [[nodiscard]] auto map_overlap(const F& f, const X& x, const Y& y,
                                   const std::type_identity_t<overlap_options<X::rank>>& options) {
  return detail::map_with_overlap<detail::element_types<Rs...>>(f, options, x, y);
}
template <element... Rs, class F, array_expression X, array_expression Y, array_expression Z>
requires(sizeof...(Rs) > 0)  //
    [[nodiscard]] auto map_overlap(const F& f, const X& x, const Y& y, const Z& z,
                                   const std::type_identity_t<overlap_options<X::rank>>& options) {
  return detail::map_with_overlap<detail::element_types<Rs...>>(f, options, x, y, z);
}

namespace detail {

/// As `apply_gufunc`, with the extents `extents` of letters that results alone have.
template <fixed_string Signature, class Rs, class Given, class F, class... Xs>
auto apply_along_axes(const F& f, std::span<const named_extent> extents, const Xs&... xs) {
  constexpr bool has_groups = groups_fit<Signature, Xs...>();
  static_assert(has_groups,
                "tessera::apply_gufunc<signature>(f, xs...): requires a signature as "
                "(i),(i)->(), with one group of letters for each of xs and for each result");
  constexpr bool has_letters = letters_fit<Signature, Xs...>();
  static_assert(has_letters,
                "tessera::apply_gufunc<signature>(f, xs...): requires each of xs to have an axis "
                "for each letter of its group");
  constexpr bool knows_letters = letters_are_known<Signature, Given>();
  static_assert(knows_letters,
                "tessera::apply_gufunc<signature>(f, xs...): requires each letter of a result to "
                "be one of an operand, or one for which letter<name>(n), behind xs, says what it "
                "stands for");
  using results = typename decltype(results_of_gufunc<Signature, called_t<F>, Rs, Xs...>())::type;
  constexpr bool is_called = !has_groups || !has_letters || !std::is_void_v<results>;
  static_assert(is_called,
                "tessera::apply_gufunc<signature, R...>(f, xs...): requires f to take an element, "
                "a std::span<const T> or a block_view<const T, n> for a group of no, one or n "
                "letters, and to return an element, or a tuple of several, or to take an R&, or "
                "such a span or view of R, for each result as well");
  if constexpr (has_groups && has_letters && knows_letters && !std::is_void_v<results>) {
    constexpr const gufunc_signature& signature = signature_of<Signature>;
    constexpr std::size_t num_loops = [] {
      std::size_t most = 0;
      std::size_t i = 0;
      ((most = std::max(most, Xs::rank - signature.input(i++).rank)), ...);
      return most;
    }();
    const call_along_axes<called_t<F>, results, Signature, typename Xs::value_type...> call{
        object_of(f)};
    block_form form = gufunc_form("apply_gufunc", signature, std::array{&xs.layout()...}, extents);
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return make_call<(num_loops + signature_of<Signature>.result(J).rank)...>(
          "apply_gufunc", call, std::move(form), xs...);
    }
    (std::make_index_sequence<results::size>{});
  } else {
    return first_array(xs...);
  }
}

/// As `apply_gufunc`, of the first of `args`, which are arrays; letters follow them.
template <fixed_string Signature, class Rs, class F, class Args, std::size_t... I, std::size_t... L>
auto apply_to_first(const F& f, const Args& args, std::index_sequence<I...>,
                    std::index_sequence<L...>) {
  using given = given_letters<std::remove_cvref_t<std::tuple_element_t<sizeof...(I) + L, Args>>...>;
  const auto extents = given::list(std::get<sizeof...(I) + L>(args)...);
  return apply_along_axes<Signature, Rs, given>(f, extents, std::get<I>(args)...);
}

}  // namespace detail

/// Sets the extent of the letter `Name` of a signature, which results alone have.
template <fixed_string Name>
[[nodiscard]] constexpr detail::letter_extent<Name> letter(index_t extent) {
  return {extent};
}

/// Returns `f` of whole axes of arrays, the last ones, for each index of the loop axes before them,
/// which are broadcast: `apply_gufunc<"(i),(i)->()">(f, x, y)`.
///
/// For each of `xs`, `f` takes an element if its group is `()`, a `std::span<const T>` if it has
/// one letter, else a `block_view<const T, n>`. It returns the element if the result's group is
/// `()`; else it takes, behind the operands, a `std::span<R>` or `block_view<R, n>`:
/// `apply_gufunc<"(i,j)->(j)", float>(f, x)`.
///
/// Of several results, `auto [q, r] = apply_gufunc<"(i,j)->(i,k),(k,j)", float, float>(f, x,
/// letter<"k">(5))`, a tuple of arrays is returned, which one operation computes. `f` returns a
/// tuple if all their groups are `()`; else it takes an argument for each, an `R&` if the group is
/// `()`. The extent of a letter that results alone have is given behind the arrays.
/// Shape:  the loop axes, broadcast, and the extents of the result's letters.
/// Memory: whole axes, for as many indices of the loop axes as are allowed, as `sort`; and the
///         memory that `allocating(f, 10_MB)` declares.
/// Throws: shape_error <- a letter stands for different extents, or for none.
/// Source: numpy's generalised ufuncs, dask.array.apply_gufunc.
template <fixed_string Signature, element... Rs, class F, class... Args>
requires has_unnamed_array<Args...>
[[nodiscard]] auto apply_gufunc(const F& f, const Args&... args) {
  constexpr std::size_t num_letters = (std::size_t{detail::is_letter_extent<Args>} + ...);
  constexpr bool are_arrays = ((array_expression<Args> || detail::is_letter_extent<Args>)&&...);
  static_assert(
      are_arrays,
      "tessera::apply_gufunc<signature>(f, xs...): requires each of xs to be a lazy array");
  if constexpr (are_arrays) {
    return detail::apply_to_first<Signature, detail::element_types<Rs...>>(
        f, std::tie(args...), std::make_index_sequence<sizeof...(Args) - num_letters>{},
        std::make_index_sequence<num_letters>{});
  } else {
    return detail::first_array(args...);
  }
}

}  // namespace tessera
