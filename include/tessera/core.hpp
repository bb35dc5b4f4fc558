// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The functions that most programs use, compiled in less time than all of `tessera.hpp`: arrays,
/// arithmetic and elementwise functions, reductions, products, random numbers, plans, and stored
/// arrays. Names of axes, groups, sets, filters, windows, decompositions, interpolation, arrays of
/// types known at run time, and records of runs are left to `tessera.hpp` or to their own headers.

// clang-format off
// First and in this order, as in tessera.hpp.
#include "tessera/core/bytes.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/bitwise.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/array/ndarray_view.hpp"
#include "tessera/array/ndarray.hpp"
// clang-format on

#include "tessera/array/append.hpp"
#include "tessera/array/array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/print.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/choice.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/exponential.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/rounding.hpp"
#include "tessera/function/sign.hpp"
#include "tessera/function/trigonometric.hpp"
#include "tessera/runtime/runtime.hpp"
#include "tessera/task/run_with.hpp"
