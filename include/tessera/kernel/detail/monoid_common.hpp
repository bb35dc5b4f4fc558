// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Monoids that combine monoids, and monoids that keep one of the elements.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/monoid.hpp"
#include "tessera/kernel/monoid_fold.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera::detail {

/// Returns `a` if the condition holds, else `b`, element by element: a choice that loops can make
/// of vectors.
template <class T>
T chosen(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}
template <class... Ts>
std::tuple<Ts...> chosen(bool condition, const std::tuple<Ts...>& a, const std::tuple<Ts...>& b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<Ts...>((condition ? std::get<I>(a) : std::get<I>(b))...);
  }
  (std::index_sequence_for<Ts...>{});
}

template <class M>
struct name_of_monoid {
  static constexpr std::string_view name = label_of_monoid<M>("reduction");
};

/// The monoid `M` with the name of `Op`.
template <class M, class Op>
struct named_monoid : M {
  static constexpr std::string_view name = Op::name;
};

/// `M` of those elements that a first one, a bool, says to count.
template <class M>
struct masked_monoid : name_of_monoid<M> {
  using state = typename M::state;
  static constexpr state identity = M::identity;
  static constexpr bool commutes = requires { requires M::commutes; };

  template <class... Xs>
  static state take(const state& s, bool is_counted, const Xs&... xs) {
    return chosen<state>(is_counted, M::take(s, xs...), s);
  }
  static state merge(const state& a, const state& b) { return M::merge(a, b); }
  static auto finish(const state& s) { return finished<M>(s); }
};

/// Result `I` of a monoid that has several.
template <class M, std::size_t I>
struct result_of_monoid : M {
  static auto finish(const typename M::state& s) { return std::get<I>(finished<M>(s)); }
};

template <class T>
bool is_nan(const T& x) {
  if constexpr (complex_element<T>) {
    return x.real() != x.real() || x.imag() != x.imag();
  } else {
    return x != x;
  }
}

/// The value for no element: NaN of floats, 0 of other types.
template <class T>
T missing() {
  if constexpr (complex_element<T>) {
    using part = typename T::value_type;
    return T(std::numeric_limits<part>::quiet_NaN(), std::numeric_limits<part>::quiet_NaN());
  } else if constexpr (floating_element<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    return T{};
  }
}

/// The position of a state that has taken nothing: behind all elements.
inline constexpr std::int64_t no_position = std::numeric_limits<std::int64_t>::max();

/// The position of the greatest element, or the least; the first of several, and the first NaN
/// before all else unless it `SkipsNan`. It is -1 if nothing was taken.
template <class T, bool IsGreatest, bool SkipsNan>
struct extreme_position {
  using limits = std::numeric_limits<T>;
  using state = std::tuple<T, std::int64_t>;
  static constexpr bool commutes = true;
  static constexpr T worst = IsGreatest
                                 ? (limits::has_infinity ? -limits::infinity() : limits::lowest())
                                 : (limits::has_infinity ? limits::infinity() : limits::max());
  static constexpr state identity{worst, no_position};

  static state take(const state& s, const T& x, std::int64_t position) {
    const T value = std::get<0>(s);
    const std::int64_t at = std::get<1>(s);
    // Of equals the first is best. A NaN is better than all that is none, or is worse than all.
    bool is_taken = IsGreatest ? x > value : x < value;
    is_taken |= (x == value) & (position < at);
    if constexpr (!SkipsNan && limits::has_quiet_NaN) {
      is_taken |= (x != x) & ((value == value) | (position < at));
      is_taken &= (value == value) | (x != x);
    }
    return {is_taken ? x : value, is_taken ? position : at};
  }
  /// As `take`, if the state has taken elements, all of them before. If NaN is skipped, a state may
  /// have taken nothing although elements came before.
  static state take_next(const state& s, const T& x, std::int64_t position) requires(!SkipsNan) {
    const T value = std::get<0>(s);
    bool is_taken = IsGreatest ? x > value : x < value;
    if constexpr (limits::has_quiet_NaN) {
      is_taken = (IsGreatest ? !(x <= value) : !(x >= value)) & (value == value);
    }
    return {is_taken ? x : value, is_taken ? position : std::get<1>(s)};
  }
  /// Looks for the best element, then for its position; positions ascend along a strip.
  template <class Elements, class Positions>
  static state take_strip(const state& s, index_t size, Elements xs, Positions positions) {
    const auto take_better = [](T& best, const T& x) {
      bool is_better = IsGreatest ? x > best : x < best;
      if constexpr (!SkipsNan) is_better |= x != x;
      best = is_better ? x : best;
    };
    const T best = fold_lanes_at(
        size, worst, [&](T& lane, index_t i) { take_better(lane, xs(i)); }, take_better);
    const auto are_equal = [](const T& a, const T& b) { return a == b || (a != a && b != b); };
    T value = std::get<0>(s);
    const bool comes_first = size > 0 && !(std::get<1>(s) < positions(0));
    if (are_equal(value, best) && !comes_first) return s;
    take_better(value, best);
    if (!are_equal(value, best)) return s;
    for (index_t i = 0; i < size; ++i) {
      const T x = xs(i);
      if (are_equal(x, best)) return take(s, x, positions(i));
    }
    return s;
  }
  static state merge(const state& a, const state& b) {
    return take(a, std::get<0>(b), std::get<1>(b));
  }
  static std::int64_t finish(const state& s) {
    return std::get<1>(s) == no_position ? -1 : std::get<1>(s);
  }
};

