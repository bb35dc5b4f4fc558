// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of function objects with blocks: parameter types, result types, and nodes.

#include "tessera/array/array.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/kernel/block_view.hpp"
#include "tessera/kernel/function_of_axes.hpp"
#include "tessera/kernel/function_of_blocks.hpp"
#include "tessera/lower/lower_blocks.hpp"
#include "tessera/meta/fixed_string.hpp"
#include "tessera/meta/signature.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// A function object, and the memory that it allocates by itself at most in a call: `allocating(f,
/// 10_MB)` is called as `f` is, and a task counts the memory as its own.
template <class F>
struct allocating {
  F f;
  bytes memory;
};
template <class F>
allocating(F, bytes) -> allocating<F>;

namespace detail {

template <class F>
auto object_of(const F& f, std::uint64_t extra_memory = 0) {
  // Evaluated before a lambda is a member of a tuple: GCC 12 no longer takes it for trivially
  // copyable then.
  static_cast<void>(is_plain_bytes<F>);
  return block_function_object<F>{f, extra_memory};
}
template <class F>
auto object_of(const allocating<F>& f) {
  return object_of(f.f, f.memory.count());
}
template <class F>
struct called {
  using type = F;
};
template <class F>
struct called<allocating<F>> {
  using type = F;
};
template <class F>
using called_t = typename called<F>::type;

/// Tells whether `F` takes blocks of `Xs`, as of one shape, and blocks of elements of `Rs`.
template <class Rs, class F, class... Xs>
inline constexpr bool takes_blocks = false;
template <class... Rs, class F, class... Xs>
inline constexpr bool takes_blocks<element_types<Rs...>, F, Xs...> =
    std::is_invocable_v<const F&,
                        block_view<const typename Xs::value_type, std::max({Xs::rank...})>...,
                        block_view<Rs, std::max({Xs::rank...})>...>;

/// Returns the results of `call` for `xs`, of the form `form`: an expression, or for several
/// results a tuple of arrays of the ranks `N`, which one operation computes.
template <std::size_t... N, class Call, class... Xs>
auto make_call(std::string_view name, const Call& call, block_form form, const Xs&... xs) {
  if constexpr (sizeof...(N) == 1) {
    using op_type = op::blocks<Call, N...>;
    return expression<op_type, Xs...>(op_type{name, call, std::move(form)}, xs...);
  } else {
    const std::vector<array_handle> results =
        make_several(name, Call::kernel(), call.parameters(), form, {lower_view(xs)...});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<array<typename Call::results::template at<I>, N>...>{
          array<typename Call::results::template at<I>, N>(whole_of(results[I]),
                                                           form.results[I].layout)...};
    }
    (std::make_index_sequence<sizeof...(N)>{});
  }
}

/// Calls `f` with blocks of `xs`; the results have the rank of the greatest.
template <class Rs, class F, class... Xs>
auto make_block_call(std::string_view name, const F& f, block_form form, const Xs&... xs) {
  constexpr std::size_t rank = std::max({Xs::rank...});
  const call_with_blocks<called_t<F>, Rs, rank, typename Xs::value_type...> call{object_of(f)};
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return make_call<(static_cast<void>(I), rank)...>(name, call, std::move(form), xs...);
  }
  (std::make_index_sequence<Rs::size>{});
}

/// The extent of the letter `Name`, which results alone have.
template <fixed_string Name>
struct letter_extent {
  index_t extent;
};
template <class T>
inline constexpr bool is_letter_extent = false;
template <fixed_string Name>
inline constexpr bool is_letter_extent<letter_extent<Name>> = true;

/// Letters that were given an extent.
template <class... Letters>
struct given_letters;
template <fixed_string... Names>
struct given_letters<letter_extent<Names>...> {
  static constexpr std::size_t size = sizeof...(Names);

  static constexpr std::size_t count([[maybe_unused]] std::string_view letter) {
    return (std::size_t{0} + ... + (Names.view() == letter ? 1 : 0));
  }
  static std::array<named_extent, size> list(const letter_extent<Names>&... given) {
    return {named_extent{Names.view(), given.extent}...};
  }
};

/// Tells whether `Text` is a signature of as many operands as `Xs`.
template <fixed_string Text, class... Xs>
consteval bool groups_fit() {
  constexpr const gufunc_signature& signature = signature_of<Text>;
  return signature.is_valid && signature.num_inputs == sizeof...(Xs);
}

/// Tells whether each of `Xs` has an axis for each letter of its group.
template <fixed_string Text, class... Xs>
consteval bool letters_fit() {
  if constexpr (!groups_fit<Text, Xs...>()) {
    return true;
  } else {
    const std::array ranks{Xs::rank...};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] < signature_of<Text>.input(i).rank) return false;
    }
    return true;
  }
}

