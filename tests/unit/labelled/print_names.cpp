// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/print_cases.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

/// Prints a line for `x`, an array with named axes.
template <class X>
void print_named(std::string_view kind, std::string_view expression, const X& x) {
  std::string names;
  for (const std::string& name : x.dimension_names()) names += (names.empty() ? "" : ",") + name;
  print_values(kind, x.compute(), (names.empty() ? "-" : names) + ": " + std::string(expression));
}

template <class X>
void is(std::string_view expression, const X& x) {
  print_named("near", expression, x);
}

/// Returns the numbers of an array that is read by chunks, under names and called `name`.
template <fixed_string... Names, std::size_t N>
auto given(std::string_view name, const index_t (&shape)[N], const std::vector<index_t>& chunks) {
  const auto to = std::make_shared<memory_store>();
  store(numbers<double>(shape, chunk_lengths(chunks)), to, "x",
        {.dimension_names = {Names.view().data()...}});
  const auto x = open<double, dims<Names...>>(to, "x");
  print_named("let", name, x);
  return x;
}

const auto u = given<"time", "lat", "lon">("u", {6, 4, 5}, {2, 3, 5});
const auto c = given<"lat", "time">("c", {4, 6}, {3, 4});
const auto w = given<"lat">("w", {4}, {2});
const auto s = given<"lon">("s", {5}, {5});
const auto m = given<"lat", "band">("m", {4, 3}, {2, 3});

void print_arithmetic() {
  is("u - u.mean('time')", u - mean(u, dim<"time">));
  is("u.mean('time') - u", mean(u, dim<"time">) - u);
  is("c * u", c * u);
  is("u * c", u * c);
  is("w + c", w + c);
  is("s + w", s + w);
  is("c - (s + w) / 2 + u", c - (s + w) / 2 + u);
  is("s * m + u", s * m + u);
  is("u - u.mean()", u - mean(u));
  is("u ** 2 + np.sqrt(abs(c))", pow(u, 2.0) + sqrt(abs(c)));
  is("-u % 3", -u % 3.0);
  is("(u > c) & ~(c < 0) | (w == 3)", ((u > c) & ~(c < 0)) | (w == 3.0));
  is("xr.where(c > 0, u, w)", where(c > 0, u, w));
  is("np.maximum(s, u)", maximum(s, u));
  is("u.clip(-3, 7)", clip(u, -3.0, 7.0));
  is("u.astype('f4')", astype<float>(u));
  is("u + c.rename(time='lon').isel(lon=slice(5))",
     u + rename<"time", "lon">(c)(dim<"lon">(slice(5))));
}

void print_folds() {
  is("u.sum(['lon', 'lat'])", sum(u, dim<"lon", "lat">));
  is("u.max('lat')", max(u, dim<"lat">));
  is("u.mean()", mean(u));
  is("u.mean('time', keepdims=True)", mean(u, dim<"time">, keepdims));
  is("u.var('lon', ddof=1)", var(u, dim<"lon">, correction(1)));
  is("u.std('time')", stddev(u, dim<"time">));
  is("u.where(u > 0).mean('time')", mean(u, dim<"time">, where(u > 0)));
  is("u.where(c > 0).mean('time')", mean(u, dim<"time">, where(c > 0)));
  is("u.where(w > 0).sum('lat')", sum(u, dim<"lat">, where(w > 0)));
  is("u.argmax('lat')", argmax(u, dim<"lat">));
  is("u.quantile(0.3, 'time').drop_vars('quantile')", quantile(u, 0.3, dim<"time">));
  is("u.quantile([0.1, 0.9], 'lat')", quantile(u, {0.1, 0.9}, dim<"lat">));
  is("u.median(['time', 'lat'])", median(u, dim<"time", "lat">));
  is("u.weighted(abs(w)).mean('lat')", average(u, abs(w).array(), dim<"lat">));
  is("u.weighted(abs(w)).mean('lat')", average(u, abs(w), dim<"lat">));
  is("u.weighted(abs(c) + 1).mean('time')", average(u, abs(c) + 1.0, dim<"time">));
  is("u.weighted(abs(w)).mean(['lat', 'lon'])", average(u, abs(w), dim<"lat", "lon">));
  is("u.weighted(abs(s)).mean('time')", average(u, abs(s), dim<"time">));
  is("xr.dot(u, c, dims='time')", vecdot(u, c, dim<"time">));
  is("xr.dot(u, m, dims='lat')", tensordot(u, m, dim<"lat">));
  const auto groups = asarray<std::int64_t>({0, 1, 2, 0, 1, 2});
  is("u.groupby(xr.DataArray([0, 1, 2, 0, 1, 2], dims='time', name='g')).mean()"
     ".rename(g='time').drop_vars('time')",
     groupby_reduce(u, groups, op::mean{}, 3, dim<"time">));
  is("u.groupby(xr.DataArray([0, 1, 2, 0, 1, 2], dims='time', name='g')).max()"
     ".rename(g='time').drop_vars('time')",
     groupby_reduce(u, label<"time">(groups), op::max{}, 3, dim<"time">));
}

