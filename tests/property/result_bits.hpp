// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bits of results, and the circumstances of a run that must not change them.

#include "tessera/tessera.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <tuple>
#include <vector>

namespace result_bits {

namespace ts = tessera;
using ts::index_t;

/// A norm that is rounded at every step, so that another order gives other bits.
struct rounded_norm {
  using state = std::tuple<double, std::int64_t>;
  static constexpr state identity{0.0, 0};
  static state take(const state& s, double x) {
    return {std::hypot(std::get<0>(s), x), std::get<1>(s) + 1};
  }
  static state merge(const state& a, const state& b) {
    return {std::hypot(std::get<0>(a), std::get<0>(b)), std::get<1>(a) + std::get<1>(b)};
  }
  static double finish(const state& s) { return std::get<0>(s); }
};

/// The bytes of a result.
using bits = std::vector<char>;

/// Appends the bytes of `count` elements.
template <class T>
void append(bits& bytes, const T* elements, std::size_t count) {
  const std::size_t size = bytes.size();
  bytes.resize(size + count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data() + size, elements, count * sizeof(T));
}

template <class T, std::size_t N>
bits bits_of(const ts::ndarray<T, N>& result) {
  bits bytes;
  append(bytes, result.span().data(), result.span().size());
  return bytes;
}

/// Returns the numbers of the results that differ; a list of all elements would be unreadable. The
/// numbers are also printed: RapidCheck runs a failing case once more to report it, and that run
/// may pass.
inline std::vector<std::size_t> unlike(const std::vector<bits>& computed,
                                       const std::vector<bits>& expected) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < std::max(computed.size(), expected.size()); ++i) {
    const bool are_there = i < computed.size() && i < expected.size();
    if (are_there && computed[i] == expected[i]) continue;
    numbers.push_back(i);
    std::cerr << "result " << i << " has other bits\n";
  }
  return numbers;
}

/// The circumstances of a run that must not change its bits.
struct circumstances {
  ts::spec limits;
  ts::pass_switches passes;
  ts::run_with settings;
  bool is_alone = false;
};

/// Returns the bits of each of `es`, run as `in` says. Prints an exception before it rethrows it.
template <class... Es>
std::vector<bits> bits_of_all(const circumstances& in, const Es&... es) try {
  std::vector<bits> collected;
  const auto take = [&](const auto&... results) { (collected.push_back(bits_of(results)), ...); };
  if (in.is_alone) {
    (take(ts::plan(in.passes, in.settings, es).compute()), ...);
  } else {
    std::apply(take, ts::plan(in.passes, in.settings, es...).compute());
  }
  return collected;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  throw;
}

}  // namespace result_bits