/// Tells whether each letter of a result is one of an operand, or given, and no other is given.
template <fixed_string Text, class Given>
consteval bool letters_are_known() {
  constexpr const gufunc_signature& signature = signature_of<Text>;
  if (!signature.is_valid) return true;
  std::size_t num_own = 0;
  for (std::size_t letter = 0; letter < signature.num_letters; ++letter) {
    if (signature.is_of_operand(letter)) continue;
    if (Given::count(signature.letters[letter]) != 1) return false;
    ++num_own;
  }
  return num_own == Given::size;
}

template <class Returned, std::size_t Count>
struct returned_types {
  using type = void;
};
template <element Returned>
struct returned_types<Returned, 1> {
  using type = element_types<Returned>;
};
template <class... Rs>
requires(element<Rs>&&...) struct returned_types<std::tuple<Rs...>, sizeof...(Rs)> {
  using type = element_types<Rs...>;
};
template <element A, element B>
struct returned_types<std::pair<A, B>, 2> {
  using type = element_types<A, B>;
};

/// Tells whether element types convert to other element types.
template <class From, class To>
inline constexpr bool become = false;
template <class... From, class... To>
requires(sizeof...(From) == sizeof...(To))  //
    inline constexpr bool become<element_types<From...>, element_types<To...>> =
        (std::is_convertible_v<From, To> && ...);

/// The parameter of `F` for a result of `Rank` axes.
template <class R, std::size_t Rank>
using result_axes_t = std::conditional_t<Rank == 0, R&, whole_axes_t<R, Rank>>;

/// The element types of the results of a function of whole axes; void if `F` cannot be called.
template <fixed_string Text, class F, class Rs, class Indices, class... Xs>
struct gufunc_results {
  using type = void;
};
/// The types come from the result of `F`: an element, or a tuple.
template <fixed_string Text, class F, class... Rs, std::size_t... I, class... Xs>
requires(signature_of<Text>.returns() &&
         std::is_invocable_v<const F&, whole_axes_t<const typename Xs::value_type,
                                                    signature_of<Text>.input(I).rank>...>)  //
    struct gufunc_results<Text, F, element_types<Rs...>, std::index_sequence<I...>, Xs...> {
  using returned = std::remove_cvref_t<std::invoke_result_t<
      const F&, whole_axes_t<const typename Xs::value_type, signature_of<Text>.input(I).rank>...>>;
  using returned_elements = typename returned_types<returned, signature_of<Text>.num_results>::type;
  static consteval auto chosen() {
    if constexpr (sizeof...(Rs) == 0) {
      return std::type_identity<returned_elements>{};
    } else if constexpr (sizeof...(Rs) == signature_of<Text>.num_results &&
                         !std::is_void_v<returned_elements>) {
      return std::type_identity<std::conditional_t<become<returned_elements, element_types<Rs...>>,
                                                   element_types<Rs...>, void>>{};
    } else {
      return std::type_identity<void>{};
    }
  }
  using type = typename decltype(chosen())::type;
};

template <fixed_string Text, class F, class Rs, class Inputs, class Results, class... Xs>
inline constexpr bool takes_results = false;
template <fixed_string Text, class F, class... Rs, std::size_t... I, std::size_t... J, class... Xs>
inline constexpr bool takes_results<Text, F, element_types<Rs...>, std::index_sequence<I...>,
                                    std::index_sequence<J...>, Xs...> =
    std::is_invocable_v<
        const F&, whole_axes_t<const typename Xs::value_type, signature_of<Text>.input(I).rank>...,
        result_axes_t<Rs, signature_of<Text>.result(J).rank>...>;

/// They have axes: they come behind the operands.
template <fixed_string Text, class F, class... Rs, std::size_t... I, class... Xs>
requires(!signature_of<Text>.returns() && sizeof...(Rs) == signature_of<Text>.num_results &&
         takes_results<Text, F, element_types<Rs...>, std::index_sequence<I...>,
                       std::index_sequence_for<Rs...>, Xs...>)  //
    struct gufunc_results<Text, F, element_types<Rs...>, std::index_sequence<I...>, Xs...> {
  using type = element_types<Rs...>;
};

/// The element types of the results of a function of whole axes; void if the call or the signature
/// does not fit.
template <fixed_string Text, class F, class Rs, class... Xs>
consteval auto results_of_gufunc() {
  if constexpr (groups_fit<Text, Xs...>() && letters_fit<Text, Xs...>()) {
    return gufunc_results<Text, F, Rs, std::index_sequence_for<Xs...>, Xs...>{};
  } else {
    return gufunc_results<Text, F, Rs, void, Xs...>{};
  }
}

}  // namespace detail

}  // namespace tessera
