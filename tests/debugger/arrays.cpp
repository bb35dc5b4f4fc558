// SPDX-License-Identifier: Apache-2.0
// A program that gdb_test.py stops, with something of each kind to print.
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/index_list.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/statistical.hpp"

namespace {

namespace ts = tessera;

template <class... Xs>
[[gnu::noinline]] void stop_here(const Xs&...) {
  asm volatile("");
}

}  // namespace

int main() {
  const ts::index_vector indices{4, 6};
  const ts::index_list list = ts::index({3, 1, 1});
  const ts::ndarray<double, 2> matrix{{1, 0.5, 2}, {0, 1, 3}};
  const ts::ndarray<int, 1> nothing({0});
  const auto lazy = ts::ones<float>({4, 6}, {.chunks = {2, 3}});
  const auto twice = lazy * 2 + lazy;
  const auto means = ts::mean(twice, ts::axis<0>);
  const ts::plan program(means, ts::stored(lazy, "memory://gdb/lazy"));
  stop_here(indices, list, matrix, nothing, lazy, twice, means, program);
}
