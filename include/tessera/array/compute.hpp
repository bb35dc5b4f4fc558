// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Computes expressions.

#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>
#include <utility>

namespace tessera {

namespace detail {

/// Some arguments of a plan, and a `run_with` behind them.
template <class... Args>
inline constexpr bool end_in_run_with = false;
template <plannable First, class... Args>
inline constexpr bool end_in_run_with<First, Args...> = end_in_run_with<Args...>;
template <plannable E>
inline constexpr bool end_in_run_with<E, run_with> = true;

template <class... Args, std::size_t... I>
auto compute_with_last(const std::tuple<const Args&...>& args, std::index_sequence<I...>) {
  return plan<std::remove_cvref_t<std::tuple_element_t<I, std::tuple<const Args&...>>>...>(
             std::get<I>(args)..., std::get<sizeof...(I)>(args))
      .compute();
}

/// Lowers `e`, an `E`.
template <class E>
array_handle lower_as(const void* e, const index_vector& chunks) {
  return lower(*static_cast<const E*>(e), chunks);
}

/// Computes an expression; null for `settings`: `run_with{}`. Called without its type, so that
/// most of it is compiled once for all expressions of a dtype and a rank.
template <element T, std::size_t N>
ndarray<T, N> compute_lowered(lowering_function lowered, const void* e, const array_layout& layout,
                              const run_with* settings) {
  return ndarray<T, N>(to_array<N>(layout.shape), compute_elements(lowered, e, layout, settings));
}

}  // namespace detail

/// Computes several expressions together; common subexpressions are computed and read once. A
/// `run_with` behind them sets options of the run.
///
/// Example:    `auto [m, s] = ts::compute(mean(x), sum(x), ts::run_with{.executor = e});`
/// Returns:    an `ndarray` of one expression, a vector of them of a `std::vector` of expressions,
///             and a tuple of these of several.
/// Memory:     at most the allowed memory for one task; results are held in memory beside it.
/// Throws:     as `plan::compute`; value_error <- specs differ.
/// Complexity: see the plan, `tessera::plan(es...)`.
template <plannable... Es>
requires(has_results<Es...>) [[nodiscard]] auto compute(const Es&... es) {
  if constexpr (sizeof...(Es) == 1 && (array_expression<Es> && ...)) {
    return (es.compute(), ...);
  } else {
    return plan<Es...>(es..., run_with{}).compute();
  }
}
template <plannable... Es>
requires(sizeof...(Es) > 0 && !has_results<Es...>) auto compute(const Es&... es) {
  return plan<Es...>(es..., run_with{}).compute();
}

template <class... Args>
requires(detail::end_in_run_with<Args...>) auto compute(const Args&... args) {
  return detail::compute_with_last(std::tuple<const Args&...>(args...),
                                   std::make_index_sequence<sizeof...(Args) - 1>{});
}
template <class... Args>
requires(detail::are_out_of_order<Args...>()) ndarray<double, 0> compute(const Args&...) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::compute(x, ..., how): requires a run_with behind what is computed, and "
                "takes no pass_switches: plan(passes, how, x, ...).compute() does");
  return {};
}

template <class Self, element V, std::size_t N>
ndarray<V, N> array_interface<Self, V, N>::compute() const {
  return detail::compute_lowered<V, N>(&detail::lower_as<Self>, &self(), self().layout(), nullptr);
}
template <class Self, element V, std::size_t N>
ndarray<V, N> array_interface<Self, V, N>::compute(const run_with& settings) const {
  return detail::compute_lowered<V, N>(&detail::lower_as<Self>, &self(), self().layout(),
                                       &settings);
}

}  // namespace tessera
