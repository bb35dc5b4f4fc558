// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints reductions, groups, histograms, sets and positions of hard values in chunks of one, of
/// two and of all. See hard_values.py.
#include "unit/function/hard_values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::testing {
namespace {

/// Reductions that have a result of nothing.
template <class X>
void print_reductions(const X& x) {
  near("np.sum(x)", sum(x));
  near("np.prod(x)", prod(x));
  near("np.mean(x)", mean(x));
  same("np.any(x)", any(x));
  same("np.all(x)", all(x));
  near("np.var(x)", var(x));
  near("np.std(x, ddof=1)", stddev(x, correction(1)));
  same("np.count_nonzero(x)", count_nonzero(x));
  same("count(x, 0)", count(x));
  near("np.nansum(x)", nansum(x));
  near("np.nanprod(x)", nanprod(x));
  near("np.nanmean(x)", nanmean(x));
  near("np.nanvar(x)", nanvar(x));
  near("np.nanstd(x)", nanstd(x));
  near("np.average(x)", average(x));
  near("np.linalg.norm(wide(x))", vector_norm(x));
  near("np.linalg.norm(wide(x), 1)", norm(x, order<1>));
  near("np.linalg.norm(wide(x), 3)", vector_norm(x, order<3>));
}

template <class X>
void print_reductions_of_elements(const X& x) {
  same("np.min(x)", min(x));
  same("np.max(x)", max(x));
  same("np.nanmin(x)", nanmin(x));
  same("np.nanmax(x)", nanmax(x));
  same("np.argmin(x)", argmin(x));
  same("np.argmax(x)", argmax(x));
  same("nanarg(np.nanargmin, x, 0)", nanargmin(x));
  same("nanarg(np.nanargmax, x, 0)", nanargmax(x));
  same("x[0]", first(x));
  same("x[-1]", last(x));
  same("np.ptp(x)", ptp(x));
  near("np.average(x, weights=np.full(x.shape, 2))", average(x, full_like(x, 2)));
  near("skew(x, 0)", skew(x));
  near("kurtosis(x, 0)", kurtosis(x));
  near("moment(x, 3, 0)", moment(x, 3));
}

template <class X>
void print_groups(const X& x) {
  const index_t n = x.size();
  const auto labels = arange<std::int64_t>(n, {.chunks = x.layout().chunks[0]}) % 2;
  print_array("let", "l", labels.compute());
  near("group(np.sum, x, l, 2, 0)", groupby_reduce(x, labels, op::sum{}, 2));
  near("group(np.prod, x, l, 2, 0)", groupby_reduce(x, labels, op::prod{}, 2));
  near("group(np.mean, x, l, 2, 0)", groupby_reduce(x, labels, op::mean{}, 2));
  same("group(np.min, x, l, 2, 0)", groupby_reduce(x, labels, op::min{}, 2));
  same("group(np.max, x, l, 2, 0)", groupby_reduce(x, labels, op::max{}, 2));
  near("group(np.var, x, l, 2, 0)", groupby_reduce(x, labels, op::var{}, 2));
  same("group(np.any, x, l, 2, 0)", groupby_reduce(x, labels, op::any{}, 2));
  same("group(count, x, l, 2, 0)", groupby_reduce(x, labels, op::count{}, 2));
  same("group_arg(np.argmax, x, l, 2, 0)", groupby_reduce(x, labels, op::argmax{}, 2));
  same("np.bincount(l, minlength=2)", bincount(labels, 2));
  near("group(np.sum, x, l, 2, 0)", bincount(labels, 2, x));
  const grouping groups{labels.compute(), {0, 1}};
  if (n > 1) same("x[:2][l]", expand_groups(x(slice(2)), groups, axis<0>));
}

template <class X>
void print_histograms(const X& x) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> edges{-infinity, -1, 0, least, 1, 0x1p53, 0x1p63, infinity};
  std::puts("run\te = [-np.inf, -1, 0, 5e-324, 1, 2.0**53, 2.0**63, np.inf]");
  same("np.histogram(clean(x), e)[0]", histogram(x, edges));
  near("2.0 * np.histogram(clean(x), e)[0]",
       histogram(x, edges, weights(full<double>(x.shape(), 2))));
  same("np.histogram(clean(x), 4, (-2, 2))[0]", histogram(x, bins{4, -2, 2}));
  same("np.digitize(x, e)", digitize(x, edges));
  same("np.digitize(x, [-1, 0, 1], right=True)", digitize(x, {-1, 0, 1}, right));
  same("hist2d_of(clean(x), clean(x), e)",
       histogram2d(x, x, std::span<const double>(edges), std::span<const double>(edges)));
  same("hist2d_of(clean(x), clean(x), e)",
       histogramdd(std::tuple{x, x},
                   std::tuple{std::span<const double>(edges), std::span<const double>(edges)}));
}

template <class X>
void print_sets(const X& x) {
  using T = typename X::value_type;
  const ndarray<T, 1> values = x.compute();
  std::vector<T> known;
  for (const T value : values.span()) {
    if (value == value && known.size() < 2) known.push_back(value);
  }
  std::sort(known.begin(), known.end());
  print_array("let", "k", ndarray<T, 1>({std::ssize(known)}, known));
  const std::string unique = "np.unique(x, equal_nan=False";
  same(unique + ")", unique_values(x));
  same(unique + ", return_counts=True)[1]", unique_counts(x).counts);
  same(unique + ", return_index=True)[1]", unique_all(x).indices);
  same("np.unique(x, return_inverse=True)[1]", unique_inverse(x).inverse_indices);
  same("np.isin(x, k)", isin(x, known));
  same("np.searchsorted(k, x)", searchsorted(known, x));
  same("np.searchsorted(k, x, side='right')", searchsorted(known, x, right));
  const auto y = asarray(known);
  same("np.unique(np.append(x, k), equal_nan=False)", union1d(x, y));
  same("np.intersect1d(x, k)", intersect1d(x, y));
  same("(lambda u: u[~np.isin(u, k)])(np.unique(x, equal_nan=False))", setdiff1d(x, y));
}

template <class X>
void print_positions(const X& x) {
  same("np.nonzero(x)[0]", nonzero(x)[0]);
  same("np.argwhere(x)", argwhere(x));
  same("np.flatnonzero(x)", flatnonzero(x));
  same("np.extract(x > 0, x)", extract(x > 0, x));
  same("x[x > 0]", x(x > 0));
  same("np.compress(x > 0, x)", compress(x > 0, x, axis<0>));
  const auto order = argsort(x);
  same("np.sort(x)", take_along_axis(x, order, axis<0>));
  same("np.sort(x)", take(x, order, axis<0>));
  same("np.array_equal(x, x)", array_equal(x, x));
  same("np.array_equal(x, x[::-1])", array_equal(x, flip(x)));
  same("np.allclose(x, x)", allclose(x, x));
  same("np.allclose(x, x[::-1])", allclose(x, flip(x)));
}

template <class T>
void print_of_dtype() {
  for_each_hard_case<T>([](const std::vector<T>& values, index_t chunk) {
    const auto x = line_of(values, chunk);
    print_reductions(x);
    print_histograms(x);
    print_sets(x);
    print_positions(x);
    if (values.empty()) return;
    print_reductions_of_elements(x);
    print_groups(x);
  });
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  for_each_hard_dtype<std::int8_t>([]<class T>(tessera::type_tag<T>) { print_of_dtype<T>(); });
}
