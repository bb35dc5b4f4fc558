// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The common parts of folds: state fields with types, lanes, and the kernel object.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/monoid.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::detail {

template <class T>
struct accumulator_of {
  using type = std::conditional_t<std::unsigned_integral<T> && !std::same_as<T, bool>,
                                  std::uint64_t, std::int64_t>;
};
template <floating_element T>
struct accumulator_of<T> {
  using type = double;
};
template <complex_element T>
struct accumulator_of<T> {
  using type = complex128;
};

/// The type of the accumulator of a sum or product of `T`.
template <class T>
using accumulator = typename accumulator_of<T>::type;

template <class T>
T* typed(std::byte* bytes) {
  return static_cast<T*>(static_cast<void*>(bytes));
}

template <class T>
const T* typed(const std::byte* bytes) {
  return static_cast<const T*>(static_cast<const void*>(bytes));
}

/// The accumulators that a strip is dealt out to; as many as keep the adders of a core busy.
inline constexpr index_t num_lanes = 32;

/// Folds the elements 0, 1, ... into `num_lanes` lanes and these into one. The compiler may not
/// reorder a sum of floats, so one accumulator would be neither fast nor precise.
///
/// `take(lane, i)` folds element `i`, `merge(lane, other)` one lane.
template <class Lane, class Take, class Merge>
Lane fold_lanes_at(index_t size, Lane identity, Take take, Merge merge) {
  std::array<Lane, num_lanes> lanes;
  lanes.fill(identity);
  const index_t whole = size - size % num_lanes;
  for (index_t i = 0; i < whole; i += num_lanes) {
    for (index_t k = 0; k < num_lanes; ++k) take(lanes[static_cast<std::size_t>(k)], i + k);
  }
  // A copy, as lanes that are found by a variable index could not stay in registers above.
  std::array<Lane, num_lanes> partials = lanes;
  for (index_t i = whole; i < size; ++i) take(partials[static_cast<std::size_t>(i - whole)], i);
  for (std::size_t half = num_lanes / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) merge(partials[k], partials[half + k]);
  }
  return partials[0];
}

/// As `fold_lanes_at` of the elements of `in`: `take(lane, x)` folds one.
template <class Lane, class T, class Take, class Merge>
Lane fold_lanes(const T* in, index_t size, Lane identity, Take take, Merge merge) {
  return fold_lanes_at(
      size, identity, [&](Lane& lane, index_t i) { take(lane, in[i]); }, merge);
}

/// Calls `take(state, i)` for each element `i` of a strip that goes into a state, `at[i]`.
template <class Take>
void for_each_at(const fold_strip& strip, const index_t* at, Take take) {
  const index_t size = strip.size;
  for (index_t i = 0; i < size; ++i) {
    if (at[i] >= 0) take(at[i], i);
  }
}

/// Calls `take(i, x...)` for each element `i` of strips that a fold takes at once, with that of
/// each of them.
template <class T, class Take>
void for_each_of_layers(const fold_strip& strip, Take take) {
  static_assert(layers_at_once == 4);
  const T* __restrict const a = typed<T>(strip.inputs[0]);
  const T* __restrict const b = typed<T>(strip.inputs[1]);
  const T* __restrict const c = typed<T>(strip.inputs[2]);
  const T* __restrict const d = typed<T>(strip.inputs[3]);
  const index_t size = strip.size;
  for (index_t i = 0; i < size; ++i) take(i, a[i], b[i], c[i], d[i]);
}

/// Makes the parameters of a fold: none, or the result of `Fold::restored` from bytes.
template <class Fold>
kernel_parameters restore_fold(std::string_view identity) {
  if (identity.empty()) return {};
  if constexpr (requires { Fold::restored(identity); }) {
    return Fold::restored(identity);
  } else {
    byte_reader(identity).require_end();
    return {};
  }
}

/// Returns the dtypes of the inputs of `Fold`: of its `inputs`, a tuple of types, or its one
/// `input`.
template <class Fold>
std::vector<dtype> fold_inputs() {
  if constexpr (requires { typename Fold::inputs; }) {
    return elements_of<typename Fold::inputs>::dtypes();
  } else {
    return {dtype_of<typename Fold::input>};
  }
}

/// Returns the kernel object of `Fold`, a class of static functions.
template <class Fold>
fold_kernel make_fold_kernel(std::string_view name) {
  fold_kernel kernel{.name = name,
                     .label = Fold::label,
                     .inputs = fold_inputs<Fold>(),
                     .outputs = elements_of<typename Fold::output>::dtypes(),
                     .state_fields = Fold::state_fields(),
                     .start = &Fold::start,
                     .take_each = &Fold::take_each,
                     .take_all = &Fold::take_all,
                     .finish = &Fold::finish,
                     .restore = &restore_fold<Fold>};
  if constexpr (requires(const fold_strip& strip) { Fold::take_layers(nullptr, strip); }) {
    kernel.take_layers = &Fold::take_layers;
  }
  if constexpr (requires { &Fold::merge; }) kernel.merge = &Fold::merge;
  if constexpr (!requires { requires Fold::needs_count; }) {
    if constexpr (requires { &Fold::take_at; }) kernel.take_at = &Fold::take_at;
  }
  if constexpr (requires { &Fold::state_length; }) kernel.state_length = &Fold::state_length;
  if constexpr (requires { requires Fold::takes_last_as_one; }) kernel.takes_last_as_one = true;
  if constexpr (requires { Fold::fused(); }) kernel.fused = Fold::fused();
  return kernel;
}

/// Returns the kernel object of `Fold`, a class of static functions, and makes it known.
template <class Fold>
const fold_kernel& known_fold() {
  static_cast<void>(&known_at_start<&known_fold<Fold>>::is_known);
  static const std::string name = [] {
    if constexpr (requires { Fold::name(); }) {
      return Fold::name();
    } else {
      return fold_name(Fold::label, fold_inputs<Fold>());
    }
  }();
  static const fold_kernel kernel = make_fold_kernel<Fold>(name);
  static const fold_kernel& known = register_kernel(kernel);
  return known;
}

}  // namespace tessera::detail
