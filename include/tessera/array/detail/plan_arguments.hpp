// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order of a plan's arguments. Without this, compilers would list every constructor.

#include "tessera/array/ndarray.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/plan/passes.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/task/run_with.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera::detail {

/// Tells whether a `run_with` or `pass_switches` is out of order: the switches come first, and a
/// `run_with` next to them; else it comes last.
template <class... Args>
consteval bool are_out_of_order() {
  constexpr std::size_t count = sizeof...(Args);
  constexpr bool are_switches[] = {std::is_same_v<Args, pass_switches>..., false};
  constexpr bool are_settings[] = {std::is_same_v<Args, run_with>..., false};
  for (std::size_t i = 0; i < count; ++i) {
    if (are_switches[i] && i > 0) return true;
    if (are_settings[i] && !(are_switches[0] ? i == 1 : i > 0 && i + 1 == count)) return true;
  }
  return false;
}

/// The element type of a plan with arguments out of order; refused.
struct out_of_order {};

template <class E>
struct request;

template <>
struct request<out_of_order> {
  using result = ndarray<double, 0>;

  /// Not defined, as no plan of it compiles.
  static result receive(const computed_output&, const array_layout&);
};

}  // namespace tessera::detail
