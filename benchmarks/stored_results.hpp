// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparisons of programs that store arrays.

#include "programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace stored_results {

/// Tells whether two arrays of `T` agree but for rounding, in a sample of chunks and the last one.
template <class T>
bool hold_the_same(const hand_written::zarr_array& x, const hand_written::zarr_array& y) {
  constexpr T precision = std::is_same_v<T, double> ? T(1e-12) : T(1e-5);
  hand_written::chunk_files files(x.chunk_bytes());
  std::vector<T> from_x(x.chunk_elements());
  std::vector<T> from_y(x.chunk_elements());
  constexpr std::size_t parts = 16;
  for (std::size_t part = 0; part <= parts; ++part) {
    const std::size_t position = part * (x.num_chunks() - 1) / parts;
    files.read(x.file_of(position), std::as_writable_bytes(std::span(from_x)));
    files.read(y.file_of(position), std::as_writable_bytes(std::span(from_y)));
    const auto is_near = [](T a, T b) {
      return std::abs(a - b) <= precision * std::max(T(1), std::abs(b));
    };
    if (!std::equal(from_x.begin(), from_x.end(), from_y.begin(), is_near)) return false;
  }
  return true;
}

/// Compares two programs that store an array of `T` like `like`, and move `amount` bytes.
template <class T>
void compare(benchmark::State& state, const hand_written::zarr_array& like, double amount,
             const std::function<void(const std::string&)>& tessera,
             const std::function<void(const hand_written::zarr_array&)>& by_hand) {
  hand_written::zarr_array from_tessera;
  hand_written::zarr_array from_loop;
  contest::run(state, {.amount = amount, .bound = 1.1},
               {.tessera = {.program = [&] { tessera(from_tessera.path.string()); },
                            .prepare = [&] { from_tessera = data::result(like, "tessera"); }},
                .by_hand = {.program = [&] { by_hand(from_loop); },
                            .prepare = [&] { from_loop = data::result(like, "by-hand"); }},
                .agree = [&] { return hold_the_same<T>(from_tessera, from_loop); }});
  data::remove_results();
}

}  // namespace stored_results
