// SPDX-License-Identifier: Apache-2.0
// Mistakes with names of dimensions, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <string>

namespace ts = tessera;

const auto plain = ts::zeros<double>({3, 3});
const auto x = ts::label<"y", "x">(plain);
const auto z = ts::label<"z">(plain(0));
using turned = ts::labelled<ts::array<double, 2>, ts::dims<"x", "z">>;

template <class T>
void use(const T&);

void mistakes() {
  use(ts::mean(x, ts::dim<"time">));  // tessera::mean(x, dim<...>): requires a dimension that x has
  use(ts::sort(x, ts::dim<"time">));  // tessera::sort(x, dim<...>): requires a dimension that x has
  use(ts::roll(x, 1, ts::dim<"time">));  // tessera::roll(x, dim<...>): requires a dimension that x has
  use(ts::concat(x, x, ts::dim<"time">));  // tessera: f(x, dim<...>): requires each dimension to be one that x has
  use(x + plain);  // tessera: f(x, y) of an x whose axes have names: requires names of all axes of y as well; label<names...>(y) gives them, and x.array() has none
  use(ts::maximum(plain.compute(), x));  // tessera: f(x, y) of an x whose axes have names: requires names of all axes of y as well; label<names...>(y) gives them, and x.array() has none
  use(x(ts::newaxis) + x);  // tessera: f(x, y) of an x whose axes have names: requires names of all axes of y as well; label<names...>(y) gives them, and x.array() has none
  use(ts::average(x, z, ts::dim<"y">));  // tessera: f(x, y, options...): requires y to have no dimension that x has not
  use(x(ts::dim<"z">(1)));  // tessera: x(dim<...>(index)...): requires dimensions that x has, each with an index
  use(x(ts::dim<"y">(1), 2));  // tessera: x(dim<...>(index)...): requires dimensions that x has, each with an index
  use(x(ts::dim<"y">(1), ts::dim<"y">(2)));  // tessera: x(dim<...>(index)...): requires dimensions that differ from each other
  use(x.extent(ts::dim<"z">));  // tessera: x.extent(dim<...>): requires a dimension that x has
  use(ts::label<"y">(plain));  // tessera::label<names...>(x): requires one name for each axis of x
  use(ts::label<"y", "y">(plain));  // tessera::label<names...>(x): requires names that differ from each other
  use(ts::rename<"z", "t">(x));  // tessera::rename<from, to>(x): requires from to be a dimension that x has
  use(ts::rename<"y", "x">(x));  // tessera::rename<from, to>(x): requires to to be no other dimension of x
  use(ts::mean(x, ts::where(x)));  // tessera::where(valid): requires a lazy array of dtype bool: mean(x, where(x > 0)); where(condition, a, b) chooses elements
  use(ts::stack(x, x, ts::dim<"y">));  // tessera::stack(a, b, ..., dim<...>): requires a dimension that no array has
  use(ts::expand_dims(x, ts::dim<"y">));  // tessera::expand_dims(x, dim<...>): requires dimensions that x has not
  use(ts::tensordot(x, z, ts::dim<"y">));  // tessera::tensordot(a, b, dim<...>): requires each dimension to be one of a and b
  use(ts::permute_dims(x, ts::dim<"y", "z">));  // tessera::permute_dims(x, dim<...>): requires each dimension of x exactly once
  use(ts::open<double, ts::dims<"y", "y">>(std::string("a.zarr")));  // tessera::open<T, dims<...>>(path): requires names that differ from each other
  use(turned(x));  // tessera: labelled<E, dims<...>> x = y: requires y to have the names of x, in any order
  use(ts::cholesky(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::eigh(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::eigvalsh(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::qr(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::svd(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::svdvals(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::inv(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::det(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::slogdet(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::lu(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::pinv(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::matrix_rank(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::matrix_norm(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::norm(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::cov(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::corrcoef(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::diag(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::ravel(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::flatten(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::bincount(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::histogram(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::nonzero(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::argwhere(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::flatnonzero(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::unique_values(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::unique_inverse(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::unique_counts(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::unique_all(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::atleast_1d(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::atleast_2d(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::atleast_3d(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::meshgrid(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::rot90(x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::solve(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::solve_triangular(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::lstsq(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::inner(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::dot(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::outer(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::kron(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::extract(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::union1d(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::intersect1d(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::setdiff1d(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::hstack(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::vstack(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::dstack(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::broadcast_arrays(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::searchsorted(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::block(x, x));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::reshape(x, {9}));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::tile(x, {2,2}));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::broadcast_to(x, {3,3}));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::matrix_power(x,2));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::put_along_axis(x, ts::ndarray<int,2>({1,2}), 1.0, ts::axis<0>));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
  use(ts::rollaxis(x, ts::axis<0>));  // tessera: f(x) of an x whose axes have names: requires an array without names, as f(x.array()), and label<names...>(result) names the axes of the result
}
