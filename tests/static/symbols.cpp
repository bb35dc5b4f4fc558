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

// A fold that the library does not hold.
double product_of_doubled() {
  const auto x = ts::arange<double>(8.0, {.chunks = {4}});
  return ts::prod(x + x).compute()();
}

// The folds that the library holds.
template <class T>
auto usual_folds() {
  const auto x = ts::full<T>({8}, T(1), {.chunks = {4}});
  return ts::compute(ts::sum(x), ts::mean(x), ts::min(x), ts::max(x), ts::var(x), ts::stddev(x));
}
auto folds_of_floats() { return usual_folds<float>(); }
auto folds_of_doubles() { return usual_folds<double>(); }
auto folds_of_ints() { return usual_folds<std::int32_t>(); }
auto folds_of_long_ints() { return usual_folds<std::int64_t>(); }
