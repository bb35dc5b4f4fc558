// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How function objects are called with blocks: what they take and give, and their nodes.

#include "tessera/core/bytes.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/kernel/block_view.hpp"
#include "tessera/kernel/function_of_axes.hpp"
#include "tessera/kernel/function_of_blocks.hpp"
#include "tessera/meta/signature.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

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
block_function_object<F> object_of(const F& f) {
  return {f, 0};
}
template <class F>
block_function_object<F> object_of(const allocating<F>& f) {
  return {f.f, f.memory.count()};
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

/// Tells whether `F` takes blocks of `Xs`, as of one shape, and a block of elements of `R`.
template <class R, class F, class... Xs>
consteval bool takes_blocks() {
  constexpr std::size_t rank = std::max({Xs::rank...});
  return std::is_invocable_v<const F&, block_view<const typename Xs::value_type, rank>...,
                             block_view<R, rank>>;
}

template <class R, class F, class... Xs>
auto make_block_call(std::string_view name, const F& f, block_form form, const Xs&... xs) {
  constexpr std::size_t rank = std::max({Xs::rank...});
  using call = call_with_blocks<called_t<F>, R, rank, typename Xs::value_type...>;
  using op_type = op::blocks<call, rank>;
  return expression<op_type, Xs...>(op_type{name, call{object_of(f)}, std::move(form)}, xs...);
}

/// Tells whether `Text` is a signature of as many operands as `Xs`, and one result.
template <fixed_string Text, class... Xs>
consteval bool groups_fit() {
  constexpr const gufunc_signature& signature = signature_of<Text>;
  return signature.is_valid && signature.num_inputs == sizeof...(Xs) && signature.num_results == 1;
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

/// Tells whether each letter of the result is one of an operand.
template <fixed_string Text>
consteval bool letters_are_known() {
  constexpr const gufunc_signature& signature = signature_of<Text>;
  if (!signature.is_valid || signature.num_results != 1) return true;
  for (std::size_t k = 0; k < signature.result(0).rank; ++k) {
    if (!signature.is_of_operand(signature.result(0).letters[k])) return false;
  }
  return true;
}

template <fixed_string Text, class F, class R, class Indices, class... Xs>
struct gufunc_result {
  static constexpr bool is_right = false;
};
/// The result has axes of its own: they come behind the operands.
template <fixed_string Text, class F, class R, std::size_t... I, class... Xs>
requires(
    signature_of<Text>.result(0).rank > 0 && !std::is_void_v<R> &&
    std::is_invocable_v<
        const F&, whole_axes_t<const typename Xs::value_type, signature_of<Text>.input(I).rank>...,
        whole_axes_t<R, signature_of<Text>.result(0).rank>>)  //
    struct gufunc_result<Text, F, R, std::index_sequence<I...>, Xs...> {
  static constexpr bool is_right = element<R>;
  using type = R;
};
/// It is what `F` returns.
template <fixed_string Text, class F, class R, std::size_t... I, class... Xs>
requires(signature_of<Text>.result(0).rank == 0 &&
         std::is_invocable_v<const F&, whole_axes_t<const typename Xs::value_type,
                                                    signature_of<Text>.input(I).rank>...>)  //
    struct gufunc_result<Text, F, R, std::index_sequence<I...>, Xs...> {
  using returned = std::remove_cvref_t<std::invoke_result_t<
      const F&, whole_axes_t<const typename Xs::value_type, signature_of<Text>.input(I).rank>...>>;
  using type = std::conditional_t<std::is_void_v<R>, returned, R>;
  static constexpr bool is_right = element<type> && std::is_convertible_v<returned, type>;
};

/// What a function of whole axes gives; asked only where its signature fits.
template <fixed_string Text, class F, class R, class... Xs>
consteval auto result_of_gufunc() {
  if constexpr (groups_fit<Text, Xs...>() && letters_fit<Text, Xs...>()) {
    return gufunc_result<Text, F, R, std::index_sequence_for<Xs...>, Xs...>{};
  } else {
    return gufunc_result<Text, F, R, void, Xs...>{};
  }
}

}  // namespace detail

}  // namespace tessera
