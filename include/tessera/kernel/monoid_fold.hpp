// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds by monoids.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/monoid.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// How many states a strip is dealt out to, so that they are taken into side by side.
inline constexpr index_t monoid_lanes = num_lanes;
/// The same if states must meet in order: each takes a run of the strip.
inline constexpr index_t monoid_runs = 4;

/// Tells whether the states of `M` may meet in any order also if one axis is folded.
template <class M>
inline constexpr bool monoid_commutes = requires {
  requires M::commutes;
};

/// Room for `N` states in state fields.
template <class State, index_t N>
class local_states;
template <class... Ts, index_t N>
class local_states<std::tuple<Ts...>, N> {
 public:
  local_states() { point(std::index_sequence_for<Ts...>{}); }
  [[nodiscard]] std::byte* const* state_fields() { return state_fields_.data(); }

 private:
  template <std::size_t... I>
  void point(std::index_sequence<I...>) {
    ((state_fields_[I] = static_cast<std::byte*>(static_cast<void*>(std::get<I>(values_).data()))),
     ...);
  }

  std::tuple<std::array<Ts, N>...> values_;
  std::array<std::byte*, sizeof...(Ts)> state_fields_;
};
template <element T, index_t N>
class local_states<T, N> : public local_states<std::tuple<T>, N> {};

/// The elements of an input; of one that is the same all along a strip, that.
template <class X, bool IsOne>
struct elements_of_input {
  const X* x;
  X operator()(index_t i) const { return x[IsOne ? 0 : i]; }
};

/// The fold of elements of `Xs` by the monoid `M`, a class of static functions as folds are.
///
/// Members of `M` that make it faster: `commutes`, true if states may meet in any order;
/// `take_next`, as `take` if the state has taken elements, all of which come before;
/// `take_strip(state, size, xs...)`, which takes the elements `xs(i)...`, i below `size`;
/// `take_each`, `take_layers`, `take_all` and `fused`, which replace the functions of the fold.
template <class M, class... Xs>
struct fold_by_monoid {
  using inputs = std::tuple<Xs...>;
  using state = typename M::state;
  using output = decltype(finished<M>(std::declval<state>(), 0.0));
  static constexpr bool needs_count = finish_needs_count<M>;
  static constexpr bool takes_next = requires(const state& s, const Xs&... xs) {
    M::take_next(s, xs...);
  };
  /// Whether a state is one number and takes the elements of one operand: loops over two arrays.
  static constexpr bool is_plain = element<state> && sizeof...(Xs) == 1 && !takes_next;
  static constexpr bool takes_strips =
      requires(const state& s, const elements_of_input<Xs, false>&... xs) {
    M::take_strip(s, 1, xs...);
  };
  static constexpr bool takes_last_as_one = sizeof...(Xs) > 1;
  static constexpr std::string_view label = label_of_monoid<M>("reduction");

  static std::string name() {
    return fold_name(typeid(M).name(), elements_of<std::tuple<Xs...>>::dtypes());
  }
  static std::vector<dtype> state_fields() { return monoid_states<M>::state_fields(); }

  static void start(std::byte* const* state_fields, index_t size, const void*) {
    const monoid_states<M> states(state_fields);
    for (index_t i = 0; i < size; ++i) states.set(i, M::identity);
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    if constexpr (requires { &M::take_each; }) {
      M::take_each(state_fields, strip);
    } else if constexpr (is_plain) {
      take_each_plain(state_fields, strip);
    } else {
      take_each_of_tuples(state_fields, strip);
    }
  }

  static void take_layers(std::byte* const* state_fields,
                          const fold_strip& strip) requires(is_plain ||
                                                            requires { &M::take_layers; }) {
    if constexpr (requires { &M::take_layers; }) {
      M::take_layers(state_fields, strip);
    } else {
      state* __restrict const states = typed<state>(state_fields[0]);
      for_each_of_layers<Xs...>(strip, [states](index_t i, auto... x) {
        state next = states[i];
        ((next = M::take(next, x)), ...);
        states[i] = next;
      });
    }
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    const monoid_states<M> states(state_fields);
    if constexpr (requires { &M::take_all; }) {
      M::take_all(state_fields, strip);
    } else if constexpr (takes_strips) {
      take_from(strip, [&](auto... xs) {
        states.set(0, M::take_strip(states.get(0), strip.size, xs...));
      });
    } else {
      states.set(
          0, M::merge(states.get(0), monoid_commutes<M> ? take_lanes(strip) : take_runs(strip)));
    }
  }

  static void take_at(std::byte* const* state_fields, const fold_strip& strip, const index_t* at) {
    take_from(strip, [&](auto... xs) {
      const monoid_states<M> states(state_fields);
      for_each_at(strip, at, [states, xs...](index_t group, [[maybe_unused]] index_t i) {
        states.set(group, M::take(states.get(group), xs(i)...));
      });
    });
  }

  static void merge(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                    index_t /*num_taken*/, index_t /*other_taken*/, const void*) {
    const monoid_states<M> states(state_fields);
    const monoid_states<M> added(others);
    for (index_t i = 0; i < size; ++i) states.set(i, M::merge(states.get(i), added.get(i)));
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t num_taken, const void*) {
    const monoid_states<M> states(state_fields);
    const auto count = static_cast<double>(num_taken);
    for (index_t i = 0; i < size; ++i) {
      write(outputs, i, finished<M>(states.get(i), count),
            std::make_index_sequence<elements_of<output>::size>{});
    }
  }

