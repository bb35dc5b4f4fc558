// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// User functions of blocks of arrays with lettered axes.

#include "tessera/array/detail/block_calls.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/lettered_form.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/kernel/function_of_blocks.hpp"
#include "tessera/meta/fixed_string.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {
namespace detail {

/// Returns the position of the first `letter`, or the length. GCC 12 does not evaluate
/// `string_view::find` at compile time if code is checked for undefined behaviour.
constexpr std::size_t position_in(std::string_view text, char letter) {
  return static_cast<std::size_t>(std::find(text.begin(), text.end(), letter) - text.begin());
}
constexpr bool has_letter(std::string_view text, char letter) {
  return position_in(text, letter) < text.size();
}

/// Returns group `i` of groups of letters with commas between them.
constexpr std::string_view letter_group(std::string_view text, std::size_t i) {
  for (; i > 0; --i) text.remove_prefix(position_in(text, ',') + 1);
  return text.substr(0, position_in(text, ','));
}
constexpr std::size_t num_letter_groups(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
}

/// Tells whether a group has letters alone, each once.
constexpr bool is_letter_group(std::string_view group) {
  for (std::size_t k = 0; k < group.size(); ++k) {
    const char c = group[k];
    if (!('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z')) return false;
    if (has_letter(group.substr(k + 1), c)) return false;
  }
  return true;
}
constexpr bool has_letters_of(std::string_view group, std::string_view letters) {
  return std::all_of(group.begin(), group.end(),
                     [&](char letter) { return has_letter(letters, letter); });
}

/// The letters of results and operands.
template <fixed_string Results, fixed_string... Letters>
struct block_letters {
  static constexpr std::size_t num_results = num_letter_groups(Results.view());
  static constexpr std::array<std::string_view, sizeof...(Letters)> operands{Letters.view()...};
  static constexpr std::array<std::string_view, num_results> results = [] {
    std::array<std::string_view, num_results> groups;
    for (std::size_t i = 0; i < num_results; ++i) groups[i] = letter_group(Results.view(), i);
    return groups;
  }();

  /// Tells whether each of `Xs` has a group, with a letter for each axis.
  template <class... Xs>
  static constexpr bool fit = [] {
    if constexpr (sizeof...(Xs) != sizeof...(Letters)) {
      return false;
    } else {
      return ((Letters.view().size() == Xs::rank && is_letter_group(Letters.view())) && ...);
    }
  }();
  /// Tells whether results have letters of operands, all of them the same ones.
  static constexpr bool are_known = [] {
    for (const std::string_view group : results) {
      if (!is_letter_group(group) || group.size() != results[0].size()) return false;
      if (!has_letters_of(group, results[0])) return false;
    }
    return std::all_of(results[0].begin(), results[0].end(),
                       [](char letter) { return (has_letter(Letters.view(), letter) || ...); });
  }();
};

template <class Text, class Rs, class F, class Indices, class... Xs>
inline constexpr bool takes_lettered = false;
template <class Text, class... Rs, class F, std::size_t... J, class... Xs>
inline constexpr bool
    takes_lettered<Text, element_types<Rs...>, F, std::index_sequence<J...>, Xs...> =
        std::is_invocable_v<const F&, block_view<const typename Xs::value_type, Xs::rank>...,
                            block_view<Rs, Text::results[J].size()>...>;

template <class R>
struct lettered_results {
  using type = element_types<R>;
};
template <class... Rs>
struct lettered_results<std::tuple<Rs...>> {
  using type = element_types<Rs...>;
};

/// Returns the result of calls of the object `f` of `F`, or the tuple of its results `J`.
template <class Text, class Rs, class F, std::size_t... J, class Object, class... Xs>
auto make_lettered_call(std::index_sequence<J...> /*results*/, const Object& f, const Xs&... xs) {
  using call_type = call_by_letters<F, Rs, ranks_of<Text::results[J].size()...>,
                                    ranks_of<Xs::rank...>, typename Xs::value_type...>;
  return make_call<Text::results[J].size()...>(
      "blockwise", call_type{f},
      lettered_form("blockwise", Text::results, Text::operands, std::array{&xs.layout()...}),
      xs...);
}

template <class Text, class Rs, class F, class... Xs>
auto call_blockwise(const F& f, const Xs&... xs) {
  constexpr bool are_arrays = (array_expression<Xs> && ...);
  static_assert(are_arrays,
                "tessera::blockwise<results, letters...>(f, xs...): requires each of xs to be a "
                "lazy array");
  if constexpr (are_arrays) {
    constexpr bool fit = Text::template fit<Xs...>;
    static_assert(
        fit,
        "tessera::blockwise<results, letters...>(f, xs...): requires one group of letters "
        "for each of xs, with one letter for each of its axes, no two the same");
    constexpr bool are_known = !fit || Text::are_known;
    static_assert(are_known,
                  "tessera::blockwise<results, letters...>(f, xs...): requires results to have "
                  "letters of xs, each once, and all results the same ones");
    if constexpr (fit && are_known) {
      constexpr bool has_types = Rs::size == Text::num_results;
      using indices = std::make_index_sequence<has_types ? Text::num_results : 0>;
      constexpr bool is_called = has_types && takes_lettered<Text, Rs, called_t<F>, indices, Xs...>;
      static_assert(is_called,
                    "tessera::blockwise<R, results, letters...>(f, xs...): requires f to take "
                    "block_view<const T, rank> for each of xs, and behind these block_view<R, n> "
                    "for each result, whose types R or std::tuple<R...> lists");
      if constexpr (is_called) {
        return make_lettered_call<Text, Rs, called_t<F>>(indices{}, object_of(f), xs...);
      } else {
        return first_array(xs...);
      }
    } else {
      return first_array(xs...);
    }
  } else {
    return first_array(xs...);
  }
}

}  // namespace detail

