// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused members of Eigen, xtensor and Dask, as `refused_members`.

#include "tessera/expr/refused_members.hpp"

namespace tessera::detail {

/// Calls the function, which the refused member hides in classes.
template <class X>
auto call_transpose(const X& x) {
  return transpose(x);
}

struct refused_foreign_members : refused_members {
  template <class... Args, class T = void>
  refused_result transpose(const Args&...) const {
    static_assert(
        is_allowed<T, Args...>,
        "tessera: x.transpose(): requires the function: permute_dims(x, axis<1, 0>), or x.T()");
    return {};
  }
  template <class... Args, class T = void>
  refused_result t(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.t(): requires its name here: x.T()");
    return {};
  }
  template <class... Args, class T = void>
  refused_result swapaxes(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.swapaxes(...): requires the function: swapaxes(x, axis<0>, axis<1>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result rows(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.rows(): requires the extent of an axis: x.shape()[0]");
    return {};
  }
  template <class... Args, class T = void>
  refused_result cols(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.cols(): requires the extent of an axis: x.shape()[1]");
    return {};
  }
  template <class... Args, class T = void>
  refused_result row(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.row(i): requires the index alone: x(i)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result col(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.col(j): requires the index behind the axis before it: x(whole, j)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result block(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.block(i, j, m, n): requires a slice of each axis: x(slice(i, i + m), "
                  "slice(j, j + n))");
    return {};
  }
  template <class... Args, class T = void>
  refused_result dimension(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.dimension(): requires the constant decltype(x)::rank");
    return {};
  }
  template <class... Args, class T = void>
  refused_result norm(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.norm(): requires the function: norm(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result trace(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.trace(): requires the function: trace(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result inverse(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.inverse(): requires the function: inv(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result determinant(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.determinant(): requires the function: det(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result minCoeff(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.minCoeff(): requires the function: min(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result maxCoeff(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.maxCoeff(): requires the function: max(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result rowwise(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.rowwise(): requires the axis of a function: sum(x, axis<1>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result colwise(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.colwise(): requires the axis of a function: sum(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result eval(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.eval(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result abs(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.abs(): requires the function: abs(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result stddev(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.stddev(...): requires the function: stddev(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result median(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.median(...): requires the function: median(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result cumprod(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.cumprod(...): requires the function: cumulative_prod(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result argsort(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.argsort(...): requires the function: argsort(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result take(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.take(...): requires the function: take(x, indices, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result repeat(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.repeat(...): requires the function: repeat(x, 2, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result where(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.where(...): requires the function: where(condition, x, 0.0)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result isnull(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.isnull(): requires the function: isnan(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result chunk(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.chunk(...): requires the function: rechunk(x, {m, n})");
    return {};
  }
  template <class To, class... Args>
  refused_result cast(const Args&...) const {
    static_assert(is_allowed<To, Args...>,
                  "tessera: x.cast<T>(): requires the function: astype<float>(x)");
    return {};
  }
};

}  // namespace tessera::detail
