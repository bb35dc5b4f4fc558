// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused members of arrays: the methods of NumPy and xarray are functions here. One sentence
/// gives the call to write.

namespace tessera::detail {

/// False for every type: says no to whoever gets that far.
template <class...>
inline constexpr bool is_allowed = false;

/// The result of a refused member, for which the compiler finds no second mistake.
struct refused_result {
  operator double() const;
  [[nodiscard]] refused_result compute() const;
};

/// The base of all arrays; no template, so that arrays of each type share the members.
struct refused_members {
  template <class... Args, class T = void>
  refused_result sum(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.sum(...): requires the function: sum(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result prod(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.prod(...): requires the function: prod(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result mean(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.mean(...): requires the function: mean(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result var(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.var(...): requires the function: var(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result max(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.max(...): requires the function: max(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result min(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.min(...): requires the function: min(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result any(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.any(...): requires the function: any(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result argmax(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.argmax(...): requires the function: argmax(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result argmin(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.argmin(...): requires the function: argmin(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result round(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.round(...): requires the function: round(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result clip(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.clip(...): requires the function: clip(x, 0, 1)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result reshape(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.reshape(...): requires the function: reshape(x, {m, n})");
    return {};
  }
  template <class... Args, class T = void>
  refused_result rechunk(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.rechunk(...): requires the function: rechunk(x, {m, n})");
    return {};
  }
  template <class... Args, class T = void>
  refused_result flatten(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.flatten(...): requires the function: flatten(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result ravel(const Args&...) const {
    static_assert(is_allowed<T, Args...>, "tessera: x.ravel(...): requires the function: ravel(x)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result dot(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.dot(...): requires the function: matmul(x, y)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result sort(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.sort(...): requires the function: sort(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result squeeze(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.squeeze(...): requires the function: squeeze(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result fillna(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.fillna(...): requires the function: fillna(x, 0)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result store(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.store(...): requires the function: store(x, path)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result to_zarr(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.to_zarr(...): requires the function: store(x, path)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result std(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.std(...): requires the function: stddev(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result cumsum(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.cumsum(...): requires the function: cumulative_sum(x, axis<0>)");
    return {};
  }
  template <class... Args, class T = void>
  refused_result copy(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.copy(): requires no copy, as lazy arrays are immutable: auto y = x");
    return {};
  }
  template <class... Args, class T = void>
  refused_result dtype(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.dtype(): requires the constant dtype_of<decltype(x)::value_type>");
    return {};
  }
  template <class... Args, class T = void>
  refused_result item(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.item(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result tolist(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.tolist(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result numpy(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.numpy(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result load(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.load(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result persist(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.persist(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class... Args, class T = void>
  refused_result to_numpy(const Args&...) const {
    static_assert(is_allowed<T, Args...>,
                  "tessera: x.to_numpy(): requires x.compute(), the ndarray of the elements");
    return {};
  }
  template <class To, class... Args>
  refused_result astype(const Args&...) const {
    static_assert(is_allowed<To, Args...>,
                  "tessera: x.astype<T>(): requires the function: astype<float>(x)");
    return {};
  }
};

}  // namespace tessera::detail
