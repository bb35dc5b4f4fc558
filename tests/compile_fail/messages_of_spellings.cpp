// SPDX-License-Identifier: Apache-2.0
// Names of NumPy, Dask and xarray that the Array API standard spells otherwise, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <vector>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto i = ts::zeros<int>({3, 3});
const std::vector<double> edges{0, 1, 2};

template <class T>
void use(const T&);

void write_other_names() {
  use(ts::power(x, 2));  // tessera::power(a, b): requires the name in the Array API standard: pow(a, b)
  use(ts::cumsum(x));  // tessera::cumsum(x): requires the name in the Array API standard: cumulative_sum(x, axis<0>)
  use(ts::cumprod(x));  // tessera::cumprod(x): requires the name in the Array API standard: cumulative_prod(x, axis<0>)
  use(ts::absolute(x));  // tessera::absolute(x): requires the name in the Array API standard: abs(x)
  use(ts::amax(x, 0));  // tessera::amax(x): requires its name here: max(x, axis<0>)
  use(ts::amin(x));  // tessera::amin(x): requires its name here: min(x, axis<0>)
  use(ts::around(x, 2));  // tessera::around(x): requires its name here: round(x, 2)
  use(ts::rolling_std(x, 2));  // tessera::rolling_std(x, length): requires its name here: rolling_stddev(x, 30, axis<0>)
  use(ts::mod(x, 2));  // tessera::mod(a, b): requires its name here: remainder(a, b)
  use(ts::true_divide(x, 2));  // tessera::true_divide(a, b): requires its name here: divide(a, b)
  use(ts::arcsin(x));  // tessera::arcsin(x): requires the name in the Array API standard: asin(x)
  use(ts::arccos(x));  // tessera::arccos(x): requires the name in the Array API standard: acos(x)
  use(ts::arctan(x));  // tessera::arctan(x): requires the name in the Array API standard: atan(x)
  use(ts::arctan2(x, 2));  // tessera::arctan2(a, b): requires the name in the Array API standard: atan2(a, b)
  use(ts::arcsinh(x));  // tessera::arcsinh(x): requires the name in the Array API standard: asinh(x)
  use(ts::arccosh(x));  // tessera::arccosh(x): requires the name in the Array API standard: acosh(x)
  use(ts::arctanh(x));  // tessera::arctanh(x): requires the name in the Array API standard: atanh(x)
  use(ts::conjugate(x));  // tessera::conjugate(x): requires the name in the Array API standard: conj(x)
  use(ts::invert(i));  // tessera::invert(x): requires the name in the Array API standard: bitwise_invert(x)
  use(ts::bitwise_not(i));  // tessera::bitwise_not(x): requires the name in the Array API standard: bitwise_invert(x)
  use(ts::left_shift(i, 1));  // tessera::left_shift(a, b): requires the name in the Array API standard: bitwise_left_shift(a, b)
  use(ts::right_shift(i, 1));  // tessera::right_shift(a, b): requires the name in the Array API standard: bitwise_right_shift(a, b)
  use(ts::in1d(x, edges));  // tessera::in1d(x, values): requires its name here: isin(x, values)
  use(ts::top_k(x, 2));  // tessera::top_k(x, k): requires its name here: topk(x, k, axis<0>)
  use(ts::interp1d(x, edges));  // tessera::interp1d(x, y): requires its name here: interp(x, places, values)
  use(ts::concatenate({x, x}));  // tessera::concatenate(a, b): requires the name in the Array API standard: concat(a, b, axis<0>)
  use(ts::concatenate(x, x, 0));  // tessera::concatenate(a, b): requires the name in the Array API standard: concat(a, b, axis<0>)
  use(ts::row_stack({x, x}));  // tessera::row_stack(a, b): requires its name here: vstack(a, b)
  use(ts::column_stack({x, x}));  // tessera::column_stack(a, b): requires its name here: hstack(a, b), or stack(a, b, axis<1>) of vectors
  use(ts::to_zarr(x, "u.zarr"));  // tessera::to_zarr(x, path): requires its name here: store(x, path)
  use(ts::from_array(x));  // tessera::from_array(v): requires its name here: asarray(v)
  use(ts::unique(x));  // tessera::unique(x): requires its name here: unique_values(x)
  use(ts::std(x));  // tessera::std(x): requires its name here: stddev(x, axis<0>)
  use(ts::variance(x));  // tessera::variance(x): requires the name in the Array API standard: var(x, axis<0>)
  use(ts::eval(x));  // tessera::eval(x): requires its name here: x.compute()
  use(ts::adapt(x));  // tessera::adapt(v): requires its name here: asarray(v)
}