void print_lines() {
  is("u.cumsum('time')", cumulative_sum(u, dim<"time">));
  is("u.diff('lat')", diff(u, dim<"lat">));
  is("u.roll(lon=2)", roll(u, 2, dim<"lon">));
  is("u.rolling(time=3).mean().isel(time=slice(2, None))", rolling_mean(u, 3, dim<"time">));
  is("u.copy(data=np.sort(u.data, 1))", sort(u, dim<"lat">));
  is("u.copy(data=np.gradient(u.data, 0.5, axis=2))", gradient(u, 0.5, dim<"lon">));
}

void print_parts() {
  is("u.isel(lat=slice(0, 2))", u(dim<"lat">(slice(0, 2))));
  is("u.isel(lat=2, time=slice(1, 5, 2))", u(dim<"lat">(2), dim<"time">(slice(1, 5, 2))));
  is("u.isel(lon=[3, 1, 1])", u(dim<"lon">(index({3, 1, 1}))));
  is("u[1:, 2]", u(slice(1, none), 2));
  is("u[..., 0]", u(ellipsis, 0));
  is("u.isel(lon=[3, 1])", take(u, {3, 1}, dim<"lon">));
  is("u.isel(lat=slice(None, None, -1))", flip(u, dim<"lat">));
  is("u.transpose('lon', 'time', 'lat')", permute_dims(u, dim<"lon", "time", "lat">));
  is("u.T", u.T());
  is("u.transpose('lat', 'lon', 'time')", moveaxis(u, dim<"time">, axis<-1>));
  is("u.transpose('lat', 'time', 'lon')", swapaxes(u, dim<"lat">, dim<"time">));
  is("u.expand_dims('member')", expand_dims(u, dim<"member">));
  is("u.isel(time=[3]).squeeze('time')", squeeze(u(dim<"time">(slice(3, 4))), dim<"time">));
  is("xr.concat([u, 2 * u], 'time')",
     concat(u, permute_dims(2.0 * u, dim<"lon", "lat", "time">), dim<"time">));
  is("xr.concat([u, c + s - c], 'member')", stack(u, c + s - c, dim<"member">));
  is("u.isel(time=slice(2, 4))", split(u, {2, 4}, dim<"time">)[1]);
  is("u.isel(time=slice(2, 4))", array_split(u, {2, 4}, dim<"time">)[1]);
  is("u.isel(lat=1)", unstack(u, dim<"lat">)[1]);
  is("xr.apply_ufunc(lambda v: np.digitize(v, [0, 3]), u)", digitize(u, {0, 3}));
  is("xr.apply_ufunc(lambda v: np.digitize(v, [0, 3], right=True), u)", digitize(u, {0, 3}, right));
  is("xr.apply_ufunc(lambda v: np.interp(v, [0, 3], [1, 2]), u)", interp(u, {0, 3}, {1, 2}));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  tessera::testing::print_arithmetic();
  tessera::testing::print_folds();
  tessera::testing::print_lines();
  tessera::testing::print_parts();
}
