// SPDX-License-Identifier: Apache-2.0
//
// A program whose symbols are compared with the library's: it takes kernels, generators and arrays
// of float16 and double across the border.
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/statistical.hpp"

namespace ts = tessera;

ts::ndarray<ts::float16, 1> doubled() {
  const auto x = ts::full<ts::float16>({8}, ts::float16(1.5F), {.chunks = {4}});
  return (x + x).compute();
}

double mean_of_doubled() {
  const auto x = ts::arange<double>(8.0, {.chunks = {4}});
  return ts::mean(x + x).compute()();
}
