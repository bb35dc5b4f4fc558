// SPDX-License-Identifier: Apache-2.0
// First guesses of users of NumPy, and orders of arguments of other libraries, as messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <vector>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto yes = ts::zeros<bool>({3, 3});
const auto i = ts::zeros<int>({3, 3});
const std::vector<double> edges{0, 1, 2};
const auto z = ts::zeros<float>({3, 3, 3});
const ts::ndarray<double, 2> m({3, 3});
const ts::ndarray<int, 2> n({3, 3});

template <class T>
void use(const T&);

void make_guesses() {
  use(x({0, 10}, 3));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(m(ts::whole, {0, 10}));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(yes(ts::all, 0));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(i(0, ts::all));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(x(0)(ts::all, ts::all));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(z(0, 0, ts::all));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(n(0, ts::all));  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(ts::astype(x, ts::dtype::float32));  // tessera::astype<T>(x): requires the type in angle brackets: astype<float>(x)
  use(ts::slice("0:10"));  // tessera::slice(text): requires numbers: slice(0, 10, 2) is Python's 0:10:2, slice(none, 10) its :10, slice(3, none) its 3:
  use(ts::round(yes, 2));  // tessera::round(x, decimals): requires elements that are numbers, not bool
  use(ts::average(x, ts::axis<0>, x));  // tessera::average(x, weights, options...): requires weights before the axis: average(x, w, axis<0>)
  use(ts::groupby_reduce(x, i, ts::op::nanmean{}, 2));  // tessera::op::nanmean{}, op::nansum{}, ...: requires op::mean{}, op::sum{}, ..., and where(!isnan(x)) behind the axis, which leaves NaN out
  use(ts::groupby_reduce(ts::op::mean{}, x, i, 2));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires them in this order: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)
  use(ts::groupby_reduce(x(0), ts::op::mean{}, i, 2));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires them in this order: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)
  use(ts::groupby_reduce(x, i, ts::op::mean{}));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires the number n of groups, as the shape is known before labels are: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)
  use(ts::groupby_reduce(x, i(0), ts::op::sum{}, ts::axis<0>));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires the number n of groups, as the shape is known before labels are: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)
  use(ts::bincount(i));  // tessera::bincount(x, n): requires the number n of the values that are counted, 0 to n - 1, as the shape is known before elements are
  use(ts::bincount(12, i));  // tessera::bincount(x, n): requires the array before the number of values: bincount(x, 12)
  use(ts::histogram(x, 10));  // tessera::histogram(x, bins): requires the range of the bins with their number, as elements are not known before: histogram(x, bins{10, 0, 1})
  use(ts::histogram(i, 10, {0, 1}));  // tessera::histogram(x, bins): requires the range of the bins with their number, as elements are not known before: histogram(x, bins{10, 0, 1})
  use(ts::histogram(ts::bins{10, 0, 1}, x));  // tessera::histogram(x, bins): requires the array before the bins: histogram(x, bins{10, 0, 1})
  use(ts::digitize(edges, x));  // tessera::digitize(x, edges): requires the array before the edges
  use(ts::map(x, [](double v) { return v; }));  // tessera::map(f, xs...): requires the function before the arrays: map(f, x)
  use(ts::coarsen(x, {3, 3}, ts::op::max{}));  // tessera::coarsen(op, x, {n, ...}): requires them in this order: coarsen(op::mean{}, x, {4, 4})
  use(ts::coarsen(i, ts::op::max{}, {3, 3}));  // tessera::coarsen(op, x, {n, ...}): requires them in this order: coarsen(op::mean{}, x, {4, 4})
  use(ts::pad(x, {{1, 1}, {0, 0}}, "edge"));  // tessera::pad(x, widths, boundary): requires boundary::constant, edge, reflect, symmetric or wrap, as in pad(x, 1, boundary::edge)
  use(ts::convolve(x, {1, 2}));  // tessera::convolve(x, weights, axis<k>): requires an axis where x has several
  use(ts::correlate(x, {1, 2}));  // tessera::correlate(x, weights, axis<k>): requires an axis where x has several
  use(ts::convolve(x, x(0), ts::axis<0>));  // tessera::convolve(x, weights, axis<k>): requires weights in braces, in a std::vector, a span or an ndarray of rank 1
  use(ts::correlate(x, x(0), ts::axis<0>));  // tessera::correlate(x, weights, axis<k>): requires weights in braces, in a std::vector, a span or an ndarray of rank 1
  use(ts::gaussian_filter(i, 2.0));  // tessera::gaussian_filter(x, sigma): requires elements that are float32 or float64; astype<double>(x) converts them
  use(ts::gaussian_filter(x, {1.0, 2.0, 3.0}));  // tessera::gaussian_filter(x, {sigma, ...}, axis<...>): requires one sigma for each axis, and axes in [-rank, rank) of x that differ
  use(ts::uniform_filter(i, 3));  // tessera::uniform_filter(x, length): requires elements that are float32 or float64; astype<double>(x) converts them
  use(ts::uniform_filter(x, 3, ts::axis<0, -2>));  // tessera::uniform_filter(x, {length, ...}, axis<...>): requires one length for each axis, and axes in [-rank, rank) of x that differ
  use(ts::random::uniform<int>({3}));  // tessera::random::uniform<T>(shape): requires T to be float or double; astype<T>(uniform(shape)) converts them
  use(ts::random::normal<ts::float16>({3}));  // tessera::random::normal<T>(shape): requires T to be float or double; astype<T>(normal(shape)) converts them
  use(ts::random::uniform(0.0, 1.0, {3}));  // tessera::random::uniform<T>(shape): requires the shape first: uniform({m, n}, {.low = 0, .high = 1})
  use(ts::random::normal(0.0, 1.0, {3}));  // tessera::random::normal<T>(shape): requires the shape first: normal({m, n}, {.mean = 0, .stddev = 1})
  use(ts::random::integers({3}, 0, 10));  // tessera::random::integers<T>(low, high, shape): requires the shape last: integers<int>(0, 10, {m, n})
  use(ts::random::binomial({3}, 10, 0.5));  // tessera::random::binomial(n, p, shape): requires the shape last: binomial(10, 0.5, {m, n})
  use(ts::flip(x, 0));  // tessera::flip(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::expand_dims(x, 0));  // tessera::expand_dims(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::squeeze(x, 0));  // tessera::squeeze(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::swapaxes(x, 0, 1));  // tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>
  use(ts::moveaxis(x, 0, 1));  // tessera::moveaxis(x, axis<...>, axis<...>): requires the axes as axis<0>, axis<1>
  use(ts::transpose(x, {1, 0}));  // tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them
  use(ts::roll(x, 1));  // tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::roll(x, 1, 0));  // tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::repeat(x(0), {1, 2, 3}));  // tessera::repeat(x, counts, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::repeat(x, 2, 0));  // tessera::repeat(x, counts, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::diff(x, 1, 0));  // tessera::diff(x, n, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::clip(x, 0));  // tessera::clip(x, low, high): requires both bounds, or none for one that there is not: clip(x, 0, none)
  use(ts::zeros<double>(3, 3));  // tessera::zeros<T>(shape): requires the shape in braces: zeros<T>({m, n})
  use(ts::ones(3, 3));  // tessera::ones<T>(shape): requires the shape in braces: ones<T>({m, n})
  use(ts::einsum("ij,jk->ik", x, x));  // tessera::einsum<signature>(xs...): requires the signature in angle brackets, as the compiler is to know it
  use(ts::rolling_mean(x, 3, ts::axis<1>, true));  // tessera::rolling_mean(x, length, axis<k>), and functions as it: requires nothing behind the axis; of pad(x, widths, boundary) the result is as long as x
  use(ts::isclose(x, x, 1e-3));  // tessera::isclose(a, b, {.rtol, .atol}): requires the name of a tolerance: isclose(a, b, {.rtol = 1e-3})
  use(ts::matmul(x, 2.0));  // tessera::matmul(a, b): requires two arrays; a * 2.0 multiplies elements
  use(ts::searchsorted(edges, 2.0));  // tessera::searchsorted(sorted, x): requires an array for x: searchsorted(sorted, asarray({2.0}))
}
