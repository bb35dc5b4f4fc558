// SPDX-License-Identifier: Apache-2.0
// Mistakes with functions of whole blocks and lines, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <span>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto z = ts::zeros<ts::complex128>({3, 3});
const ts::ndarray<double, 2> m({3, 3});

struct takes_blocks {
  void operator()(ts::block_view<const double, 2> v, ts::block_view<double, 2> result) const;
};
struct takes_lines {
  double operator()(std::span<const double> line) const;
  void operator()(std::span<const double> line, std::span<double> result) const;
};

template <class T>
void use(const T&);

void mistakes() {
  use(ts::map_blocks<double>(takes_blocks{}, m, x));  // tessera::map_blocks<R>(f, xs...): requires each of xs to be a lazy array
  use(ts::map_blocks<float>(takes_blocks{}, x));  // tessera::map_blocks<R...>(f, xs...): requires f to take block_view<const T, N> for each of xs, of the greatest rank N of them, and behind these block_view<R, N> for each result
  use(ts::map_blocks<double, double>(takes_blocks{}, x));  // tessera::map_blocks<R...>(f, xs...): requires f to take block_view<const T, N> for each of xs, of the greatest rank N of them, and behind these block_view<R, N> for each result
  use(ts::map_blocks<double>(x, takes_blocks{}));  // tessera::map_blocks<R>(f, xs...): requires the function before the arrays: map_blocks<double>(f, x)
  use(ts::apply_along_axis(x, takes_lines{}, ts::axis<0>));  // tessera::apply_along_axis(f, x, axis<k>): requires them in this order: apply_along_axis(f, x, axis<0>)
  use(ts::apply_along_axis(takes_lines{}, ts::axis<0>, x));  // tessera::apply_along_axis(f, x, axis<k>): requires them in this order: apply_along_axis(f, x, axis<0>)
  use(ts::map_overlap<double>(takes_blocks{}, x, x(0), {.depth = {{1, 1}, {0, 0}}}));  // tessera::map_overlap<R>(f, xs..., {.depth, .beyond}): requires arrays of one rank
  use(ts::map_overlap<float>(takes_blocks{}, x, {.depth = {{1, 1}, {0, 0}}}));  // tessera::map_overlap<R...>(f, xs..., {.depth, .beyond}): requires f to take block_view<const T, N> for each of xs, and behind these block_view<R, N> for each result
  use(ts::apply_gufunc<"(i)->()">(takes_lines{}, m));  // tessera::apply_gufunc<signature>(f, xs...): requires each of xs to be a lazy array
  use(ts::apply_gufunc<"(i)>()">(takes_lines{}, x));  // tessera::apply_gufunc<signature>(f, xs...): requires a signature as (i),(i)->(), with one group of letters for each of xs and for each result
  use(ts::apply_gufunc<"(i,j,k)->()">(takes_lines{}, x));  // tessera::apply_gufunc<signature>(f, xs...): requires each of xs to have an axis for each letter of its group
  use(ts::apply_gufunc<"(i)->(k)", double>(takes_lines{}, x));  // tessera::apply_gufunc<signature>(f, xs...): requires each letter of a result to be one of an operand, or one for which letter<name>(n), behind xs, says what it stands for
  use(ts::apply_gufunc<"(i)->(i)", double>(takes_lines{}, x, ts::letter<"i">(3)));  // tessera::apply_gufunc<signature>(f, xs...): requires each letter of a result to be one of an operand, or one for which letter<name>(n), behind xs, says what it stands for
  use(ts::apply_gufunc<"(i)->()">(takes_lines{}, z));  // tessera::apply_gufunc<signature, R...>(f, xs...): requires f to take an element, a std::span<const T> or a block_view<const T, n> for a group of no, one or n letters, and to return an element, or a tuple of several, or to take an R&, or such a span or view of R, for each result as well
  use(ts::apply_gufunc<"(i)->(),()">(takes_lines{}, x));  // tessera::apply_gufunc<signature, R...>(f, xs...): requires f to take an element, a std::span<const T> or a block_view<const T, n> for a group of no, one or n letters, and to return an element, or a tuple of several, or to take an R&, or such a span or view of R, for each result as well
  use(ts::apply_along_axis(takes_lines{}, x, ts::axis<2>));  // tessera::apply_along_axis(f, x, axis<k>): requires one axis in [-rank, rank) of x
  use(ts::apply_over_axes(takes_blocks{}, x, ts::axis<0, 2>));  // tessera::apply_over_axes(f, x, axis<...>): requires axes in [-rank, rank) of x
  use(ts::apply_over_axes([](const auto& y, auto) { return y(0, 0); }, x, ts::axis<0>));  // tessera::apply_over_axes(f, x, axis<...>): requires f(x, axis<k>) to return a lazy array of the rank of x, or of one axis less
  use(ts::blockwise<"ij", "ij", "ij">(takes_blocks{}, m, x));  // tessera::blockwise<results, letters...>(f, xs...): requires each of xs to be a lazy array
  use(ts::blockwise<"ij", "i">(takes_blocks{}, x));  // tessera::blockwise<results, letters...>(f, xs...): requires one group of letters for each of xs, with one letter for each of its axes, no two the same
  use(ts::blockwise<"ik", "ij">(takes_blocks{}, x));  // tessera::blockwise<results, letters...>(f, xs...): requires results to have letters of xs, each once, and all results the same ones
  use(ts::blockwise<float, "ij", "ij">(takes_blocks{}, x));  // tessera::blockwise<R, results, letters...>(f, xs...): requires f to take block_view<const T, rank> for each of xs, and behind these block_view<R, n> for each result, whose types R or std::tuple<R...> lists
  use(ts::put_along_axis(x, ts::ndarray<int, 1>({2}), 1.0, ts::axis<0>));  // tessera::put_along_axis(x, indices, values, axis<k>): requires integers of the rank of x, and an axis in [-rank, rank) of x
  use(ts::put_along_axis(x, x, 1.0, ts::axis<0>));  // tessera::put_along_axis(x, indices, values, axis<k>): requires integers of the rank of x, and an axis in [-rank, rank) of x
  use(ts::put_along_axis(x, ts::ndarray<int, 2>({1, 2}), z, ts::axis<1>));  // tessera::put_along_axis(x, indices, values, axis<k>): requires values that become elements of x: one, an array of them, lazy or computed
  use(ts::index(x(0)));  // tessera::index(indices): requires a lazy array to be of rank 1 and of integers; of bool, index(mask.compute())
  use(x.at(ts::zeros<int>({3})));  // tessera: x.at(lists...): requires a list of integers for each axis of x, in memory, or for each a lazy array
  use(ts::take(x, x(0), ts::axis<0>));  // tessera::take(x, indices, axis<k>): requires indices that are integers, in a list, span, std::vector, computed or lazy array
  use(ts::take_along_axis(x, ts::zeros<int>({3}), ts::axis<0>));  // tessera::take_along_axis(x, indices, axis<k>): requires integers of the rank of x, and an axis in [-rank, rank) of x
  use(ts::sort(x, ts::keepdims));  // tessera::sort(x, options...), argsort: requires options to be an axis and descending: sort(x, axis<0>, descending)
  use(ts::sort(x, ts::axis<2>));  // tessera::sort(x, axis<k>), argsort: requires one axis in [-rank, rank) of x
  use(ts::argsort(z, ts::descending));  // tessera::sort(x), argsort: requires elements that have an order; complex numbers have none
  use(ts::median(x, ts::axis<0>, 3));  // tessera::quantile(x, q, options...), median, mode: requires options to be axes in [-rank, rank) of x that differ, keepdims, and, for quantiles, a quantile_method
  use(ts::quantile(z, {0.5, 0.9}));  // tessera::quantile(x, q), median, mode: requires elements that have an order; complex numbers have none
  use(ts::fft(x, ts::axis<2>));  // tessera::fft(x, options...), and transforms as it: requires options to be one axis in [-rank, rank) of x, an fft_norm and points(n)
  use(ts::rfft(z));  // tessera::rfft(x), ihfft: requires elements that are real; fft takes complex ones
  use(ts::fftn(x, ts::axis<0, 0>));  // tessera::fftn(x, options...), and transforms as it: requires options to be axes in [-rank, rank) of x that differ, and an fft_norm; of irfftn also points(n)
  use(ts::rfftn(z));  // tessera::rfftn(x), rfft2: requires elements that are real; fftn takes complex ones
}
