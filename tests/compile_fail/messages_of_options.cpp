// SPDX-License-Identifier: Apache-2.0
// Options and braces of NumPy, SciPy and xarray, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <vector>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto yes = ts::zeros<bool>({3, 3});
const auto i = ts::zeros<int>({3, 3});
const std::vector<double> edges{0, 1, 2};

struct takes_blocks {
  void operator()(ts::block_view<const double, 2> v, ts::block_view<double, 2> result) const;
};

template <class T>
void use(const T&);

void give_other_options() {
  use(ts::convolve(x(0), edges, "same"));  // tessera::convolve(x, weights, overlap): requires overlap::valid, same or full, as in convolve(v, w, overlap::same)
  use(ts::convolve(x(0), {1.0, 2.0}, "valid"));  // tessera::convolve(x, weights, overlap): requires overlap::valid, same or full, as in convolve(v, w, overlap::same)
  use(ts::correlate(x(0), edges, "same"));  // tessera::correlate(x, weights, overlap): requires overlap::valid, same or full, as in correlate(v, w, overlap::same)
  use(ts::correlate(x(0), {1.0, 2.0}, "valid"));  // tessera::correlate(x, weights, overlap): requires overlap::valid, same or full, as in correlate(v, w, overlap::same)
  use(ts::gaussian_filter(x, 2.0, 0));  // tessera::gaussian_filter(x, sigma, axis<...>, boundary): requires axis<...> or a boundary behind sigma, as in gaussian_filter(x, 2.0, boundary::symmetric)
  use(ts::gaussian_filter(x, 2.0, "reflect"));  // tessera::gaussian_filter(x, sigma, axis<...>, boundary): requires axis<...> or a boundary behind sigma, as in gaussian_filter(x, 2.0, boundary::symmetric)
  use(ts::gaussian_filter(x(0), {2.0, 1.0}, 0));  // tessera::gaussian_filter(x, sigma, axis<...>, boundary): requires axis<...> or a boundary behind sigma, as in gaussian_filter(x, 2.0, boundary::symmetric)
  use(ts::uniform_filter(x, 3, 0));  // tessera::uniform_filter(x, length, axis<...>, boundary): requires axis<...> or a boundary behind the length, as in uniform_filter(x, 3, boundary::symmetric)
  use(ts::uniform_filter(x, 3, "reflect"));  // tessera::uniform_filter(x, length, axis<...>, boundary): requires axis<...> or a boundary behind the length, as in uniform_filter(x, 3, boundary::symmetric)
  use(ts::coarsen(x, {1, 2}));  // tessera::coarsen(op, x, {n, ...}): requires the fold first: coarsen(op::mean{}, x, {4, 4})
  use(ts::coarsen(i, 2));  // tessera::coarsen(op, x, {n, ...}): requires the fold first: coarsen(op::mean{}, x, {4, 4})
  use(ts::histogram(x));  // tessera::histogram(x, bins): requires the range of the bins with their number, as elements are not known before: histogram(x, bins{10, 0, 1})
  use(ts::histogram2d(x, x));  // tessera::histogram2d(x, y, x_bins, y_bins): requires bins for each: histogram2d(x, y, bins{10, 0, 1}, bins{10, 0, 1})
  use(ts::histogram2d(x, i, 10));  // tessera::histogram2d(x, y, x_bins, y_bins): requires bins for each: histogram2d(x, y, bins{10, 0, 1}, bins{10, 0, 1})
  use(ts::digitize(x, 1.0));  // tessera::digitize(x, edges): requires edges in a std::vector or a span
  use(ts::reshape(x, 9, 1));  // tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})
  use(ts::broadcast_to(x, 3, 3, 3));  // tessera::broadcast_to(x, shape): requires the shape in braces: broadcast_to(x, {m, n})
  use(ts::rechunk(x, 2, 2));  // tessera::rechunk(x, chunks): requires the lengths in braces: rechunk(x, {m, n})
  use(ts::tile(x, 2, 2));  // tessera::tile(x, counts): requires the counts in braces: tile(x, {m, n})
  use(ts::full<double>(3, 3, 1.0));  // tessera::full<T>(shape, value): requires the shape in braces: full<T>({m, n}, value)
  use(ts::full<double>(1.0, {3, 3}));  // tessera::full<T>(shape, value): requires the shape first: full<T>({m, n}, value)
  use(ts::linspace(0.0, 1.0));  // tessera::linspace(start, stop, num): requires the number of values: linspace(0, 1, 50)
  use(ts::astype(x));  // tessera::astype<T>(x): requires the type in angle brackets: astype<float>(x)
  use(ts::astype(i, "float32"));  // tessera::astype<T>(x): requires the type in angle brackets: astype<float>(x)
  use(ts::clip(x, {0, 1}));  // tessera::clip(x, low, high): requires the bounds without braces: clip(x, 0, 1)
  use(ts::nan_to_num(x, 0.0));  // tessera::nan_to_num(x, {.nan}): requires the name of a number: nan_to_num(x, {.nan = 0})
  use(ts::allclose(x, x, 1e-3));  // tessera::allclose(a, b, {.rtol, .atol}): requires the name of a tolerance: allclose(a, b, {.rtol = 1e-3})
  use(ts::allclose(x, x, 1e-3, 1e-6));  // tessera::allclose(a, b, {.rtol, .atol}): requires the name of a tolerance: allclose(a, b, {.rtol = 1e-3})
  use(ts::rolling(x, 3));  // tessera::rolling(m, x, length, axis<k>): requires a monoid first; rolling_mean(x, 30, axis<0>) is the mean of 30
  use(ts::map_blocks(takes_blocks{}, x));  // tessera::map_blocks<R>(f, xs...): requires the element type of the result: map_blocks<double>(f, x)
  use(ts::map_overlap(takes_blocks{}, x, 1));  // tessera::map_overlap<R>(f, xs..., {.depth, .beyond}): requires the element type of the result: map_overlap<double>(f, x, {.depth = {{1, 1}, {0, 0}}})
  use(ts::tensordot(x, x, 1));  // tessera::tensordot(a, b): requires the number of axes in angle brackets, or the axes of each: tensordot<1>(a, b), tensordot(a, b, axis<1>, axis<0>)
  use(ts::tensordot(x, x, {{1}, {0}}));  // tessera::tensordot(a, b): requires the number of axes in angle brackets, or the axes of each: tensordot<1>(a, b), tensordot(a, b, axis<1>, axis<0>)
  use(ts::where(yes, 1.0));  // tessera::where(condition, a, b): requires a value for true and one for false: where(x > 0, x, 0.0)
  use(ts::select({yes}, {x}, 0.0));  // tessera::select(condition, a, ..., otherwise): requires each array behind its condition, without braces: select(x > 0, a, x < 0, b, 0.0)
  use(ts::choose(i, {x, x}));  // tessera::choose(index, arrays...): requires the arrays without braces: choose(index, a, b)
  use(ts::maximum(x));  // tessera::maximum(a, b): requires two operands; max(x) is the greatest element of x
  use(ts::minimum(x));  // tessera::minimum(a, b): requires two operands; min(x) is the least element of x
  use(ts::log(x, 2));  // tessera::log(x): requires no base: log2(x), log10(x), log(x) / std::log(base)
  use(ts::pad(x, {1, 1}, "edge"));  // tessera::pad(x, widths, boundary): requires boundary::constant, edge, reflect, symmetric or wrap, as in pad(x, 1, boundary::edge)
  use(ts::pad(x, {1, 1}, 0.0));  // tessera::pad(x, widths, boundary, value): requires a boundary before the value: pad(x, 1, boundary::constant, 0.0)
  use(ts::pad(i, {{1, 1}, {1, 1}}, 0.0));  // tessera::pad(x, widths, boundary, value): requires a boundary before the value: pad(x, 1, boundary::constant, 0.0)
  use(ts::isel(x, 0));  // tessera::isel(x, dim<...>(index)): requires the name of the axis; x(0) is the first row
  use(ts::hstack({x, x}));  // tessera::hstack(a, b, ...): requires the arrays without braces: hstack(a, b)
  use(ts::vstack({x, x}));  // tessera::vstack(a, b, ...): requires the arrays without braces: vstack(a, b)
  use(ts::dstack({x, x}));  // tessera::dstack(a, b, ...): requires the arrays without braces: dstack(a, b)
  use(ts::sum(x, {0, 1}));  // tessera::sum(x, axis<...>): requires options without braces: sum(x, axis<0, 1>, keepdims)
  use(ts::prod(x, {0, 1}));  // tessera::prod(x, axis<...>): requires options without braces: prod(x, axis<0, 1>, keepdims)
  use(ts::mean(x, {0, 1}));  // tessera::mean(x, axis<...>): requires options without braces: mean(x, axis<0, 1>, keepdims)
  use(ts::max(x, {0, 1}));  // tessera::max(x, axis<...>): requires options without braces: max(x, axis<0, 1>, keepdims)
  use(ts::min(x, {0, 1}));  // tessera::min(x, axis<...>): requires options without braces: min(x, axis<0, 1>, keepdims)
  use(ts::var(x, {0, 1}));  // tessera::var(x, axis<...>): requires options without braces: var(x, axis<0, 1>, correction(1))
  use(ts::stddev(x, {0, 1}));  // tessera::stddev(x, axis<...>): requires options without braces: stddev(x, axis<0, 1>, correction(1))
  use(ts::any(x, {0, 1}));  // tessera::any(x, axis<...>): requires options without braces: any(x, axis<0, 1>, keepdims)
  use(ts::all(x, {0, 1}));  // tessera::all(x, axis<...>): requires options without braces: all(x, axis<0, 1>, keepdims)
  use(ts::argmax(x, {0, 1}));  // tessera::argmax(x, axis<...>): requires the axes as axis<...>, as in argmax(x, axis<0>)
  use(ts::argmin(x, {0, 1}));  // tessera::argmin(x, axis<...>): requires the axes as axis<...>, as in argmin(x, axis<0>)
  use(ts::median(x, {0, 1}));  // tessera::median(x, axis<...>): requires the axes as axis<...>, as in median(x, axis<0>)
  use(ts::nanmean(x, {0, 1}));  // tessera::nanmean(x, axis<...>): requires the axes as axis<...>, as in nanmean(x, axis<0>)
  use(ts::nansum(x, {0, 1}));  // tessera::nansum(x, axis<...>): requires the axes as axis<...>, as in nansum(x, axis<0>)
  use(ts::nanmax(x, {0, 1}));  // tessera::nanmax(x, axis<...>): requires the axes as axis<...>, as in nanmax(x, axis<0>)
  use(ts::nanmin(x, {0, 1}));  // tessera::nanmin(x, axis<...>): requires the axes as axis<...>, as in nanmin(x, axis<0>)
  use(ts::nanstd(x, {0, 1}));  // tessera::nanstd(x, axis<...>): requires the axes as axis<...>, as in nanstd(x, axis<0>)
  use(ts::nanvar(x, {0, 1}));  // tessera::nanvar(x, axis<...>): requires the axes as axis<...>, as in nanvar(x, axis<0>)
  use(ts::nanmedian(x, {0, 1}));  // tessera::nanmedian(x, axis<...>): requires the axes as axis<...>, as in nanmedian(x, axis<0>)
  use(ts::count_nonzero(x, {0, 1}));  // tessera::count_nonzero(x, axis<...>): requires the axes as axis<...>, as in count_nonzero(x, axis<0>)
  use(ts::ptp(x, {0, 1}));  // tessera::ptp(x, axis<...>): requires the axes as axis<...>, as in ptp(x, axis<0>)
  use(ts::sort(x, {0, 1}));  // tessera::sort(x, axis<...>): requires the axes as axis<...>, as in sort(x, axis<0>)
  use(ts::argsort(x, {0, 1}));  // tessera::argsort(x, axis<...>): requires the axes as axis<...>, as in argsort(x, axis<0>)
  use(ts::skew(x, {0, 1}));  // tessera::skew(x, axis<...>): requires the axes as axis<...>, as in skew(x, axis<0>)
  use(ts::kurtosis(x, {0, 1}));  // tessera::kurtosis(x, axis<...>): requires the axes as axis<...>, as in kurtosis(x, axis<0>)
  use(ts::cumulative_sum(x, {0}));  // tessera::cumulative_sum(x, axis<...>): requires the axes as axis<...>, as in cumulative_sum(x, axis<0>)
  use(ts::cumulative_prod(x, {0}));  // tessera::cumulative_prod(x, axis<...>): requires the axes as axis<...>, as in cumulative_prod(x, axis<0>)
  use(ts::clip(x));  // tessera::clip(x, low, high): requires both bounds, or none for one that there is not: clip(x, 0, none)
  use(ts::where(yes, x, x, 1));  // tessera::where(condition, a, b): requires nothing behind a and b; select(c, a, d, b, otherwise) takes several conditions
  use(ts::quantile(x));  // tessera::quantile(x, q, axis<...>): requires q in [0, 1]: quantile(x, 0.9)
  use(ts::percentile(x));  // tessera::percentile(x, q, axis<...>): requires q in [0, 100]: percentile(x, 90)
  use(ts::topk(x));  // tessera::topk(x, k, axis<k>): requires the number of elements: topk(x, 5, axis<0>)
  use(ts::topk(x, ts::axis<0>, 3));  // tessera::topk(x, k, axis<k>): requires the number of elements before the axis: topk(x, 5, axis<0>)
  use(ts::diff(x, ts::axis<0>, 2));  // tessera::diff(x, n, axis<k>): requires n before the axis: diff(x, 2, axis<0>)
  use(ts::roll(x));  // tessera::roll(x, shifts, axis<...>): requires the number of elements that x is shifted by: roll(x, 1, axis<0>)
  use(ts::squeeze(x));  // tessera::squeeze(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::expand_dims(x));  // tessera::expand_dims(x, axis<...>): requires the axis as axis<k>, as in axis<0>
  use(ts::swapaxes(x, 0));  // tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>
  use(ts::array({1.0, 2.0}));  // tessera::array({1.0, 2.0}): requires the function: asarray({1.0, 2.0})
  use(ts::array({{1, 2}, {3, 4}}));  // tessera::array({{1, 2}, {3, 4}}): requires the function: asarray({{1, 2}, {3, 4}})
  use(ts::array(edges));  // tessera::array(v): requires the function: asarray(v) of a vector or an ndarray
  use(ts::asarray(1.0));  // tessera::asarray(v): requires elements: asarray({1.0}) has one of them, and full({m, n}, 1.0) has it everywhere
  use(ts::asarray("u.zarr"));  // tessera::asarray(v): requires elements; open<double, 2>(path) is a stored array
  use(ts::random::uniform(3, 3));  // tessera::random::uniform<T>(shape): requires the shape in braces: uniform({m, n})
  use(ts::random::normal(3, 3));  // tessera::random::normal<T>(shape): requires the shape in braces: normal({m, n})
  use(ts::random::rand(3, 3));  // tessera::random::rand: requires its name here: uniform({m, n})
  use(ts::random::randn(3, 3));  // tessera::random::randn: requires its name here: normal({m, n})
  use(ts::random::randint(0, 10));  // tessera::random::randint: requires its name here: integers<int>(low, high, {m, n})
  use(ts::isclose(x, x, 1e-3, 1e-6));  // tessera::isclose(a, b, {.rtol, .atol}): requires the name of a tolerance: isclose(a, b, {.rtol = 1e-3})
  use(ts::zeros<double>({3.0, 3.0}));  // tessera: {m, n, ...}: requires integers between the braces; static_cast<std::int64_t>(v) is one of a number
  use(ts::reshape(x, {9.0F}));  // tessera: {m, n, ...}: requires integers between the braces; static_cast<std::int64_t>(v) is one of a number
  use(ts::zeros({true}));  // tessera: {m, n, ...}: requires integers between the braces; static_cast<std::int64_t>(v) is one of a number
}

// Variables of any integer type.
void give_sizes(std::size_t m, unsigned char n) {
  use(ts::zeros<double>({m, n}, {.chunks = {2, 2}}));
  use(ts::ones({m, n}));
  use(ts::empty({m}));
  use(ts::full({m, n}, 1.0));
  use(ts::reshape(x, {m, n}));
  use(ts::rechunk(x, {m, n}));
  use(ts::tile(x, {m, n}));
  use(ts::broadcast_to(x, {m, n, n}));
  use(ts::uniform_filter(x, {m, m}));
  use(ts::indices({m, n}));
  use(ts::random::uniform<double>({m, n}, {.chunks = {2, 2}, .seed = 1}));
  use(ts::random::normal({m, n}, {.mean = 1}));
  use(ts::random::integers<int>(0, 10, {m, n}));
  use(ts::random::binomial(10, 0.5, {m, n}));
}
