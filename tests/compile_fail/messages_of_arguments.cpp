// SPDX-License-Identifier: Apache-2.0
// Arguments without a name, a value or a shape, and vectors for arrays, as messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <functional>
#include <vector>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto i = ts::zeros<int>({3, 3});
const std::vector<double> edges{0, 1, 2};

template <class T>
void use(const T&);

void give_other_arguments() {
  use(ts::astype<float>(x, true));  // tessera::astype<T>(x): requires nothing behind x: lazy arrays share elements
  use(ts::var(x, {.correction = 1}));  // tessera::var(x, axis<...>): requires options without braces: var(x, axis<0, 1>, correction(1))
  use(ts::stddev(x, {.ddof = 1}));  // tessera::stddev(x, axis<...>): requires options without braces: stddev(x, axis<0, 1>, correction(1))
  use(ts::mean(x, {.axis = 0}));  // tessera::mean(x, axis<...>): requires options without braces: mean(x, axis<0, 1>, keepdims)
  use(ts::sum(x, {.keepdims = true}));  // tessera::sum(x, axis<...>): requires options without braces: sum(x, axis<0, 1>, keepdims)
  use(ts::array<double, 2>(3, 3));  // tessera::array<T, N>(m, n): requires a function that fills it: zeros<T>({m, n}), full<T>({m, n}, value)
  use(ts::ndarray({1.0}));  // tessera::ndarray({1.0, 2.0}): requires the type and the rank: ndarray<double, 1>::of({1.0, 2.0})
  use(ts::ndarray({1.0, 2.0}));  // tessera::ndarray({1.0, 2.0}): requires the type and the rank: ndarray<double, 1>::of({1.0, 2.0})
  use(ts::ndarray({{1.0, 2.0}, {3.0, 4.0}}));  // tessera::ndarray({1.0, 2.0}): requires the type and the rank: ndarray<double, 1>::of({1.0, 2.0})
  use(ts::compute({x, x}));  // tessera::compute(x, y): requires the arrays without braces: compute(x, y)
  use(ts::compute({x, i}));  // tessera::compute(x, y): requires the arrays without braces: compute(x, y)
  use(ts::full({3, 3}));  // tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, n}, value)
  use(ts::full<float>({3, 3}));  // tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, n}, value)
  use(ts::full<float>(3));  // tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, n}, value)
  use(ts::zeros({}));  // tessera::zeros<T>(shape): requires extents between the braces: zeros<T>({m, n})
  use(ts::zeros<float>());  // tessera::zeros<T>(shape): requires extents between the braces: zeros<T>({m, n})
  use(ts::ones({}));  // tessera::ones<T>(shape): requires extents between the braces: ones<T>({m, n})
  use(ts::ones<float>());  // tessera::ones<T>(shape): requires extents between the braces: ones<T>({m, n})
  use(ts::empty({}));  // tessera::empty<T>(shape): requires extents between the braces: empty<T>({m, n})
  use(ts::empty<float>());  // tessera::empty<T>(shape): requires extents between the braces: empty<T>({m, n})
  use(ts::full({}, 1.0));  // tessera::full<T>(shape, value): requires extents between the braces: full({m, n}, value)
  use(ts::full<float>({}, 1));  // tessera::full<T>(shape, value): requires extents between the braces: full({m, n}, value)
  use(ts::eye({}));  // tessera::eye<T>(n): requires a number of rows: eye<T>(n), eye<T>(n, m)
  use(ts::eye<int>({}, 3));  // tessera::eye<T>(n, m): requires a number of rows: eye<T>(n), eye<T>(n, m)
  use(ts::identity({}));  // tessera::identity<T>(n): requires a number of rows: identity<T>(n)
  use(ts::arange({}));  // tessera::arange(stop): requires a number: arange(10), arange(0., 1., 0.1)
  use(ts::asarray({1, 2.5}));  // tessera::asarray({...}): requires elements of one type between the braces: asarray<double>({1, 2.5}) converts them; zeros<T>({0}) is an array without elements
  use(ts::indices({}));  // tessera::indices(shape): requires extents between the braces: indices({m, n})
  use(ts::fromfunction(std::plus<>(), {}));  // tessera::fromfunction(f, shape): requires extents between the braces: fromfunction(f, {m, n})
  use(ts::reshape(x, {}));  // tessera::reshape(x, shape): requires extents between the braces: reshape(x, {m, n})
  use(ts::broadcast_to(x, {}));  // tessera::broadcast_to(x, shape): requires extents between the braces: broadcast_to(x, {m, n})
  use(ts::tile(x, {}));  // tessera::tile(x, counts): requires counts between the braces: tile(x, {m, n})
  use(ts::random::uniform({}));  // tessera::random::uniform<T>(shape): requires extents between the braces: uniform({m, n})
  use(ts::random::uniform<float>({}, {.seed = 1}));  // tessera::random::uniform<T>(shape): requires extents between the braces: uniform({m, n})
  use(ts::random::normal({}));  // tessera::random::normal<T>(shape): requires extents between the braces: normal({m, n})
  use(ts::random::exponential({}));  // tessera::random::exponential<T>(shape): requires extents between the braces: exponential({m, n})
  use(ts::random::lognormal({}));  // tessera::random::lognormal(shape): requires extents between the braces: lognormal({m, n})
  use(ts::random::integers(0, 10, {}));  // tessera::random::integers<T>(low, high, shape): requires extents between the braces: integers(low, high, {m, n})
  use(ts::random::bernoulli(0.5, {}));  // tessera::random::bernoulli(p, shape): requires extents between the braces: bernoulli(p, {m, n})
  use(ts::random::poisson(2, {}));  // tessera::random::poisson(mean, shape): requires extents between the braces: poisson(mean, {m, n})
  use(ts::random::binomial(9, 0.5, {}));  // tessera::random::binomial(n, p, shape): requires extents between the braces: binomial(n, p, {m, n})
  use(ts::random::gamma(2, {}));  // tessera::random::gamma(k, shape): requires extents between the braces: gamma(k, {m, n})
  use(ts::eye({3, 3}));  // tessera::eye<T>(n, m): requires the extents without braces: eye<T>(n), eye<T>(n, m)
  use(ts::reshape(x, {9}, "C"));  // tessera::reshape(x, shape): requires no order: elements are in row-major order, x.T() has the columns as rows
  use(ts::reshape(x, {9, 1}, 'F'));  // tessera::reshape(x, shape): requires no order: elements are in row-major order, x.T() has the columns as rows
  use(ts::reshape(x));  // tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})
  use(ts::reshape(x, std::vector<ts::index_t>{9}));  // tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})
  use(ts::outer(x, edges));  // tessera::outer(a, b): requires arrays: outer(a, asarray(v)) of a vector v
  use(ts::outer(edges, x));  // tessera::outer(a, b): requires arrays: outer(a, asarray(v)) of a vector v
  use(ts::kron(x, edges));  // tessera::kron(a, b): requires arrays: kron(a, asarray(v)) of a vector v
  use(ts::kron(edges, x));  // tessera::kron(a, b): requires arrays: kron(a, asarray(v)) of a vector v
  use(ts::dot(x, edges));  // tessera::dot(a, b): requires arrays: dot(a, asarray(v)) of a vector v
  use(ts::dot(edges, x));  // tessera::dot(a, b): requires arrays: dot(a, asarray(v)) of a vector v
  use(ts::matmul(x, edges));  // tessera::matmul(a, b): requires arrays: matmul(a, asarray(v)) of a vector v
  use(ts::matmul(edges, x));  // tessera::matmul(a, b): requires arrays: matmul(a, asarray(v)) of a vector v
  use(ts::vecdot(x, edges));  // tessera::vecdot(a, b): requires arrays: vecdot(a, asarray(v)) of a vector v
  use(ts::vecdot(edges, x));  // tessera::vecdot(a, b): requires arrays: vecdot(a, asarray(v)) of a vector v
  use(ts::cross(x, edges));  // tessera::cross(a, b): requires arrays: cross(a, asarray(v)) of a vector v
  use(ts::cross(edges, x));  // tessera::cross(a, b): requires arrays: cross(a, asarray(v)) of a vector v
  use(ts::solve(x, edges));  // tessera::solve(a, b): requires arrays: solve(a, asarray(v)) of a vector v
  use(ts::solve(edges, x));  // tessera::solve(a, b): requires arrays: solve(a, asarray(v)) of a vector v
  use(ts::sum(edges));  // tessera::sum(x): requires an array: sum(asarray(v)) of a vector v
  use(ts::mean(edges));  // tessera::mean(x): requires an array: mean(asarray(v)) of a vector v
  use(ts::max(edges));  // tessera::max(x): requires an array: max(asarray(v)) of a vector v
  use(ts::min(edges));  // tessera::min(x): requires an array: min(asarray(v)) of a vector v
  use(ts::random::uniform({3, 3}, 2));  // tessera::random::uniform<T>(shape): requires names of numbers: uniform({m, n}, {.seed = 1, .low = 0, .high = 1})
  use(ts::random::uniform<float>({3}, 0.0, 1.0));  // tessera::random::uniform<T>(shape): requires names of numbers: uniform({m, n}, {.seed = 1, .low = 0, .high = 1})
  use(ts::random::normal({3, 3}, 2));  // tessera::random::normal<T>(shape): requires names of numbers: normal({m, n}, {.seed = 1, .mean = 0, .stddev = 1})
  use(ts::random::normal<float>({3}, 0.0, 1.0));  // tessera::random::normal<T>(shape): requires names of numbers: normal({m, n}, {.seed = 1, .mean = 0, .stddev = 1})
  use(ts::random::bernoulli({3}, 0.5));  // tessera::random::bernoulli(p, shape): requires the shape last: bernoulli(0.5, {m, n})
  use(ts::random::exponential(1.0, {3}));  // tessera::random::exponential<T>(shape): requires the shape first: exponential({m, n}, {.scale = 1})
  use(ts::random::integers(0, 10));  // tessera::random::integers<T>(low, high, shape): requires the shape last: integers<int>(0, 10, {m, n})
  ts::store("u.zarr", x);  // tessera::store(x, path): requires the array before the path: store(x, "x.zarr")
  ts::store("u.zarr", i, {.chunks = {2, 2}});  // tessera::store(x, path): requires the array before the path: store(x, "x.zarr")
  ts::store(x, "u.zarr", "w");  // tessera::store(x, path, options): requires names of options: store(x, path, {.chunks = {m, n}, .compressor = codec::zstd{}})
  ts::store(x, "u.zarr", true);  // tessera::store(x, path, options): requires names of options: store(x, path, {.chunks = {m, n}, .compressor = codec::zstd{}})
  ts::store(x, "u.zarr", ts::codec::zstd{});  // tessera::store(x, path, options): requires names of options: store(x, path, {.chunks = {m, n}, .compressor = codec::zstd{}})
}
