// SPDX-License-Identifier: Apache-2.0
// Members that arrays of NumPy and xarray have, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <iostream>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});

template <class T>
void use(const T&);

void call_members() {
  use(x.sum());  // tessera: x.sum(...): requires the function: sum(x, axis<0>)
  use(x.prod());  // tessera: x.prod(...): requires the function: prod(x, axis<0>)
  use(x.mean());  // tessera: x.mean(...): requires the function: mean(x, axis<0>)
  use(x.var());  // tessera: x.var(...): requires the function: var(x, axis<0>)
  use(x.max());  // tessera: x.max(...): requires the function: max(x, axis<0>)
  use(x.min());  // tessera: x.min(...): requires the function: min(x, axis<0>)
  use(x.any());  // tessera: x.any(...): requires the function: any(x, axis<0>)
  use(x.argmax());  // tessera: x.argmax(...): requires the function: argmax(x, axis<0>)
  use(x.argmin());  // tessera: x.argmin(...): requires the function: argmin(x, axis<0>)
  use(x.round());  // tessera: x.round(...): requires the function: round(x)
  use(x.clip(0, 1));  // tessera: x.clip(...): requires the function: clip(x, 0, 1)
  use(x.reshape(9));  // tessera: x.reshape(...): requires the function: reshape(x, {m, n})
  use(x.rechunk());  // tessera: x.rechunk(...): requires the function: rechunk(x, {m, n})
  use(x.flatten());  // tessera: x.flatten(...): requires the function: flatten(x)
  use(x.ravel());  // tessera: x.ravel(...): requires the function: ravel(x)
  use(x.dot(x));  // tessera: x.dot(...): requires the function: matmul(x, y)
  use(x.sort());  // tessera: x.sort(...): requires the function: sort(x, axis<0>)
  use(x.squeeze());  // tessera: x.squeeze(...): requires the function: squeeze(x, axis<0>)
  use(x.fillna(0));  // tessera: x.fillna(...): requires the function: fillna(x, 0)
  use(x.store("u.zarr"));  // tessera: x.store(...): requires the function: store(x, path)
  use(x.to_zarr("u.zarr"));  // tessera: x.to_zarr(...): requires the function: store(x, path)
  use(x.astype<float>());  // tessera: x.astype<T>(): requires the function: astype<float>(x)
  use(x.std());  // tessera: x.std(...): requires the function: stddev(x, axis<0>)
  use(x.cumsum(0));  // tessera: x.cumsum(...): requires the function: cumulative_sum(x, axis<0>)
  use(x.copy());  // tessera: x.copy(): requires no copy, as lazy arrays are immutable: auto y = x
  use(x.dtype());  // tessera: x.dtype(): requires the constant dtype_of<decltype(x)::value_type>
  use(x.item());  // tessera: x.item(): requires x.compute(), the ndarray of the elements
  use(x.tolist());  // tessera: x.tolist(): requires x.compute(), the ndarray of the elements
  use(x.numpy());  // tessera: x.numpy(): requires x.compute(), the ndarray of the elements
  use(x.load());  // tessera: x.load(): requires x.compute(), the ndarray of the elements
  use(x.persist());  // tessera: x.persist(): requires x.compute(), the ndarray of the elements
  use(x.to_numpy());  // tessera: x.to_numpy(): requires x.compute(), the ndarray of the elements
  use(x.mean(0).compute());  // tessera: x.mean(...): requires the function: mean(x, axis<0>)
  std::cout << x.max(ts::axis<0>);  // tessera: x.max(...): requires the function: max(x, axis<0>)
  use(x[{0, 1}]);  // tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, 10}) for its [0, 10], and whole for its colon
  use(x.shape(0));  // tessera: x.shape(): requires no axis: x.shape()[0] is the extent of axis 0
  use(x.transpose(1, 0));  // tessera: x.transpose(): requires the function: permute_dims(x, axis<1, 0>), or x.T()
  use(x.t());  // tessera: x.t(): requires its name here: x.T()
  use(x.swapaxes(0, 1));  // tessera: x.swapaxes(...): requires the function: swapaxes(x, axis<0>, axis<1>)
  use(x.rows());  // tessera: x.rows(): requires the extent of an axis: x.shape()[0]
  use(x.cols());  // tessera: x.cols(): requires the extent of an axis: x.shape()[1]
  use(x.row(0));  // tessera: x.row(i): requires the index alone: x(i)
  use(x.col(0));  // tessera: x.col(j): requires the index behind the axis before it: x(whole, j)
  use(x.block(0, 0, 2, 2));  // tessera: x.block(i, j, m, n): requires a slice of each axis: x(slice(i, i + m), slice(j, j + n))
  use(x.dimension());  // tessera: x.dimension(): requires the constant decltype(x)::rank
  use(x.norm());  // tessera: x.norm(): requires the function: norm(x)
  use(x.trace());  // tessera: x.trace(): requires the function: trace(x)
  use(x.inverse());  // tessera: x.inverse(): requires the function: inv(x)
  use(x.determinant());  // tessera: x.determinant(): requires the function: det(x)
  use(x.minCoeff());  // tessera: x.minCoeff(): requires the function: min(x)
  use(x.maxCoeff());  // tessera: x.maxCoeff(): requires the function: max(x)
  use(x.rowwise());  // tessera: x.rowwise(): requires the axis of a function: sum(x, axis<1>)
  use(x.colwise());  // tessera: x.colwise(): requires the axis of a function: sum(x, axis<0>)
  use(x.eval());  // tessera: x.eval(): requires x.compute(), the ndarray of the elements
  use(x.abs());  // tessera: x.abs(): requires the function: abs(x)
  use(x.stddev());  // tessera: x.stddev(...): requires the function: stddev(x, axis<0>)
  use(x.median(0));  // tessera: x.median(...): requires the function: median(x, axis<0>)
  use(x.cumprod(0));  // tessera: x.cumprod(...): requires the function: cumulative_prod(x, axis<0>)
  use(x.argsort());  // tessera: x.argsort(...): requires the function: argsort(x, axis<0>)
  use(x.take(0));  // tessera: x.take(...): requires the function: take(x, indices, axis<0>)
  use(x.repeat(2));  // tessera: x.repeat(...): requires the function: repeat(x, 2, axis<0>)
  use(x.where(x > 0));  // tessera: x.where(...): requires the function: where(condition, x, 0.0)
  use(x.isnull());  // tessera: x.isnull(): requires the function: isnan(x)
  use(x.chunk(2));  // tessera: x.chunk(...): requires the function: rechunk(x, {m, n})
  use(x.cast<float>());  // tessera: x.cast<T>(): requires the function: astype<float>(x)
}