/// Returns the array that `f` computes block by block from arrays with lettered axes:
/// `blockwise<"ik", "ij", "jk">(f, x, y)`, with
/// `f(block_view<const T, 2>, block_view<const U, 2>, block_view<R, 2>)`.
///
/// Axes of one letter are one axis, and their blocks come together; axes of one element are
/// broadcast. A block of the result is zeros at first. Along a letter that the result lacks, `f` is
/// called for one block after the other, in order. Each call gets the result's block as the call
/// before left it.
///
/// `R` is the promotion of all types, or the type in `blockwise<R, "ik", "ij", "jk">(f, x, y)`.
/// With `blockwise<std::tuple<R, S>, "ik,ki", "ij", "jk">(f, x, y)`, `f` takes a block of each
/// result, and a tuple of arrays is returned, which one operation computes.
/// Chunks:   along each letter as of an elementwise function.
/// Memory:   a block of each array, and the memory that `allocating(f, 10_MB)` declares.
/// Requires: as `map_blocks`.
/// Throws:   shape_error <- a letter stands for different extents.
/// Source:   dask.array.blockwise, but that `f` takes blocks along a letter that the result lacks
///           one by one, not in a list.
template <fixed_string Results, fixed_string... Letters, class F, class... Xs>
requires(sizeof...(Letters) > 0 && has_unnamed_array<Xs...>)  //
    [[nodiscard]] auto blockwise(const F& f, const Xs&... xs) {
  using text = detail::block_letters<Results, Letters...>;
  if constexpr ((array_expression<Xs> && ...)) {
    using type = promote_t<typename Xs::value_type...>;
    return detail::call_blockwise<text, detail::element_types<type>>(f, xs...);
  } else {
    return detail::call_blockwise<text, detail::element_types<>>(f, xs...);
  }
}
template <class R, fixed_string Results, fixed_string... Letters, class F, class... Xs>
requires(sizeof...(Letters) > 0 && has_unnamed_array<Xs...>)  //
    [[nodiscard]] auto blockwise(const F& f, const Xs&... xs) {
  return detail::call_blockwise<detail::block_letters<Results, Letters...>,
                                typename detail::lettered_results<R>::type>(f, xs...);
}

}  // namespace tessera
