// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Monoids: what people write of a fold or a scan.
///
/// ```cpp
/// struct range_of {
///   using state = std::tuple<float, float>;                // element types, or one alone
///   static constexpr state identity{INFINITY, -INFINITY};  // the state that has taken nothing
///   static state take(state s, float x) {                  // one element of each array
///     return {std::min(get<0>(s), x), std::max(get<1>(s), x)};
///   }
///   static state merge(state a, state b);                  // b has taken what comes after a
///   static float finish(state s);                          // or a tuple: several results
/// };
/// ```
/// `merge` is associative and `identity` changes nothing; where one axis is folded, or scanned,
/// states meet in its order. Without `finish` the state is the result. A loop over `take` becomes
/// vectors where `take` chooses by `?:` instead of branches.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The element types that a value is made of: its own, or those of a tuple.
template <class T>
struct elements_of {
  static constexpr bool are_elements = element<T>;
  static constexpr std::size_t size = 1;
  template <std::size_t I>
  using at = T;

  static std::vector<dtype> dtypes() { return {dtype_of<T>}; }
};
template <class... Ts>
struct elements_of<std::tuple<Ts...>> {
  static constexpr bool are_elements = sizeof...(Ts) > 0 && (element<Ts> && ...);
  static constexpr std::size_t size = sizeof...(Ts);
  template <std::size_t I>
  using at = std::tuple_element_t<I, std::tuple<Ts...>>;

  static std::vector<dtype> dtypes() { return {dtype_of<Ts>...}; }
};

/// Returns what `M` makes of a state when nothing more is taken.
template <class M>
constexpr auto finished(const typename M::state& state) {
  if constexpr (requires { M::finish(state); }) {
    return M::finish(state);
  } else {
    return state;
  }
}

template <class M>
concept names_state = requires {
  typename M::state;
};

}  // namespace detail

// The rules of a monoid, each by itself, so that what is missing can be said in a sentence; each
// holds where one before it does not.

/// Tells whether `M` needs no object: what its functions do depends on their arguments alone.
template <class M>
inline constexpr bool monoid_is_empty = std::is_empty_v<M>;

/// Tells whether `M::state` is an element type or a tuple of them.
template <class M>
inline constexpr bool monoid_has_state = false;
template <detail::names_state M>
inline constexpr bool monoid_has_state<M> = detail::elements_of<typename M::state>::are_elements;

/// Tells whether `M::identity` is a state.
template <class M>
inline constexpr bool monoid_has_identity = !monoid_has_state<M> || requires {
  { M::identity } -> std::convertible_to<typename M::state>;
};

/// Tells whether `M::take` makes a state of one and an element of each of `Xs`.
template <class M, class... Xs>
inline constexpr bool monoid_takes =
    !monoid_has_state<M> || requires(const typename M::state& state, const Xs&... xs) {
  { M::take(state, xs...) } -> std::convertible_to<typename M::state>;
};

/// Tells whether `M::merge` makes one state of two.
template <class M>
inline constexpr bool monoid_merges =
    !monoid_has_state<M> || requires(const typename M::state& state) {
  { M::merge(state, state) } -> std::convertible_to<typename M::state>;
};

/// Tells whether what `M` makes of a state are elements.
template <class M>
inline constexpr bool monoid_finishes = true;
template <class M>
requires(monoid_has_state<M>) inline constexpr bool monoid_finishes<M> = detail::elements_of<
    decltype(detail::finished<M>(std::declval<typename M::state>()))>::are_elements;

/// A fold or scan of elements of `Xs`, as people write it.
template <class M, class... Xs>
concept monoid_of = monoid_is_empty<M> && monoid_has_state<M> && monoid_has_identity<M> &&
    monoid_takes<M, Xs...> && monoid_merges<M> && monoid_finishes<M>;

/// States of `M` in planes: state `i` is one value in each.
template <class M>
class monoid_states {
 public:
  using state = typename M::state;
  using elements = detail::elements_of<state>;

  static std::vector<dtype> planes() { return elements::dtypes(); }

  explicit monoid_states(std::byte* const* planes) { point(planes, numbers{}); }
  /// As the other; nobody writes to them.
  explicit monoid_states(const std::byte* const* planes)
      : monoid_states(const_cast<std::byte* const*>(planes)) {}

  [[nodiscard]] state get(index_t i) const { return load(i, numbers{}); }
  void set(index_t i, const state& value) const { store(i, value, numbers{}); }

 private:
  using numbers = std::make_index_sequence<elements::size>;
  template <std::size_t... I>
  static auto pointers(std::index_sequence<I...>)
      -> std::tuple<typename elements::template at<I>*...>;

  template <std::size_t... I>
  void point(std::byte* const* planes, std::index_sequence<I...>) {
    ((std::get<I>(planes_) =
          static_cast<typename elements::template at<I>*>(static_cast<void*>(planes[I]))),
     ...);
  }
  template <std::size_t... I>
  [[nodiscard]] state load(index_t i, std::index_sequence<I...>) const {
    return state(std::get<I>(planes_)[i]...);
  }
  template <std::size_t... I>
  void store(index_t i, const state& value, std::index_sequence<I...>) const {
    if constexpr (element<state>) {
      std::get<0>(planes_)[i] = value;
    } else {
      ((std::get<I>(planes_)[i] = std::get<I>(value)), ...);
    }
  }

  decltype(pointers(numbers{})) planes_;
};

}  // namespace tessera
