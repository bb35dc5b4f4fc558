// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores several arrays together.

#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/task/run_with.hpp"

#include <concepts>
#include <type_traits>
#include <vector>

namespace tessera {

/// One array of several that are stored together, as many as there are when the program runs.
class store_target {
 public:
  template <array_expression X>
  store_target(const stored_expression<X>& x) : layout_(x.layout()), output_(x.output()) {}

  [[nodiscard]] const array_layout& layout() const { return layout_; }
  [[nodiscard]] const plan_output& output() const { return output_; }

 private:
  array_layout layout_;
  plan_output output_;
};

namespace detail {

/// Tells whether `Args` are arrays that are stored, and the last of them may be a `run_with`.
template <class... Args>
inline constexpr bool are_stored = false;
template <array_expression X>
inline constexpr bool are_stored<stored_expression<X>> = true;
template <array_expression X>
inline constexpr bool are_stored<stored_expression<X>, run_with> = true;
template <array_expression X, class... Args>
inline constexpr bool are_stored<stored_expression<X>, Args...> = are_stored<Args...>;

}  // namespace detail

/// Computes several arrays together and stores each, as many as there are:
/// `store(stored(x, "x.zarr"), stored(y, "y.zarr"))`.
///
/// What they have in common is computed and read once. A `run_with` behind them says how.
/// Throws: as `store` of one array; value_error <- specs differ.
void store(const std::vector<store_target>& targets, const run_with& how = {});
template <class... Args>
requires(detail::are_stored<Args...>) void store(const Args&... args) {
  std::vector<store_target> targets;
  run_with how;
  const auto take = [&](const auto& arg) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(arg)>, run_with>) {
      how = arg;
    } else {
      targets.emplace_back(arg);
    }
  };
  (take(args), ...);
  store(targets, how);
}

}  // namespace tessera
