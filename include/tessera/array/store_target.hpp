// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores several arrays together.

#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/task/run_with.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace tessera {

namespace detail {

/// Tells whether `Args` are arrays that are stored, and the last of them may be a `run_with`.
template <class... Args>
inline constexpr bool are_stored = false;
template <element T, std::size_t N>
inline constexpr bool are_stored<stored_expression<T, N>> = true;
template <element T, std::size_t N>
inline constexpr bool are_stored<stored_expression<T, N>, run_with> = true;
template <element T, std::size_t N, class... Args>
inline constexpr bool are_stored<stored_expression<T, N>, Args...> = are_stored<Args...>;

}  // namespace detail

/// Computes several arrays together and stores each, as many as there are:
/// `store(stored(x, "x.zarr"), stored(y, "y.zarr"))`.
///
/// Common subexpressions are computed and read once. A `run_with` behind them sets options of the
/// run.
/// Throws: as `store` of one array; value_error <- specs differ.
void store(const std::vector<store_target>& targets, const run_with& settings = {});
template <class... Args>
requires(detail::are_stored<Args...>) void store(const Args&... args) {
  std::vector<store_target> targets;
  run_with settings;
  const auto take = [&](const auto& arg) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(arg)>, run_with>) {
      settings = arg;
    } else {
      targets.emplace_back(arg);
    }
  };
  (take(args), ...);
  store(targets, settings);
}

}  // namespace tessera