/// The element with the least position, or with the greatest.
template <class T, bool IsLast>
struct end_element {
  using state = std::tuple<T, std::int64_t>;
  static constexpr bool commutes = true;
  static constexpr std::int64_t nowhere = IsLast ? -1 : no_position;
  static constexpr state identity{T{}, nowhere};

  static state take(const state& s, const T& x, std::int64_t position) {
    const bool is_better = IsLast ? position > std::get<1>(s) : position < std::get<1>(s);
    return chosen(is_better, state(x, position), s);
  }
  static state merge(const state& a, const state& b) {
    return take(a, std::get<0>(b), std::get<1>(b));
  }
  static T finish(const state& s) {
    return std::get<1>(s) == nowhere ? missing<T>() : std::get<0>(s);
  }
};

/// `Op::combine` of the elements, as states: least, greatest, product, any, all.
template <class Op, class T>
struct combined_elements {
  using state = decltype(Op::template identity<T>());
  static constexpr std::string_view name = Op::name;
  static constexpr bool commutes = true;
  static constexpr state identity = Op::template identity<T>();

  static constexpr T neutral() requires requires { Op::template neutral<T>(); }
  { return Op::template neutral<T>(); }
  static state take(state s, T x) {
    if constexpr (std::same_as<state, bool>) {
      return Op::combine(s, x != T{});
    } else {
      return Op::combine(s, static_cast<state>(x));
    }
  }
  static state merge(state a, state b) { return Op::combine(a, b); }
  static typename Op::template result<T> finish(state s) {
    return static_cast<typename Op::template result<T>>(s);
  }
};

/// The fold of the statistic `Op`, whose states are combined as elements are.
template <class Op, class T>
using simple_fold = statistic_fold<combined_elements<Op, T>, T>;

/// `M` with results of type `R`.
template <class M, class R>
struct monoid_in : M {
  static R finish(const typename M::state& s) { return static_cast<R>(finished<M>(s)); }
};

/// `Op::combine` of the elements, and whether there were any; `missing` if there were none.
template <class Op, class T>
struct seen_elements {
  using state = std::tuple<T, bool>;
  static constexpr std::string_view name = Op::name;
  static constexpr bool commutes = true;
  static constexpr state identity{Op::template identity<T>(), false};

  static state take(const state& s, const T& x) { return {Op::combine(std::get<0>(s), x), true}; }
  static state merge(const state& a, const state& b) {
    return {Op::combine(std::get<0>(a), std::get<0>(b)),
            (static_cast<int>(std::get<1>(a)) | static_cast<int>(std::get<1>(b))) != 0};
  }
  static T finish(const state& s) { return std::get<1>(s) ? std::get<0>(s) : missing<T>(); }
};

/// How many elements are no NaN.
template <class T>
struct num_elements_taken {
  using state = std::int64_t;
  static constexpr bool commutes = true;
  static constexpr state identity = 0;

  static state take(state s, const T& x) { return s + (is_nan(x) ? 0 : 1); }
  static state merge(state a, state b) { return a + b; }
};

/// How many times anything was taken.
struct num_taken {
  using state = std::int64_t;
  static constexpr std::string_view name = "count";
  static constexpr bool commutes = true;
  static constexpr state identity = 0;

  static state take(state s) { return s + 1; }
  static state take_strip(state s, index_t size) { return s + size; }
  static state merge(state a, state b) { return a + b; }
};

}  // namespace tessera::detail
