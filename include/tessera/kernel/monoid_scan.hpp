// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans by monoids.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/monoid.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/kernel/scan_kernel.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The scan of elements of `X` by the monoid `M`, a class of static functions.
///
/// The state of a line is a pair: the seed, which is the fold of the leaves before this one, and
/// the fold of this leaf so far. An element of the result is merge(seed, fold). At the end of a
/// leaf, a restart merges the fold into the seed. So the bits do not depend on steps and blocks.
template <class M, class X>
struct monoid_scan {
  using state = typename M::state;
  using output = decltype(finished<M>(std::declval<state>()));

  static std::vector<dtype> state_fields() {
    const std::vector<dtype> fields = monoid_states<M>::state_fields();
    std::vector<dtype> fields_of_pair = fields;
    for (const dtype type : fields) fields_of_pair.push_back(type);
    return fields_of_pair;
  }

  static void start(std::byte* const* state_fields, index_t size, const void*) {
    for (const monoid_states<M>& states : {current(state_fields), before(state_fields)}) {
      for (index_t i = 0; i < size; ++i) states.set(i, M::identity);
    }
  }

  static void run_each(std::byte* const* state_fields, const scan_strip& strip) {
    // A copy: for the compiler, a store to a state of int64 may change `strip.size`.
    const index_t size = strip.size;
    const monoid_states<M> states = current(state_fields);
    const monoid_states<M> seeds = before(state_fields);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    for (index_t i = 0; i < size; ++i) {
      const state now = M::take(states.get(i), in[i]);
      states.set(i, now);
      out[i] = finished<M>(M::merge(seeds.get(i), now));
    }
  }

  static void run_along(std::byte* const* state_fields, const scan_strip& strip) {
    const index_t size = strip.size;  // a copy, as above
    const monoid_states<M> states = current(state_fields);
    const state seed = before(state_fields).get(0);
    state now = states.get(0);
    const X* const in = typed<X>(strip.input);
    output* const out = typed<output>(strip.output);
    for (index_t i = 0; i < size; ++i) {
      now = M::take(now, in[i]);
      out[i] = finished<M>(M::merge(seed, now));
    }
    states.set(0, now);
  }

  static void initial(const std::byte* const* state_fields, std::byte* out) {
    *typed<output>(out) = finished<M>(monoid_states<M>(state_fields).get(0));
  }

  static void restart(std::byte* const* state_fields, index_t size) {
    const monoid_states<M> states = current(state_fields);
    const monoid_states<M> seeds = before(state_fields);
    for (index_t i = 0; i < size; ++i) {
      seeds.set(i, M::merge(seeds.get(i), states.get(i)));
      states.set(i, M::identity);
    }
  }

 private:
  static constexpr auto num_state_fields = static_cast<std::ptrdiff_t>(elements_of<state>::size);
  static monoid_states<M> current(std::byte* const* state_fields) {
    return monoid_states<M>(state_fields);
  }
  static monoid_states<M> before(std::byte* const* state_fields) {
    return monoid_states<M>(state_fields + num_state_fields);
  }
};

/// Returns the kernel object of `Scan`, a class of static functions over elements of `X`, and makes
/// it known.
template <class Scan, class X>
const scan_kernel& known_scan(std::string_view label, std::string_view name) {
  static const std::string full(name);
  static const scan_kernel kernel = [&] {
    scan_kernel described{.name = full,
                          .label = label,
                          .input = dtype_of<X>,
                          .output = dtype_of<typename Scan::output>,
                          .state_fields = Scan::state_fields(),
                          .start = &Scan::start,
                          .run_each = &Scan::run_each,
                          .run_along = &Scan::run_along,
                          .restore = &restore_fold<Scan>};
    if constexpr (requires { &Scan::restored; }) described.restore = &Scan::restored;
    if constexpr (requires { &Scan::initial; }) described.initial = &Scan::initial;
    if constexpr (requires { &Scan::restart; }) described.restart = &Scan::restart;
    if constexpr (requires { &Scan::state_length; }) described.state_length = &Scan::state_length;
    return described;
  }();
  static const scan_kernel& known = register_kernel(kernel);
  return known;
}

}  // namespace detail

/// Returns the kernel that scans elements of `X` by the monoid `M`.
template <class M, class X>
requires(monoid_of<M, X>) [[nodiscard]] const scan_kernel& scan_by() {
  static_cast<void>(&detail::known_at_start<&scan_by<M, X>>::is_known);
  constexpr std::string_view label = detail::label_of_monoid<M>("scan");
  static const std::string name = detail::fold_name(typeid(M).name(), {dtype_of<X>});
  return detail::known_scan<detail::monoid_scan<M, X>, X>(label, name);
}

}  // namespace tessera
