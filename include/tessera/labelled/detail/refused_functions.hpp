// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls: functions of arrays without names of axes, called with such names. One sentence
/// gives the remedy.

#include "tessera/expr/refused_members.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/labelled/labelled.hpp"
#include "tessera/meta/fixed_string.hpp"

// clang-format off
namespace tessera {
namespace detail {

/// Fails to compile, as `Function` cannot name the axes of its result.
template <fixed_string Function, class X>
const X& refuse_names(const X& x) {
  static_assert(is_allowed<X>,
                "tessera: f(x) of an x whose axes have names: requires an array without names, as "
                "f(x.array()), and label<names...>(result) names the axes of the result");
  return x;
}

}  // namespace detail

// Matrices: their axes are rows and columns.
template <class X, class... Args> requires have_names<X, Args...> const X& cholesky(const X& x, const Args&...) { return detail::refuse_names<"cholesky">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& eigh(const X& x, const Args&...) { return detail::refuse_names<"eigh">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& eigvalsh(const X& x, const Args&...) { return detail::refuse_names<"eigvalsh">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& qr(const X& x, const Args&...) { return detail::refuse_names<"qr">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& svd(const X& x, const Args&...) { return detail::refuse_names<"svd">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& svdvals(const X& x, const Args&...) { return detail::refuse_names<"svdvals">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& inv(const X& x, const Args&...) { return detail::refuse_names<"inv">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& det(const X& x, const Args&...) { return detail::refuse_names<"det">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& slogdet(const X& x, const Args&...) { return detail::refuse_names<"slogdet">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& lu(const X& x, const Args&...) { return detail::refuse_names<"lu">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& solve(const X& x, const Args&...) { return detail::refuse_names<"solve">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& solve_triangular(const X& x, const Args&...) { return detail::refuse_names<"solve_triangular">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& lstsq(const X& x, const Args&...) { return detail::refuse_names<"lstsq">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& pinv(const X& x, const Args&...) { return detail::refuse_names<"pinv">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& matrix_rank(const X& x, const Args&...) { return detail::refuse_names<"matrix_rank">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& matrix_norm(const X& x, const Args&...) { return detail::refuse_names<"matrix_norm">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& matrix_power(const X& x, const Args&...) { return detail::refuse_names<"matrix_power">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& norm(const X& x, const Args&...) { return detail::refuse_names<"norm">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& cov(const X& x, const Args&...) { return detail::refuse_names<"cov">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& corrcoef(const X& x, const Args&...) { return detail::refuse_names<"corrcoef">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& inner(const X& x, const Args&...) { return detail::refuse_names<"inner">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& dot(const X& x, const Args&...) { return detail::refuse_names<"dot">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& outer(const X& x, const Args&...) { return detail::refuse_names<"outer">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& kron(const X& x, const Args&...) { return detail::refuse_names<"kron">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& diag(const X& x, const Args&...) { return detail::refuse_names<"diag">(x); }

// Results with axes of their own.
template <class X, class... Args> requires have_names<X, Args...> const X& reshape(const X& x, const Args&...) { return detail::refuse_names<"reshape">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& ravel(const X& x, const Args&...) { return detail::refuse_names<"ravel">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& flatten(const X& x, const Args&...) { return detail::refuse_names<"flatten">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& tile(const X& x, const Args&...) { return detail::refuse_names<"tile">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& broadcast_to(const X& x, const Args&...) { return detail::refuse_names<"broadcast_to">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& broadcast_arrays(const X& x, const Args&...) { return detail::refuse_names<"broadcast_arrays">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& atleast_1d(const X& x, const Args&...) { return detail::refuse_names<"atleast_1d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& atleast_2d(const X& x, const Args&...) { return detail::refuse_names<"atleast_2d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& atleast_3d(const X& x, const Args&...) { return detail::refuse_names<"atleast_3d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& hstack(const X& x, const Args&...) { return detail::refuse_names<"hstack">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& vstack(const X& x, const Args&...) { return detail::refuse_names<"vstack">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& dstack(const X& x, const Args&...) { return detail::refuse_names<"dstack">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& block(const X& x, const Args&...) { return detail::refuse_names<"block">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& meshgrid(const X& x, const Args&...) { return detail::refuse_names<"meshgrid">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& rot90(const X& x, const Args&...) { return detail::refuse_names<"rot90">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& rollaxis(const X& x, const Args&...) { return detail::refuse_names<"rollaxis">(x); }
template <labelled_array X> const X& reshape(const X& x, const detail::any_braces&) { return detail::refuse_names<"reshape">(x); }
template <labelled_array X> const X& tile(const X& x, const detail::any_braces&) { return detail::refuse_names<"tile">(x); }
template <labelled_array X> const X& broadcast_to(const X& x, const detail::any_braces&) { return detail::refuse_names<"broadcast_to">(x); }

// Functions of all elements, and of lists of them.
template <class X, class... Args> requires have_names<X, Args...> const X& bincount(const X& x, const Args&...) { return detail::refuse_names<"bincount">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& histogram(const X& x, const Args&...) { return detail::refuse_names<"histogram">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& nonzero(const X& x, const Args&...) { return detail::refuse_names<"nonzero">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& argwhere(const X& x, const Args&...) { return detail::refuse_names<"argwhere">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& flatnonzero(const X& x, const Args&...) { return detail::refuse_names<"flatnonzero">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& extract(const X& x, const Args&...) { return detail::refuse_names<"extract">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& unique_values(const X& x, const Args&...) { return detail::refuse_names<"unique_values">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& unique_inverse(const X& x, const Args&...) { return detail::refuse_names<"unique_inverse">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& unique_counts(const X& x, const Args&...) { return detail::refuse_names<"unique_counts">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& unique_all(const X& x, const Args&...) { return detail::refuse_names<"unique_all">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& union1d(const X& x, const Args&...) { return detail::refuse_names<"union1d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& intersect1d(const X& x, const Args&...) { return detail::refuse_names<"intersect1d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& setdiff1d(const X& x, const Args&...) { return detail::refuse_names<"setdiff1d">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& searchsorted(const X& x, const Args&...) { return detail::refuse_names<"searchsorted">(x); }
template <class X, class... Args> requires have_names<X, Args...> const X& put_along_axis(const X& x, const Args&...) { return detail::refuse_names<"put_along_axis">(x); }

}  // namespace tessera
// clang-format on