  static std::vector<fused_take> fused() requires requires { M::fused(); }
  { return M::fused(); }

 private:
  static void take_each_plain(std::byte* const* state_fields, const fold_strip& strip) {
    // A copy, as states that are int64 might be the size for all that compilers know.
    const index_t size = strip.size;
    state* __restrict const states = typed<state>(state_fields[0]);
    const auto* __restrict const x = typed<Xs...>(strip.inputs[0]);
    for (index_t i = 0; i < size; ++i) states[i] = M::take(states[i], x[i]);
  }

  static void take_each_of_tuples(std::byte* const* state_fields, const fold_strip& strip) {
    const index_t size = strip.size;  // a copy, as above
    take_from(strip, [&](auto... xs) {
      const monoid_states<M> states(state_fields);
      if constexpr (takes_next) {
        if (strip.num_taken > 0) {
          for (index_t i = 0; i < size; ++i) {
            states.set(i, M::take_next(states.get(i), xs(i)...));
          }
          return;
        }
      }
      for (index_t i = 0; i < size; ++i) states.set(i, M::take(states.get(i), xs(i)...));
    });
  }

  /// Calls `f` with a function of the index for the elements of each input.
  template <class F>
  static void take_from(const fold_strip& strip, F f) {
    take_from(strip, f, std::index_sequence_for<Xs...>{});
  }
  template <class F, std::size_t... I>
  static void take_from(const fold_strip& strip, F f, std::index_sequence<I...>) {
    constexpr std::size_t last = takes_last_as_one ? sizeof...(Xs) - 1 : sizeof...(Xs);
    if (takes_last_as_one && strip.is_last_one) {
      f(elements_of_input<Xs, I == last>{typed<Xs>(strip.inputs[I])}...);
    } else {
      f(elements_of_input<Xs, false>{typed<Xs>(strip.inputs[I])}...);
    }
  }

  /// Element `i` goes into state `i mod monoid_lanes`.
  static state take_lanes(const fold_strip& strip) {
    if constexpr (is_plain) {
      return fold_lanes(
          typed<Xs...>(strip.inputs[0]), strip.size, state(M::identity),
          [](state& lane, const auto& x) { lane = M::take(lane, x); },
          [](state& lane, const state& added) { lane = M::merge(lane, added); });
    } else {
      return take_lanes_of_tuples(strip);
    }
  }
  static state take_lanes_of_tuples(const fold_strip& strip) {
    local_states<state, monoid_lanes> room;
    start(room.state_fields(), monoid_lanes, nullptr);
    const monoid_states<M> lanes(room.state_fields());
    const index_t whole = strip.size - strip.size % monoid_lanes;
    take_from(strip, [&](auto... xs) {
      for (index_t first = 0; first < whole; first += monoid_lanes) {
        for (index_t k = 0; k < monoid_lanes; ++k) {
          lanes.set(k, M::take(lanes.get(k), xs(first + k)...));
        }
      }
      for (index_t i = whole; i < strip.size; ++i) {
        lanes.set(i - whole, M::take(lanes.get(i - whole), xs(i)...));
      }
    });
    for (index_t half = monoid_lanes / 2; half > 0; half /= 2) {
      for (index_t k = 0; k < half; ++k) lanes.set(k, M::merge(lanes.get(k), lanes.get(half + k)));
    }
    return lanes.get(0);
  }

  /// The strip is cut into runs, whose states meet in order; the rest is taken last.
  static state take_runs(const fold_strip& strip) {
    std::array<state, monoid_runs> runs;
    runs.fill(M::identity);
    const index_t length = strip.size / monoid_runs;
    state whole = M::identity;
    take_from(strip, [&](auto... xs) {
      for (index_t i = 0; i < length; ++i) {
        for (index_t k = 0; k < monoid_runs; ++k) {
          state& run = runs[static_cast<std::size_t>(k)];
          run = M::take(run, xs(k * length + i)...);
        }
      }
      for (const state& run : runs) whole = M::merge(whole, run);
      for (index_t i = monoid_runs * length; i < strip.size; ++i) whole = M::take(whole, xs(i)...);
    });
    return whole;
  }

  template <std::size_t... I>
  static void write(std::byte* const* outputs, index_t i, const output& value,
                    std::index_sequence<I...>) {
    if constexpr (element<output>) {
      typed<output>(outputs[0])[i] = value;
    } else {
      ((typed<std::tuple_element_t<I, output>>(outputs[I])[i] = std::get<I>(value)), ...);
    }
  }
};

/// As `fold_by_monoid` of a statistic of the library, which is known by its own name.
template <class M, class... Xs>
struct statistic_fold : fold_by_monoid<M, Xs...> {
  static std::string name() { return fold_name(M::name, elements_of<std::tuple<Xs...>>::dtypes()); }
};

}  // namespace detail

/// Returns the kernel that folds elements of `Xs` by the monoid `M`.
template <class M, class... Xs>
requires(monoid_of<M, Xs...>) [[nodiscard]] const fold_kernel& monoid_fold() {
  return detail::known_fold<detail::fold_by_monoid<M, Xs...>>();
}

}  // namespace tessera
