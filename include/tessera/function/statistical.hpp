// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Statistical and utility functions: reductions along axes.
///
/// Each takes an array and, in any order, `axis<...>` (all axes without it), `keepdims` and for
/// some functions `correction(n)`: `mean(u, axis<0>, keepdims)`, `var(x, correction(1))`.
///
/// Shape:  that of `x` without the axes; with `keepdims` they stay, with extent 1.
/// Chunks: as `x` on the axes that stay.
/// Memory: a task streams its chunks of `x` through one buffer and keeps one state for each result.
/// Source: the Python Array API standard.

#include "tessera/function/count.hpp"
#include "tessera/function/detail/compiled_folds.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/function/histogram.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/nan_statistical.hpp"
#include "tessera/function/norms.hpp"
#include "tessera/function/positions.hpp"
#include "tessera/function/quantifiers.hpp"
#include "tessera/function/reduction.hpp"
#include "tessera/function/shape_moments.hpp"
#include "tessera/function/summaries.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/function/top.hpp"

#include <boost/hana/fwd/tuple.hpp>

namespace tessera::function {

/// The families of folds, each a list of tags.
using fold_families = boost::hana::tuple<sum_folds, extreme_folds, moment_folds, quantifier_folds,
                                         position_folds, shape_moment_folds, count_folds>;

}  // namespace tessera::function
