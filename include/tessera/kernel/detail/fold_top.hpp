// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds that keep the k greatest or least elements, in order.

#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// A fold of `T` that keeps the k greatest elements in descending order, or for a negative k, its
/// parameter, the -k least in ascending order; `IsPosition` gives their positions instead. NaN is
/// greater than all else, as in NumPy's sort; of equals the first come first.
template <class Op, class T, bool IsPosition>
struct top_fold {
  using inputs = std::conditional_t<IsPosition, std::tuple<T, std::int64_t>, std::tuple<T>>;
  using output = std::conditional_t<IsPosition, std::int64_t, T>;
  static constexpr std::string_view label = Op::name;
  static constexpr bool takes_last_as_one = IsPosition;

  static kernel_parameters restored(std::string_view identity) {
    byte_reader bytes(identity);
    const auto k = bytes.take<index_t>();
    bytes.require_end();
    require_number(k);
    return {k, std::string(identity)};
  }

  static std::vector<dtype> state_fields() { return elements_of<inputs>::dtypes(); }
  static index_t state_length(const void* parameters) { return std::abs(number(parameters)); }

  /// Cells that hold nothing are worse than all elements.
  static void start(std::byte* const* state_fields, index_t size, const void* parameters) {
    const index_t k = number(parameters);
    const T worst = k > 0 ? lowest() : greatest();
    std::fill_n(typed<T>(state_fields[0]), size * std::abs(k), worst);
    if constexpr (IsPosition) {
      std::fill_n(typed<std::int64_t>(state_fields[1]), size * std::abs(k), no_position);
    }
  }

  static void take_each(std::byte* const* state_fields, const fold_strip& strip) {
    const index_t k = std::abs(number(strip.parameters));
    with_order(strip.parameters, [&](auto order) {
      for (index_t i = 0; i < strip.size; ++i) insert(state_fields, i * k, k, strip, i, order);
    });
  }

  static void take_all(std::byte* const* state_fields, const fold_strip& strip) {
    const index_t k = std::abs(number(strip.parameters));
    with_order(strip.parameters, [&](auto order) {
      for (index_t i = 0; i < strip.size; ++i) insert(state_fields, 0, k, strip, i, order);
    });
  }

  static void finish(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                     index_t /*num_taken*/, const void* parameters) {
    const auto* const kept = typed<output>(state_fields[IsPosition ? 1 : 0]);
    std::copy_n(kept, size * state_length(parameters), typed<output>(outputs[0]));
  }

 private:
  static index_t number(const void* parameters) { return *static_cast<const index_t*>(parameters); }
  static void require_number(index_t k);

  static T lowest() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  static T greatest() {
    using limits = std::numeric_limits<T>;
    return limits::has_quiet_NaN ? limits::quiet_NaN() : limits::max();
  }

  /// Calls `f` with a predicate that tells whether the first of two numbers is the better.
  template <class F>
  static void with_order(const void* parameters, F f) {
    const auto is_less = [](T a, T b) { return a < b || (b != b && a == a); };
    if (number(parameters) > 0) {
      f([=](T a, T b) { return is_less(b, a); });
    } else {
      f(is_less);
    }
  }

  /// Inserts element `i` of the strip in order among the `k` values of states from `first` on.
  template <class Order>
  static void insert(std::byte* const* state_fields, index_t first, index_t k,
                     const fold_strip& strip, index_t i, Order is_better) {
    const T x = typed<T>(strip.inputs[0])[i];
    T* const values = typed<T>(state_fields[0]) + first;
    index_t insertion = k;
    if constexpr (IsPosition) {
      const std::int64_t at = typed<std::int64_t>(strip.inputs[1])[strip.is_last_one ? 0 : i];
      std::int64_t* const positions = typed<std::int64_t>(state_fields[1]) + first;
      const auto comes_before = [&](index_t rank) {
        return is_better(x, values[rank]) || (!is_better(values[rank], x) && at < positions[rank]);
      };
      for (; insertion > 0 && comes_before(insertion - 1); --insertion) {
        if (insertion == k) continue;
        values[insertion] = values[insertion - 1];
        positions[insertion] = positions[insertion - 1];
      }
      if (insertion == k) return;
      values[insertion] = x;
      positions[insertion] = at;
    } else {
      for (; insertion > 0 && is_better(x, values[insertion - 1]); --insertion) {
        if (insertion < k) values[insertion] = values[insertion - 1];
      }
      if (insertion < k) values[insertion] = x;
    }
  }
};

template <class Op, class T, bool IsPosition>
void top_fold<Op, T, IsPosition>::require_number(index_t k) {
  constexpr index_t most = index_t{1} << 40;
  if (k == 0 || k > most || k < -most) byte_reader("k").require_end();
}

}  // namespace tessera::detail
