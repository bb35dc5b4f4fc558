// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Programs of very many operations, for tests of the time and memory of planning.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace long_programs {

namespace ts = tessera;

using matrix = ts::array<double, 2>;
using matrices = std::vector<matrix>;

/// Returns a stored matrix without chunks.
inline matrix stored(const std::string& name = "x") {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, name, {.shape = {1000, 1000}, .chunks = {250, 300}, .dtype = ts::dtype::float64});
  return ts::open<double, 2>(store, name);
}

/// Returns `step` applied `count` times to a stored matrix.
template <class Step>
matrices loop(int count, Step step) {
  matrix x = stored();
  for (int i = 0; i < count; ++i) x = step(x);
  return {x};
}

inline matrices chain(int count) {
  const matrix y = ts::cumulative_sum(stored("y"), ts::axis<0>);
  return loop(count, [&](const matrix& x) { return x * 2.0 + y; });
}

inline matrices fan(int count) {
  matrices sums;
  for (int i = 0; i < count; ++i) {
    sums.emplace_back(ts::sum(stored("x" + std::to_string(i)), ts::axis<0>, ts::keepdims));
  }
  return sums;
}

inline matrices slices(int count) {
  const matrix x = stored();
  matrices sums;
  for (int i = 0; i < count; ++i) {
    sums.emplace_back(ts::sum(x(ts::slice(i % 900, i % 900 + 100)), ts::axis<1>, ts::keepdims));
  }
  return sums;
}

inline matrices anomalies(int count) {
  return loop(count / 2,
              [](const matrix& x) { return x - ts::mean(x, ts::axis<0>, ts::keepdims); });
}

inline matrices stencil(int count) {
  return loop(count / 4, [](const matrix& x) {
    return x + ts::roll(x, 1, ts::axis<0>) - ts::roll(x, -1, ts::axis<1>);
  });
}

inline matrices differences(int count) {
  return loop(count, [](const matrix& x) {
    return ts::pad(ts::diff(x, ts::axis<0>), {{1, 0}, {0, 0}}, ts::boundary::edge);
  });
}

inline matrices lines(int count) {
  return loop(count / 2, [](const matrix& x) {
    return ts::sort(ts::cumulative_sum(x, ts::axis<1>), ts::axis<0>);
  });
}

inline matrices products(int count) {
  return loop(count / 2,
              [](const matrix& x) { return ts::matmul(ts::matrix_transpose(x), x) / 2.0; });
}

inline matrices gathers(int count) {
  const std::vector<std::int64_t> rows(1000, 7);
  return loop(count / 2, [&](const matrix& x) {
    return ts::cumulative_sum(ts::take(x, ts::asarray(rows), ts::axis<0>), ts::axis<1>);
  });
}

/// A program of about `count` operations.
struct program {
  const char* name;
  matrices (*make)(int count);
};

inline std::ostream& operator<<(std::ostream& out, const program& shown) {
  return out << shown.name;
}

inline constexpr std::array all{program{"chain", chain},     program{"fan", fan},
                                program{"slices", slices},   program{"anomalies", anomalies},
                                program{"stencil", stencil}, program{"differences", differences},
                                program{"lines", lines},     program{"products", products},
                                program{"gathers", gathers}};

}  // namespace long_programs
