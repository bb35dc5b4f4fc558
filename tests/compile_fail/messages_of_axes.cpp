// SPDX-License-Identifier: Apache-2.0
// Axes as values that the compiler does not know, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto i = ts::zeros<int>({3, 3});

template <class T>
void use(const T&);

void give_numbers_of_axes() {
  use(ts::transpose(x, 1, 0));  // tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them
  use(ts::transpose(x, ts::axis<1, 0>));  // tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them
  use(ts::permute_dims(x, 1, 0));  // tessera::permute_dims(x, axis<...>): requires the axes as axis<...>, as in axis<1, 0>
  use(ts::permute_dims(x, {1, 0}));  // tessera::permute_dims(x, axis<...>): requires the axes as axis<...>, as in axis<1, 0>
  use(ts::swapaxes(x, ts::axis<0, 1>));  // tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>
  use(ts::flip(x, {0, 1}));  // tessera::flip(x, axis<...>): requires the axes as axis<...>, as in axis<0, 1>
  use(ts::expand_dims(x, {0, 1}));  // tessera::expand_dims(x, axis<...>): requires the axes as axis<...>, as in axis<0, 1>
  use(ts::squeeze(x, {0, 1}));  // tessera::squeeze(x, axis<...>): requires the axes as axis<...>, as in axis<0, 1>
  use(ts::rot90(x, 1, {0, 1}));  // tessera::rot90(x, k, axis<a, b>): requires the axes as axis<0, 1>
  use(ts::roll(x, 1, {0}));  // tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::roll(x, {1, 1}, {0, 1}));  // tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::split(x, 3, 0));  // tessera::split(x, sections, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::split(i, {1, 2}, 0));  // tessera::split(x, sections, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::array_split(x, 2, 0));  // tessera::array_split(x, sections, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::array_split(x, {1, 2}, 0));  // tessera::array_split(x, {indices}, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::unstack(x, 0));  // tessera::unstack(x, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::take(x, {0, 1}, 0));  // tessera::take(x, indices, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::take(i, i(0), 0));  // tessera::take(x, indices, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::take_along_axis(x, i, 0));  // tessera::take_along_axis(x, indices, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::insert(x, 0, 1.0, 0));  // tessera::insert(x, index, values, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::erase(x, 0, 0));  // tessera::erase(x, index, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::diagonal(x, 0, 0, 1));  // tessera::diagonal(x, offset, axis<a, b>): requires the axes as axis<0, 1>
  use(ts::vecdot(x, x, 0));  // tessera::vecdot(a, b, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::fftshift(x, 0));  // tessera::fftshift(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::ifftshift(x, 0));  // tessera::ifftshift(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::sliding_window_view(x, 3));  // tessera::sliding_window_view(x, lengths, axis<...>): requires the axes as axis<...>, as in sliding_window_view(x, {2, 2}, axis<0, 1>)
  use(ts::sliding_window_view(i, {2, 2}));  // tessera::sliding_window_view(x, lengths, axis<...>): requires the axes as axis<...>, as in sliding_window_view(x, {2, 2}, axis<0, 1>)
  use(ts::sliding_window_view(x, 2, 0));  // tessera::sliding_window_view(x, lengths, axis<...>): requires the axes as axis<...>, as in sliding_window_view(x, {2, 2}, axis<0, 1>)
}

void give_axes_between_angles() {
  use(ts::sum<0>(x));  // tessera::sum<0>(x): requires the axis behind the array: sum(x, axis<0>)
  use(ts::prod<0>(x));  // tessera::prod<0>(x): requires the axis behind the array: prod(x, axis<0>)
  use(ts::mean<0>(x));  // tessera::mean<0>(x): requires the axis behind the array: mean(x, axis<0>)
  use(ts::var<0>(x));  // tessera::var<0>(x): requires the axis behind the array: var(x, axis<0>)
  use(ts::stddev<0>(x));  // tessera::stddev<0>(x): requires the axis behind the array: stddev(x, axis<0>)
  use(ts::max<0>(x));  // tessera::max<0>(x): requires the axis behind the array: max(x, axis<0>)
  use(ts::min<0>(x));  // tessera::min<0>(x): requires the axis behind the array: min(x, axis<0>)
  use(ts::argmax<0>(x));  // tessera::argmax<0>(x): requires the axis behind the array: argmax(x, axis<0>)
  use(ts::argmin<0>(x));  // tessera::argmin<0>(x): requires the axis behind the array: argmin(x, axis<0>)
  use(ts::median<0>(x));  // tessera::median<0>(x): requires the axis behind the array: median(x, axis<0>)
  use(ts::sort<0>(x));  // tessera::sort<0>(x): requires the axis behind the array: sort(x, axis<0>)
  use(ts::argsort<0>(x));  // tessera::argsort<0>(x): requires the axis behind the array: argsort(x, axis<0>)
  use(ts::cumsum<0>(x));  // tessera::cumsum<0>(x): requires the axis behind the array: cumsum(x, axis<0>)
  use(ts::flip<0>(x));  // tessera::flip<0>(x): requires the axis behind the array: flip(x, axis<0>)
  use(ts::sum<0, 1>(x, ts::keepdims));  // tessera::sum<0>(x): requires the axis behind the array: sum(x, axis<0>)
}
